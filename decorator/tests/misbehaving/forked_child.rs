use std::sync::atomic::{AtomicBool, Ordering};

use compressor_api::{CompressSession, DecompressSession, Error, Spec};

use super::{ID, Misbehaviour};

/// Works until the process forks; then every session answers that it was forked.
#[derive(Debug, Default)]
pub struct ForkedChild {
    pub forked: AtomicBool,
}

impl ForkedChild {
    fn check(&self) -> Result<(), Error> {
        if self.forked.load(Ordering::Relaxed) {
            Err(Error::forked(ID))
        } else {
            Ok(())
        }
    }
}

impl Misbehaviour for ForkedChild {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.check()?;
        codec.compress(src, dst)
    }

    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.check()?;
        codec.decompress(src, dst)
    }
}

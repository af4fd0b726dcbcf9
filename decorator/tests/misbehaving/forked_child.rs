use std::sync::atomic::{AtomicBool, Ordering};

use compressor_api::Error;

use super::{Codec, ID, Misbehaviour};

/// Works until the process forks; then every session answers that it was forked.
#[derive(Debug, Default)]
pub struct ForkedChild {
    pub forked: AtomicBool,
}

impl Misbehaviour for ForkedChild {
    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        if self.forked.load(Ordering::Relaxed) {
            return Err(Error::forked(ID));
        }
        codec(dst)
    }
}

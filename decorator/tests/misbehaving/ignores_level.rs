use compressor_api::{CompressSession, Error, ErrorKind, Spec};

use super::{Misbehaviour, error};

/// Lists every level, and refuses one.
#[derive(Debug)]
pub struct IgnoresLevel {
    pub refused: i32,
}

impl Misbehaviour for IgnoresLevel {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        spec: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        if spec.level() == self.refused {
            return Err(error(ErrorKind::Unsupported));
        }
        codec.compress(src, dst)
    }
}

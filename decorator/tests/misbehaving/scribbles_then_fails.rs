use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind, Spec};

use super::{Misbehaviour, error};

/// Fills all of the output with `AA`, then fails.
#[derive(Debug)]
pub struct ScribblesThenFails;

impl Misbehaviour for ScribblesThenFails {
    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        _: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        dst.fill(0xAA);
        Err(error(ErrorKind::Device))
    }

    fn decompress(
        &self,
        _: &mut dyn DecompressSession,
        _: &Spec,
        _: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        dst.fill(0xAA);
        Err(error(ErrorKind::Device))
    }
}

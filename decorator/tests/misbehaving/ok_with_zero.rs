use compressor_api::{CompressSession, DecompressSession, Error, Spec};

use super::Misbehaviour;

/// Says OK with 0 bytes.
#[derive(Debug)]
pub struct OkWithZero;

impl Misbehaviour for OkWithZero {
    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Ok(0)
    }

    fn decompress(
        &self,
        _: &mut dyn DecompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Ok(0)
    }
}

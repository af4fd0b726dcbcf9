use compressor_api::{CompressSession, DecompressSession, Error, Spec};

use super::Misbehaviour;

/// Says OK, but its output holds all but the last byte.
#[derive(Debug)]
pub struct ConsumesLess;

impl Misbehaviour for ConsumesLess {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        codec.compress(&src[..src.len().saturating_sub(1)], dst)
    }

    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        codec.decompress(src, dst).map(|n| n.saturating_sub(1))
    }
}

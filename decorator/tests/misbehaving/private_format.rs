use compressor_api::{CompressSession, DecompressSession, Error, Spec};

use super::Misbehaviour;

/// Reads back what it wrote; nobody else can.
#[derive(Debug)]
pub struct PrivateFormat;

fn conceal(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte ^= 0x5A);
}

impl Misbehaviour for PrivateFormat {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let n = codec.compress(src, dst)?;
        conceal(&mut dst[..n]);
        Ok(n)
    }

    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let mut unit = src.to_vec();
        conceal(&mut unit);
        codec.decompress(&unit, dst)
    }
}

use compressor_api::{CompressSession, Error, Spec};

use super::Misbehaviour;

/// The body is right, the checksum behind it is not. For `zlib`.
#[derive(Debug)]
pub enum WrongChecksum {
    Zero,
    ByteSwapped,
}

impl Misbehaviour for WrongChecksum {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let n = codec.compress(src, dst)?;
        let adler = &mut dst[n - 4..n];
        match self {
            Self::Zero => adler.fill(0),
            Self::ByteSwapped => adler.reverse(),
        }
        Ok(n)
    }
}

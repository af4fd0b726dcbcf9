use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind, Spec};

use super::{ID, Misbehaviour};

/// Answers with a code that nobody documented.
#[derive(Debug)]
pub struct UnknownErrorCode;

/// The code.
pub const CODE: i32 = -7_777;

impl Misbehaviour for UnknownErrorCode {
    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Err(Error::with_native(ErrorKind::Device, ID, CODE))
    }

    fn decompress(
        &self,
        _: &mut dyn DecompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Err(Error::with_native(ErrorKind::Device, ID, CODE))
    }
}

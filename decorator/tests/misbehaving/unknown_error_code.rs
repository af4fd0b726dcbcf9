use compressor_api::{Error, ErrorKind};

use super::{Codec, ID, Misbehaviour};

/// Answers with a code that nobody documented.
#[derive(Debug)]
pub struct UnknownErrorCode;

impl Misbehaviour for UnknownErrorCode {
    fn operate(&self, _: Codec<'_>, _: &mut [u8]) -> Result<usize, Error> {
        Err(Error::with_native(ErrorKind::Device, ID, -7_777))
    }
}

use compressor_api::Error;

use super::{Codec, Misbehaviour};

/// Says OK with 0 bytes.
#[derive(Debug)]
pub struct OkWithZero;

impl Misbehaviour for OkWithZero {
    fn operate(&self, _: Codec<'_>, _: &mut [u8]) -> Result<usize, Error> {
        Ok(0)
    }
}

use compressor_api::{Error, ErrorKind};

use super::{Codec, Misbehaviour, error};

/// Fills all of the output with `AA`, then fails.
#[derive(Debug)]
pub struct ScribblesThenFails;

impl Misbehaviour for ScribblesThenFails {
    fn operate(&self, _: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        dst.fill(0xAA);
        Err(error(ErrorKind::Device))
    }
}

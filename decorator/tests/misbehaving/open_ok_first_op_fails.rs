use compressor_api::{Error, ErrorKind};

use super::{Codec, Misbehaviour, error};

/// The device node is there and opens; whatever is done with it fails.
#[derive(Debug)]
pub struct OpenOkFirstOpFails;

impl Misbehaviour for OpenOkFirstOpFails {
    fn operate(&self, _: Codec<'_>, _: &mut [u8]) -> Result<usize, Error> {
        Err(error(ErrorKind::Device))
    }
}

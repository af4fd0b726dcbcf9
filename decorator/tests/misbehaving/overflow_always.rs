use compressor_api::{Error, ErrorKind};

use super::{Codec, Misbehaviour, error};

/// Says that the result does not fit, whatever the room.
#[derive(Debug)]
pub struct OverflowAlways;

impl Misbehaviour for OverflowAlways {
    fn operate(&self, _: Codec<'_>, _: &mut [u8]) -> Result<usize, Error> {
        Err(error(ErrorKind::OutputTooSmall))
    }
}

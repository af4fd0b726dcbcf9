use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind, Spec};

use super::{Misbehaviour, error};

/// Says that the result does not fit, whatever the room.
#[derive(Debug)]
pub struct OverflowAlways;

impl Misbehaviour for OverflowAlways {
    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Err(error(ErrorKind::OutputTooSmall))
    }

    fn decompress(
        &self,
        _: &mut dyn DecompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Err(error(ErrorKind::OutputTooSmall))
    }
}

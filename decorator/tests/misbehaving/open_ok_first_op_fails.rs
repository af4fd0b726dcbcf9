use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind, Spec};

use super::{Misbehaviour, error};

/// The device node is there and opens; whatever is done with it fails.
#[derive(Debug)]
pub struct OpenOkFirstOpFails;

impl Misbehaviour for OpenOkFirstOpFails {
    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Err(error(ErrorKind::Device))
    }

    fn decompress(
        &self,
        _: &mut dyn DecompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        Err(error(ErrorKind::Device))
    }
}

use compressor_api::inspect::snappy;
use compressor_api::{DecompressSession, Error, ErrorKind, ProviderId};
use snap::raw::Decoder;

use crate::ID;

pub(crate) struct DecompressBlock {
    decoder: Decoder,
}

impl DecompressBlock {
    pub(crate) fn new() -> Self {
        Self {
            decoder: Decoder::new(),
        }
    }
}

impl DecompressSession for DecompressBlock {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.decoder
            .decompress(src, dst)
            .map_err(|error| failure(&error, src))
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

/// Tells apart a block that needs more room and one that only says so: snap looks no further than
/// the declared length when that does not fit.
#[cold]
fn failure(error: &snap::Error, src: &[u8]) -> Error {
    let kind = match error {
        snap::Error::BufferTooSmall { .. } if snappy::content_len(src).is_ok() => {
            ErrorKind::OutputTooSmall
        }
        _ => ErrorKind::CorruptInput,
    };
    Error::new(kind, ID)
}

use compressor_api::inspect::zstd;
use compressor_api::{DecompressSession, Error, ErrorKind, ProviderId};

use crate::dctx::DCtx;
use crate::error::ID;

/// A context that sees only what is exactly one frame.
pub(crate) struct Decompress {
    context: DCtx,
}

impl Decompress {
    pub(crate) fn new(context: DCtx) -> Self {
        Self { context }
    }
}

impl DecompressSession for Decompress {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let frame = zstd::walk(src).map_err(|malformed| malformed.error(ID))?;
        let header = frame.header;
        if header.dictionary_id.is_some() && header.dictionary_id != self.context.dictionary_id() {
            return Err(Error::new(ErrorKind::WrongDictionary, ID));
        }

        // All that the frame can be decoded to, if `dst` has room for it.
        let most = header.declared_len.unwrap_or(*frame.possible_len.end());
        let whole = usize::try_from(most).ok().filter(|most| *most <= dst.len());
        let room = match whole {
            Some(most) => most,
            None if header.declared_len.is_some() => {
                return Err(Error::new(ErrorKind::OutputTooSmall, ID));
            }
            None => dst.len(),
        };
        let dst = dst.get_mut(..room).unwrap_or_default();
        self.context.decompress(src, dst).map_err(|error| {
            if error.kind() == ErrorKind::OutputTooSmall && whole.is_some() {
                // More came out than the frame can hold: more room would not help.
                Error::with_native(ErrorKind::CorruptInput, ID, error.native())
            } else {
                error
            }
        })
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

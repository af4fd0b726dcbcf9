use compressor_api::{CompressSession, Error, ErrorKind};

use crate::level::Level;
use crate::state::State;
use crate::{ID, limits};

/// The block of no content: one token that says no literals, and no match follows it.
const EMPTY_BLOCK: u8 = 0;

pub(crate) struct CompressBlock {
    state: State,
}

impl CompressBlock {
    pub(crate) fn new(level: Level) -> Result<Self, Error> {
        Ok(Self {
            state: State::new(level)?,
        })
    }
}

impl CompressSession for CompressBlock {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let fail = |kind| Err(Error::new(kind, ID));
        let Some(bound) = limits::compress_bound(src.len()) else {
            return fail(ErrorKind::Unsupported);
        };
        let room = dst.len();
        let Some(first) = dst.first_mut() else {
            return fail(ErrorKind::OutputTooSmall);
        };
        if src.is_empty() {
            // liblz4's optimal parser counts back from the end of the source, which wraps when
            // there is none and the address is low, as that of an empty slice may be.
            *first = EMPTY_BLOCK;
            return Ok(1);
        }
        match self.state.compress(src, dst) {
            Some(written) => Ok(written),
            None if room < bound => fail(ErrorKind::OutputTooSmall),
            None => fail(ErrorKind::OutOfMemory),
        }
    }
}

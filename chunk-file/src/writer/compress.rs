use std::collections::TryReserveError;

use compressor::{CompressSession, Compressor, Error, ErrorKind, Format, ProviderId};

use crate::info::{can_hold, longest_stored};
use crate::{CompressionInfo, Params};

/// What is done to each chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compress {
    format: Format,
    /// From this length on a chunk is stored raw.
    max: usize,
    /// The longest unit that readers accept.
    longest: usize,
    /// Who is to blame for a length that cannot be.
    provider: ProviderId,
}

impl Compress {
    pub(super) fn new(params: &Params, compressor: &dyn Compressor) -> Self {
        let side = compressor.effective().compress;
        Self {
            format: params.spec().format(),
            max: params.max_compressed_len() as usize,
            longest: longest_stored(params.chunk_len()) as usize,
            provider: side.map_or(ProviderId::new("unknown"), |side| side.provider),
        }
    }

    /// The unit's length, if there can be such a unit. A compressor that is not decorated may claim
    /// any: what lies in the buffer would pass for a unit, or the chunk for one that is stored raw.
    fn believed(&self, len: usize, room: usize, content_len: usize) -> Result<usize, Error> {
        let readable = len >= self.max || len <= self.longest;
        // What is not compressed at all has one length, and no checksum that would show another.
        let exact = self.format != Format::None || len == content_len;
        if len <= room && readable && exact && can_hold(self.format, len as u64, content_len as u64)
        {
            return Ok(len);
        }
        Err(Error::new(ErrorKind::Device, self.provider))
    }
}

/// One chunk on its way: its content, and what becomes of it. Used again and again.
#[derive(Debug)]
pub(super) struct Task {
    /// What the caller wrote; up to a chunk.
    pub(super) content: Vec<u8>,
    /// How much of that is content, once it was compressed: a raw chunk may be filled up.
    pub(super) content_len: usize,
    /// Room for the longest result.
    unit: Vec<u8>,
    /// Length of the result in `unit`.
    result: Result<usize, Error>,
    /// Whether the content itself is stored.
    pub(super) raw: bool,
    /// Of what is stored.
    pub(super) crc: u32,
}

impl Task {
    /// # Errors
    ///
    /// There is not so much memory.
    pub(super) fn new(chunk_len: usize, bound: usize) -> Result<Self, TryReserveError> {
        let (mut content, mut unit) = (Vec::new(), Vec::new());
        content.try_reserve_exact(chunk_len)?;
        unit.try_reserve_exact(bound)?;
        unit.resize(bound, 0);
        Ok(Self {
            content,
            content_len: 0,
            unit,
            result: Err(Error::new(
                ErrorKind::InvalidArgument,
                ProviderId::new("not run"),
            )),
            raw: false,
            crc: 0,
        })
    }

    /// Compresses the content; a result that is too long makes it a raw chunk.
    ///
    /// The room is always that for the longest result: with less, providers that need the bound
    /// would leave the work to software.
    pub(super) fn run(&mut self, session: &mut dyn CompressSession, how: &Compress) {
        self.content_len = self.content.len();
        self.result = if self.content.is_empty() && how.format == Format::Zlib {
            // As Cassandra's Deflate does: nothing of nothing.
            Ok(0)
        } else {
            session
                .compress(&self.content, &mut self.unit)
                .and_then(|len| how.believed(len, self.unit.len(), self.content_len))
        };
        self.raw = self.result.is_ok_and(|len| len >= how.max);
        if self.raw {
            // Only the last chunk can be shorter than `max`.
            let raw_len = CompressionInfo::raw_len(self.content_len, how.max);
            self.content.resize(raw_len, 0);
        }
        self.crc = self.stored().map_or(0, crc32fast::hash);
    }

    /// What goes to the file.
    pub(super) fn stored(&self) -> Result<&[u8], Error> {
        let len = self.result?;
        if self.raw {
            return Ok(&self.content);
        }
        // It fits: such a length is all that is believed.
        Ok(self.unit.get(..len).unwrap_or_default())
    }

    pub(super) fn clear(&mut self) {
        self.content.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        assert!(Task::new(16, usize::MAX).is_err());
        assert!(Task::new(usize::MAX, 16).is_err());
        assert!(Task::new(16, 64).is_ok());
    }
}

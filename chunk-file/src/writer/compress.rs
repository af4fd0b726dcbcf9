use compressor::{CompressSession, Error, ErrorKind, Format, ProviderId};

use crate::CompressionInfo;

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
    pub(super) fn new(chunk_len: usize, bound: usize) -> Self {
        Self {
            content: Vec::with_capacity(chunk_len),
            content_len: 0,
            unit: vec![0; bound],
            result: Err(Error::new(
                ErrorKind::InvalidArgument,
                ProviderId::new("not run"),
            )),
            raw: false,
            crc: 0,
        }
    }

    /// Compresses the content; a result of `max` bytes or more makes it a raw chunk.
    ///
    /// The room is always that for the longest result: with less, providers that need the bound
    /// would leave the work to software.
    pub(super) fn run(&mut self, session: &mut dyn CompressSession, format: Format, max: usize) {
        self.content_len = self.content.len();
        self.result = if self.content.is_empty() && format == Format::Zlib {
            // As Cassandra's Deflate does: nothing of nothing.
            Ok(0)
        } else {
            session.compress(&self.content, &mut self.unit)
        };
        self.raw = self.result.is_ok_and(|len| len >= max);
        if self.raw {
            // Only the last chunk can be shorter than `max`.
            let raw_len = CompressionInfo::raw_len(self.content_len, max);
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
        self.unit
            .get(..len)
            .ok_or(Error::new(ErrorKind::Device, ProviderId::new("chunk-file")))
    }

    pub(super) fn clear(&mut self) {
        self.content.clear();
    }
}

use serde::Serialize;

use crate::{Error, Reader};

/// A chunk that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BadChunk {
    /// Which one, from 0.
    pub chunk: u64,
    /// Where it begins in the data file.
    pub offset: u64,
    /// Bytes in the data file, its CRC not among them.
    pub stored_len: u64,
    /// The [`kind_name`](Error::kind_name) of what is wrong.
    pub kind: &'static str,
    /// The error in words.
    pub error: String,
}

/// What came of looking at every chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verified {
    /// Chunks looked at: all.
    pub chunks: u64,
    /// Those among them that cannot be read, in order.
    pub bad: Vec<BadChunk>,
    /// Bytes of content in those that can.
    pub good_bytes: u64,
}

impl Reader {
    /// Checks every CRC and decodes every chunk, whatever the chance and the cache of this reader.
    ///
    /// `progress` is told after each chunk how many are done.
    pub fn verify(&self, mut progress: impl FnMut(u64)) -> Verified {
        let mut verified = Verified::default();
        let (mut stored, mut content) = (Vec::new(), Vec::new());
        for chunk in self.info().chunks() {
            match self.verify_chunk(chunk, &mut stored, &mut content) {
                Ok(()) => verified.good_bytes += chunk.content_len as u64,
                Err(error) => verified.bad.push(bad(chunk, &error)),
            }
            verified.chunks += 1;
            progress(verified.chunks);
        }
        verified
    }
}

fn bad(chunk: crate::Chunk, error: &Error) -> BadChunk {
    BadChunk {
        chunk: chunk.index,
        offset: chunk.offset,
        stored_len: chunk.stored_len as u64,
        kind: error.kind_name(),
        error: error.to_string(),
    }
}

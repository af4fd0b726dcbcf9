//! How rows are laid out: like an SSTable's, without being any engine's format.
//!
//! All integers are big-endian, so that keys sort as bytes do. That costs the compressor nothing,
//! but it puts the bytes that change at the end of a field and the constant ones at its beginning,
//! where they continue the match before.

/// A row has a write time, and no deletion.
const ROW_LIVE: u8 = 0x24;
/// A partition follows.
const PARTITION: u8 = 0x01;
/// A cell has a value and takes its write time from the row.
const CELL_VALUE: u8 = 0x08;

/// Writes a partition's header: flags, a length-prefixed key made of length-prefixed parts, each
/// closed by a zero byte, and the mark of a partition that was not deleted.
pub(super) fn partition(key: &[&str], out: &mut Vec<u8>) {
    let mut joined = Vec::new();
    for part in key {
        short(part.as_bytes(), &mut joined);
        joined.push(0);
    }
    out.push(PARTITION);
    short(&joined, out);
    out.extend_from_slice(&i32::MAX.to_be_bytes());
    out.extend_from_slice(&i64::MIN.to_be_bytes());
}

/// One row: flags, clustering timestamp (ms), body length, write time (µs), cells.
pub(super) struct Row {
    clustering_ms: u64,
    body: Vec<u8>,
}

impl Row {
    /// Starts a row that was written `lag_us` microseconds after the moment it is about, in ms
    /// since 1970.
    pub(super) fn new(clustering_ms: u64, lag_us: u64) -> Self {
        let body = (clustering_ms * 1000 + lag_us).to_be_bytes().to_vec();
        Self {
            clustering_ms,
            body,
        }
    }

    /// Adds a cell: flags, length, value.
    pub(super) fn cell(&mut self, value: &[u8]) -> &mut Self {
        self.body.push(CELL_VALUE);
        short(value, &mut self.body);
        self
    }

    /// Appends the finished row.
    pub(super) fn append_to(&self, out: &mut Vec<u8>) {
        out.push(ROW_LIVE);
        out.extend_from_slice(&self.clustering_ms.to_be_bytes());
        short(&self.body, out);
    }
}

/// Writes `bytes` after their length in two bytes. What is longer than that can hold is cut, which
/// no set comes near.
fn short(bytes: &[u8], out: &mut Vec<u8>) {
    let len = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&len.to_be_bytes());
    out.extend(bytes.iter().take(len.into()));
}

//! The `random` set: what cannot be compressed.
//!
//! Encrypted columns, images and archives reach the compressor too, and a good one gives up on them
//! quickly and expands them little. zlib and zstd add a few bytes a block; an engine then stores
//! the block as it is.

use super::Records;
use super::draw::Draw;

/// Words of the stream as they come, little-endian.
pub(super) struct Random;

impl Records for Random {
    fn append_next(&mut self, draw: &mut Draw, out: &mut Vec<u8>) {
        out.extend_from_slice(&draw.word().to_le_bytes());
    }
}

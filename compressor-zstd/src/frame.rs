//! The structure of one frame: header, chain of blocks, trailer. Nothing is decoded.

use std::ops::RangeInclusive;

use compressor_api::Format;
use compressor_api::inspect::{self, Malformed};

/// No block is larger, compressed or not (RFC 8878, section 3.1.1.2.3).
const BLOCK_MAX: u64 = 128 << 10;

/// Bytes of the checksum behind the last block.
const CHECKSUM_LEN: usize = 4;

/// What a frame says before it is decoded: the header's claims, held against its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The content's length, if the header declares one; one that the blocks can hold.
    pub(crate) declared_len: Option<u64>,
    /// The dictionary that the frame names.
    pub(crate) dictionary_id: Option<u32>,
    /// The lengths that the blocks can decode to.
    pub(crate) possible_len: RangeInclusive<u64>,
}

impl Frame {
    /// Walks the one frame that `src` must be.
    ///
    /// # Errors
    ///
    /// [`Malformed`]: `src` is not exactly one frame, a block is reserved or larger than a block may
    /// be, or the declared length is none that the blocks can hold.
    pub(crate) fn read(src: &[u8]) -> Result<Self, Malformed> {
        let header = inspect::header(Format::Zstd, src)?;
        let block_max = header.window.unwrap_or(u64::MAX).min(BLOCK_MAX);
        let mut rest = src.get(header.len..).ok_or(Malformed::Truncated)?;
        let (mut least, mut most) = (0_u64, 0_u64);
        loop {
            let (block, body) = Block::read(rest)?;
            if block.size > block_max {
                return Err(Malformed::Implausible);
            }
            let (block_least, block_most, body_len) = match block.kind {
                Kind::Raw => (block.size, block.size, block.size),
                Kind::RunLength => (block.size, block.size, 1),
                Kind::Compressed => (0, block_max, block.size),
            };
            least = least.saturating_add(block_least);
            most = most.saturating_add(block_most);
            rest = usize::try_from(body_len)
                .ok()
                .and_then(|len| body.get(len..))
                .ok_or(Malformed::Truncated)?;
            if block.last {
                break;
            }
        }

        let trailer = if header.checksum { CHECKSUM_LEN } else { 0 };
        if rest.len() < trailer {
            return Err(Malformed::Truncated);
        }
        if rest.len() > trailer {
            return Err(Malformed::OutOfBounds);
        }
        let possible_len = least..=most;
        match header.declared_len {
            Some(declared) if !possible_len.contains(&declared) => Err(Malformed::Length),
            declared_len => Ok(Self {
                declared_len,
                dictionary_id: header.dictionary_id,
                possible_len,
            }),
        }
    }
}

struct Block {
    last: bool,
    kind: Kind,
    /// Length of the body; of the content, for [`Kind::RunLength`].
    size: u64,
}

enum Kind {
    Raw,
    RunLength,
    Compressed,
}

impl Block {
    /// The block header at the start of `src`, and what follows it.
    fn read(src: &[u8]) -> Result<(Self, &[u8]), Malformed> {
        let (&[a, b, c], rest) = src.split_first_chunk().ok_or(Malformed::Truncated)?;
        let bits = u32::from_le_bytes([a, b, c, 0]);
        let kind = match bits >> 1 & 3 {
            0 => Kind::Raw,
            1 => Kind::RunLength,
            2 => Kind::Compressed,
            _ => return Err(Malformed::Reserved),
        };
        let block = Self {
            last: bits & 1 != 0,
            kind,
            size: u64::from(bits >> 3),
        };
        Ok((block, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Single segment, no checksum, content size of one byte.
    fn frame(declared: u8, blocks: &[u8]) -> Result<Frame, Malformed> {
        let header = [0x28, 0xB5, 0x2F, 0xFD, 0x20, declared];
        Frame::read(&[&header[..], blocks].concat())
    }

    #[test]
    fn blocks_bound_the_content() {
        let raw = [0x29, 0, 0, b'h', b'e', b'l', b'l', b'o'];
        assert_eq!(frame(5, &raw).unwrap().possible_len, 5..=5);
        let run = [0x2B, 0, 0, b'a'];
        assert_eq!(frame(5, &run).unwrap().possible_len, 5..=5);
        let compressed = [0x15, 0, 0, 1, 2];
        assert_eq!(frame(5, &compressed).unwrap().possible_len, 0..=5);
        let three = [&[0x28, 0, 0][..], b"hello", &[0x0C, 0, 0, 9], &run].concat();
        assert_eq!(frame(20, &three).unwrap().possible_len, 10..=30);
    }

    #[test]
    fn each_fault_has_its_name() {
        let raw = [0x29, 0, 0, b'h', b'e', b'l', b'l', b'o'];
        for end in 0..raw.len() {
            assert_eq!(frame(5, &raw[..end]), Err(Malformed::Truncated));
        }
        let twice = [&raw[..], &raw].concat();
        assert_eq!(frame(10, &twice), Err(Malformed::OutOfBounds));
        assert_eq!(frame(6, &raw), Err(Malformed::Length));
        assert_eq!(frame(4, &raw), Err(Malformed::Implausible));
        assert_eq!(frame(5, &[0x2F, 0, 0, b'a']), Err(Malformed::Reserved));
    }

    #[test]
    fn no_block_is_larger_than_128_kib() {
        let run = |size: u32| {
            let [a, b, c, _] = (size << 3 | 3).to_le_bytes();
            // No single segment: a window of 1 MiB, no content size.
            Frame::read(&[0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x50, a, b, c, 7])
        };
        assert_eq!(run(128 << 10).unwrap().possible_len, 128 << 10..=128 << 10);
        assert_eq!(run((128 << 10) + 1), Err(Malformed::Implausible));
    }
}

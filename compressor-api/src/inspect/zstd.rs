//! The structure of one Zstandard frame (RFC 8878, section 3.1.1): header, chain of blocks, trailer.
//! Nothing is decoded.

use std::ops::RangeInclusive;

use super::{Header, Malformed, bytes};

const MAGIC: u32 = 0xFD2F_B528;

/// No block is larger, compressed or not (section 3.1.1.2.3).
const BLOCK_MAX: u64 = 128 << 10;

/// Bytes of the checksum behind the last block.
const CHECKSUM_LEN: usize = 4;

/// What a frame says before it is decoded: the header's claims, held against its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Walked {
    /// The header. The content's length, if it declares one, is one that the blocks can hold.
    pub header: Header,
    /// The lengths that the blocks can decode to.
    pub possible_len: RangeInclusive<u64>,
}

/// Walks the one frame that `src` must be.
///
/// # Errors
///
/// [`Malformed`]: `src` is not exactly one frame, a block is reserved or larger than a block may
/// be, or the declared length is none that the blocks can hold.
pub fn walk(src: &[u8]) -> Result<Walked, Malformed> {
    let header = header(src)?;
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
        _ => Ok(Walked {
            header,
            possible_len,
        }),
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

pub(super) fn header(src: &[u8]) -> Result<Header, Malformed> {
    // A skippable frame has other magic numbers: it is no unit.
    if u32::from_le_bytes(bytes(src, 0)?) != MAGIC {
        return Err(Malformed::Magic);
    }
    let [descriptor] = bytes(src, 4)?;
    if descriptor & 1 << 3 != 0 {
        return Err(Malformed::Reserved);
    }
    let single_segment = descriptor & 1 << 5 != 0;
    let mut at = 5;

    let described_window = if single_segment {
        None
    } else {
        let [byte] = bytes(src, at)?;
        at += 1;
        let base = 1_u64 << (10 + (byte >> 3));
        Some(base + base / 8 * u64::from(byte & 7))
    };

    let dictionary_id = match descriptor & 3 {
        0 => 0,
        1 => u32::from(field::<1>(src, &mut at)?[0]),
        2 => u32::from(u16::from_le_bytes(field(src, &mut at)?)),
        _ => u32::from_le_bytes(field(src, &mut at)?),
    };

    let declared_len = match (descriptor >> 6, single_segment) {
        (0, false) => None,
        (0, true) => Some(u64::from(field::<1>(src, &mut at)?[0])),
        (1, _) => Some(u64::from(u16::from_le_bytes(field(src, &mut at)?)) + 256),
        (2, _) => Some(u64::from(u32::from_le_bytes(field(src, &mut at)?))),
        (_, _) => Some(u64::from_le_bytes(field(src, &mut at)?)),
    };

    Ok(Header {
        len: at,
        declared_len,
        window: described_window.or(declared_len),
        checksum: descriptor & 1 << 2 != 0,
        dictionary_id: (dictionary_id != 0).then_some(dictionary_id),
    })
}

/// The next `N` bytes.
fn field<const N: usize>(src: &[u8], at: &mut usize) -> Result<[u8; N], Malformed> {
    let field = bytes(src, *at)?;
    *at += N;
    Ok(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tail: &[u8]) -> Result<Header, Malformed> {
        header(&[&MAGIC.to_le_bytes()[..], tail].concat())
    }

    #[test]
    fn fields_are_read_at_every_width() {
        let read = |tail: &[u8]| {
            let header = frame(tail).unwrap();
            assert_eq!(header.len, 4 + tail.len());
            (header.declared_len, header.window, header.dictionary_id)
        };
        assert_eq!(read(&[0b0010_0000, 5]), (Some(5), Some(5), None));
        assert_eq!(read(&[0b0000_0000, 0x58]), (None, Some(2 << 20), None));
        assert_eq!(
            read(&[0b0000_0000, 0x07]),
            (None, Some(1024 + 128 * 7), None)
        );
        assert_eq!(read(&[0b0110_0000, 1, 1]), (Some(513), Some(513), None));
        assert_eq!(
            read(&[0b0100_0001, 0, 9, 0, 0]),
            (Some(256), Some(1024), Some(9))
        );
        assert_eq!(read(&[0b0010_0010, 1, 1, 7]), (Some(7), Some(7), Some(257)));
        assert_eq!(
            read(&[0b1010_0011, 1, 0, 0, 1, 4, 0, 0, 0]),
            (Some(4), Some(4), Some(0x0100_0001))
        );
        assert_eq!(
            read(&[0b1110_0000, 0, 0, 0, 0, 1, 0, 0, 0]),
            (Some(1 << 32), Some(1 << 32), None)
        );
    }

    #[test]
    fn the_checksum_flag_is_read() {
        assert!(frame(&[0b0010_0100, 5]).unwrap().checksum);
        assert!(!frame(&[0b0010_0000, 5]).unwrap().checksum);
    }

    #[test]
    fn each_fault_has_its_name() {
        assert_eq!(header(b"\x28\xb5\x2f"), Err(Malformed::Truncated));
        assert_eq!(header(b"\x50\x2a\x4d\x18\0\0\0\0"), Err(Malformed::Magic));
        assert_eq!(frame(&[]), Err(Malformed::Truncated));
        assert_eq!(frame(&[0b0010_1000, 5]), Err(Malformed::Reserved));
        assert_eq!(
            frame(&[0b1110_0000, 0, 0, 0, 0, 1, 0, 0]),
            Err(Malformed::Truncated)
        );
        assert_eq!(frame(&[0b0000_0000]), Err(Malformed::Truncated));
    }

    /// Single segment, no checksum, content size of one byte.
    fn walked(declared: u8, blocks: &[u8]) -> Result<Walked, Malformed> {
        let header = [0x28, 0xB5, 0x2F, 0xFD, 0x20, declared];
        walk(&[&header[..], blocks].concat())
    }

    #[test]
    fn blocks_bound_the_content() {
        let raw = [0x29, 0, 0, b'h', b'e', b'l', b'l', b'o'];
        assert_eq!(walked(5, &raw).unwrap().possible_len, 5..=5);
        let run = [0x2B, 0, 0, b'a'];
        assert_eq!(walked(5, &run).unwrap().possible_len, 5..=5);
        let compressed = [0x15, 0, 0, 1, 2];
        assert_eq!(walked(5, &compressed).unwrap().possible_len, 0..=5);
        let three = [&[0x28, 0, 0][..], b"hello", &[0x0C, 0, 0, 9], &run].concat();
        assert_eq!(walked(20, &three).unwrap().possible_len, 10..=30);
    }

    #[test]
    fn blocks_that_are_none_are_told_apart() {
        let raw = [0x29, 0, 0, b'h', b'e', b'l', b'l', b'o'];
        for end in 0..raw.len() {
            assert_eq!(walked(5, &raw[..end]), Err(Malformed::Truncated));
        }
        let twice = [&raw[..], &raw].concat();
        assert_eq!(walked(10, &twice), Err(Malformed::OutOfBounds));
        assert_eq!(walked(6, &raw), Err(Malformed::Length));
        assert_eq!(walked(4, &raw), Err(Malformed::Implausible));
        assert_eq!(walked(5, &[0x2F, 0, 0, b'a']), Err(Malformed::Reserved));
    }

    #[test]
    fn no_block_is_larger_than_128_kib() {
        let run = |size: u32| {
            let [a, b, c, _] = (size << 3 | 3).to_le_bytes();
            // No single segment: a window of 1 MiB, no content size.
            walk(&[0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x50, a, b, c, 7])
        };
        assert_eq!(run(128 << 10).unwrap().possible_len, 128 << 10..=128 << 10);
        assert_eq!(run((128 << 10) + 1), Err(Malformed::Implausible));
    }
}

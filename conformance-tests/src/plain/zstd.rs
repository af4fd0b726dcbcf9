//! Zstandard frames (RFC 8878) of raw and run-length blocks.

use super::{Content, Reading};

const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Most content of one block.
const MAX_BLOCK: usize = 128 << 10;

pub(super) fn read(src: &[u8], limit: usize) -> Result<Content, Reading> {
    let mut content = Content::default();
    let mut rest = src.strip_prefix(&MAGIC).ok_or(content.corrupt())?;
    let header = header(&mut rest).ok_or(content.corrupt())?;
    if header.dictionary {
        return Err(Reading::NeedsDictionary);
    }
    let mut lax = false;
    loop {
        let corrupt = || content.corrupt();
        let [a, b, c] = take(&mut rest).ok_or_else(corrupt)?;
        let block = usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16;
        let (last, kind, size) = (block & 1 == 1, block >> 1 & 3, block >> 3);
        lax |= size > header.max_block;
        match kind {
            0 => {
                let (raw, after) = rest.split_at_checked(size).ok_or_else(corrupt)?;
                rest = after;
                content.literals(raw, limit)?;
            }
            1 => {
                let [byte] = take(&mut rest).ok_or_else(corrupt)?;
                if size > limit.saturating_sub(content.bytes.len()) {
                    return Err(Reading::TooLong);
                }
                content.bytes.resize(content.bytes.len() + size, byte);
            }
            2 => return Err(Reading::Unknown),
            _ => return Err(content.corrupt()),
        }
        if last {
            break;
        }
    }
    let stored = if header.checksum {
        let stored: [u8; 4] = take(&mut rest).ok_or_else(|| content.corrupt())?;
        Some(stored)
    } else {
        None
    };
    let intact = rest.is_empty()
        && stored.is_none_or(|stored| stored == checksum(&content.bytes))
        && header.len.is_none_or(|len| len == content.bytes.len());
    match (intact, lax) {
        (false, _) => Err(content.corrupt()),
        (true, true) => Err(Reading::Lax(content)),
        (true, false) => Ok(content),
    }
}

struct Header {
    len: Option<usize>,
    max_block: usize,
    checksum: bool,
    dictionary: bool,
}

/// Section 3.1.1.1, after the magic number.
fn header(rest: &mut &[u8]) -> Option<Header> {
    let [descriptor] = take(rest)?;
    if descriptor >> 3 & 1 == 1 {
        return None;
    }
    let single_segment = descriptor >> 5 & 1 == 1;
    let window = match single_segment {
        true => None,
        false => {
            let [byte] = take(rest)?;
            let base = 1_u64 << (10 + (byte >> 3));
            Some(base + base / 8 * u64::from(byte & 7))
        }
    };
    let id = number(rest, [0, 1, 2, 4], descriptor & 3)?;
    let widths = [usize::from(single_segment), 2, 4, 8];
    let len = match (descriptor >> 6, single_segment) {
        (0, false) => None,
        // Two bytes start where one byte ends.
        (1, _) => Some(number(rest, widths, 1)? + 256),
        (width, _) => Some(number(rest, widths, width)?),
    };
    let window = window.or(len).unwrap_or(0);
    Some(Header {
        len: match len {
            Some(len) => Some(usize::try_from(len).ok()?),
            None => None,
        },
        max_block: usize::try_from(window).map_or(MAX_BLOCK, |window| window.min(MAX_BLOCK)),
        checksum: descriptor >> 2 & 1 == 1,
        dictionary: id != 0,
    })
}

/// A little-endian number in as many bytes as the flag says.
fn number(rest: &mut &[u8], widths: [usize; 4], flag: u8) -> Option<u64> {
    let width = *widths.get(usize::from(flag))?;
    let (field, after) = rest.split_at_checked(width)?;
    *rest = after;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte)),
    )
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*taken)
}

/// A frame in one segment, of raw blocks and runs, with content size and, if asked for, checksum.
pub(crate) fn write(content: &[u8], with_checksum: bool) -> Vec<u8> {
    let mut unit = MAGIC.to_vec();
    // Single segment, and the widest content size.
    unit.push(0b1110_0000 | u8::from(with_checksum) << 2);
    unit.extend_from_slice(&(content.len() as u64).to_le_bytes());
    let mut blocks = content.chunks(MAX_BLOCK).peekable();
    if content.is_empty() {
        block(0, true, 0, &[], &mut unit);
    }
    while let Some(bytes) = blocks.next() {
        let last = blocks.peek().is_none();
        match bytes {
            [first, rest @ ..] if rest.len() > 3 && rest.iter().all(|byte| byte == first) => {
                block(1, last, bytes.len(), &[*first], &mut unit);
            }
            _ => block(0, last, bytes.len(), bytes, &mut unit),
        }
    }
    if with_checksum {
        unit.extend_from_slice(&checksum(content));
    }
    unit
}

fn block(kind: usize, last: bool, size: usize, bytes: &[u8], unit: &mut Vec<u8>) {
    let [a, b, c, ..] = (usize::from(last) | kind << 1 | size << 3).to_le_bytes();
    unit.extend_from_slice(&[a, b, c]);
    unit.extend_from_slice(bytes);
}

/// The low half of the content's XXH64 with seed 0 (section 3.1.1).
fn checksum(content: &[u8]) -> [u8; 4] {
    (xxh64(content) as u32).to_le_bytes()
}

fn xxh64(content: &[u8]) -> u64 {
    const P1: u64 = 0x9E37_79B1_85EB_CA87;
    const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
    const P3: u64 = 0x1656_67B1_9E37_79F9;
    const P4: u64 = 0x85EB_CA77_C2B2_AE63;
    const P5: u64 = 0x27D4_EB2F_1656_67C5;
    fn round(lane: u64, input: u64) -> u64 {
        lane.wrapping_add(input.wrapping_mul(P2))
            .rotate_left(31)
            .wrapping_mul(P1)
    }

    let mut rest = content;
    let mut hash = P5;
    if content.len() >= 32 {
        let mut lanes = [P1.wrapping_add(P2), P2, 0, 0_u64.wrapping_sub(P1)];
        while let Some((stripe, after)) = rest.split_first_chunk::<32>() {
            rest = after;
            for (lane, input) in lanes.iter_mut().zip(stripe.as_chunks::<8>().0) {
                *lane = round(*lane, u64::from_le_bytes(*input));
            }
        }
        let [a, b, c, d] = lanes;
        hash = a
            .rotate_left(1)
            .wrapping_add(b.rotate_left(7))
            .wrapping_add(c.rotate_left(12))
            .wrapping_add(d.rotate_left(18));
        for lane in lanes {
            hash = (hash ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4);
        }
    }
    hash = hash.wrapping_add(content.len() as u64);
    while let Some((input, after)) = rest.split_first_chunk::<8>() {
        rest = after;
        hash ^= round(0, u64::from_le_bytes(*input));
        hash = hash.rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    if let Some((input, after)) = rest.split_first_chunk::<4>() {
        rest = after;
        hash ^= u64::from(u32::from_le_bytes(*input)).wrapping_mul(P1);
        hash = hash.rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    }
    for byte in rest {
        hash ^= u64::from(*byte).wrapping_mul(P5);
        hash = hash.rotate_left(11).wrapping_mul(P1);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(P2);
    hash = (hash ^ (hash >> 29)).wrapping_mul(P3);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(xxh64(b""), 0xEF46_DB37_51D8_E999);
        assert_eq!(xxh64(b"abc"), 0x44BC_2CF5_AD77_0999);
        // Written by the reference library.
        assert_eq!(checksum(b"hello"), [0xA3, 0x6D, 0x9F, 0x88]);
    }

    #[test]
    fn a_frame_of_the_reference_library_is_read() {
        let frame = b"\x28\xb5\x2f\xfd\x24\x05\x29\0\0hello\xa3\x6d\x9f\x88";
        assert_eq!(read(frame, 100).unwrap().bytes, b"hello");
        for at in [0, 4, 5, 6, 9, 17] {
            let mut changed = frame.to_vec();
            changed[at] ^= 0x08;
            assert!(read(&changed, 100).is_err(), "byte {at}");
        }
        assert!(read(&frame[..17], 100).is_err());
        assert!(read(&[&frame[..], b"\0"].concat(), 100).is_err());
    }

    #[test]
    fn dictionaries_and_other_frames_are_told_apart() {
        let needs = b"\x28\xb5\x2f\xfd\x21\x07\x05\x29\0\0hello";
        assert_eq!(read(needs, 100), Err(Reading::NeedsDictionary));
        let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0\xaa\xbb\xcc\xdd";
        assert_eq!(read(skippable, 100), Err(Reading::Corrupt { produced: 0 }));
    }
}

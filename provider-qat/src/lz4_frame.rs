//! LZ4's frame around one block: what QATzip writes and reads where engines keep the block alone.
//!
//! The frame format is version 1.6.4 of its specification: magic number, descriptor, blocks with
//! their lengths, end mark, and checksums that are there or not.

use compressor_api::inspect::Malformed;
use xxhash_rust::xxh32::xxh32;

const MAGIC: [u8; 4] = 0x184D_2204_u32.to_le_bytes();

/// Version 1 in the two highest bits of FLG.
const VERSION: u8 = 0b0100_0000;
const VERSION_BITS: u8 = 0b1100_0000;
const INDEPENDENT: u8 = 1 << 5;
const BLOCK_CHECKSUM: u8 = 1 << 4;
const CONTENT_SIZE: u8 = 1 << 3;
const CONTENT_CHECKSUM: u8 = 1 << 2;
const RESERVED: u8 = 1 << 1;
const DICTIONARY: u8 = 1;

/// The bit of a block's length that says that the block is not compressed.
const STORED: u32 = 1 << 31;

/// Bytes before the block, as written here: magic, FLG, BD, content size, header checksum, length.
pub(crate) const HEAD: usize = 4 + 1 + 1 + 8 + 1 + 4;

/// Bytes after the block, as written here: the end mark.
pub(crate) const TAIL: [u8; 4] = [0; 4];

/// What is in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block<'a> {
    /// One raw LZ4 block.
    Compressed(&'a [u8]),
    /// The content itself.
    Stored(&'a [u8]),
}

/// Takes the block out of a frame that holds exactly one, declares `content_len`, and is all of
/// `frame`.
///
/// # Errors
///
/// How `frame` is not such a frame. A checksum over the content is not compared: it covers what was
/// just given to the device.
pub(crate) fn block(frame: &[u8], content_len: usize) -> Result<Block<'_>, Malformed> {
    let mut rest = frame;
    if take(&mut rest)? != MAGIC {
        return Err(Malformed::Magic);
    }
    let descriptor = rest;
    let [flg, bd] = take(&mut rest)?;
    if flg & VERSION_BITS != VERSION || flg & (RESERVED | DICTIONARY) != 0 || bd & 0x8F != 0 {
        return Err(Malformed::Reserved);
    }
    if flg & CONTENT_SIZE != 0 && u64::from_le_bytes(take(&mut rest)?) != content_len as u64 {
        return Err(Malformed::Length);
    }
    let described = descriptor.len() - rest.len();
    let described = descriptor.get(..described).ok_or(Malformed::Truncated)?;
    if take(&mut rest)? != [header_checksum(described)] {
        return Err(Malformed::Checksum);
    }
    let len = u32::from_le_bytes(take(&mut rest)?);
    let block = (len & !STORED) as usize;
    let (block, after) = rest.split_at_checked(block).ok_or(Malformed::Truncated)?;
    rest = after;
    if flg & BLOCK_CHECKSUM != 0 {
        let _: [u8; 4] = take(&mut rest)?;
    }
    // A second block here would be one that may lean on the first.
    if take(&mut rest)? != TAIL {
        return Err(Malformed::OutOfBounds);
    }
    if flg & CONTENT_CHECKSUM != 0 {
        let _: [u8; 4] = take(&mut rest)?;
    }
    match (rest, len & STORED) {
        ([], 0) => Ok(Block::Compressed(block)),
        ([], _) if block.len() == content_len => Ok(Block::Stored(block)),
        ([], _) => Err(Malformed::Length),
        _ => Err(Malformed::OutOfBounds),
    }
}

/// Whether these bytes begin a frame, where a block was asked for.
pub(crate) fn is_frame(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// What stands before a block of `block_len` bytes with content of `content_len` bytes; [`TAIL`]
/// stands after it.
pub(crate) fn head(block_len: usize, content_len: usize) -> Option<[u8; HEAD]> {
    let block_len = u32::try_from(block_len)
        .ok()
        .filter(|len| len & STORED == 0)?;
    let mut head = [0; HEAD];
    let (magic, rest) = head.split_first_chunk_mut::<4>()?;
    *magic = MAGIC;
    let (descriptor, rest) = rest.split_first_chunk_mut::<10>()?;
    let [flg, bd, size @ ..] = descriptor;
    *flg = VERSION | INDEPENDENT | CONTENT_SIZE;
    // The least of the maximum block lengths that is enough.
    *bd = match content_len {
        ..=0x1_0000 => 4,
        0x1_0001..=0x4_0000 => 5,
        0x4_0001..=0x10_0000 => 6,
        _ => 7,
    } << 4;
    size.copy_from_slice(&(content_len as u64).to_le_bytes());
    let checksum = header_checksum(descriptor);
    let (place, rest) = rest.split_first_mut()?;
    *place = checksum;
    *rest.first_chunk_mut::<4>()? = block_len.to_le_bytes();
    Some(head)
}

/// Writes `content` as a raw LZ4 block of literals alone; its length, `None` if it does not fit.
pub(crate) fn literals(content: &[u8], dst: &mut [u8]) -> Option<usize> {
    let len = content.len();
    let mut at = 0;
    let mut put = |byte: u8| {
        *dst.get_mut(at)? = byte;
        at += 1;
        Some(())
    };
    match len.checked_sub(15) {
        None => put((len as u8) << 4)?,
        Some(mut more) => {
            put(0xF0)?;
            while let Some(left) = more.checked_sub(255) {
                put(255)?;
                more = left;
            }
            put(more as u8)?;
        }
    }
    let end = at.checked_add(len)?;
    dst.get_mut(at..end)?.copy_from_slice(content);
    Some(end)
}

/// The second byte of the xxHash of the descriptor.
fn header_checksum(descriptor: &[u8]) -> u8 {
    (xxh32(descriptor, 0) >> 8) as u8
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Malformed> {
    let (bytes, after) = rest.split_first_chunk().ok_or(Malformed::Truncated)?;
    *rest = after;
    Ok(*bytes)
}

#[cfg(test)]
mod tests {
    use compressor_api::inspect::lz4;

    use super::*;

    fn frame(block: &[u8], content_len: usize) -> Vec<u8> {
        [&head(block.len(), content_len).unwrap()[..], block, &TAIL].concat()
    }

    /// As `lz4 --content-size --no-frame-crc` writes the five letters.
    const HELLO: &[u8] = b"\x04\x22\x4d\x18\x68\x40\x05\0\0\0\0\0\0\0\x61\x05\0\0\x80hello\0\0\0\0";

    #[test]
    fn a_block_goes_in_and_comes_out() {
        let raw = b"\x50hello";
        let made = frame(raw, 5);
        assert_eq!(block(&made, 5), Ok(Block::Compressed(raw)));
        assert_eq!(block(&made, 6), Err(Malformed::Length));
        assert!(is_frame(&made) && !is_frame(raw));
    }

    #[test]
    fn the_header_is_the_reference_tools() {
        assert_eq!(frame(b"\x50hello", 5)[..15], HELLO[..15]);
        assert_eq!(block(HELLO, 5), Ok(Block::Stored(b"hello")));
        let mut wrong = HELLO.to_vec();
        wrong[14] ^= 1;
        assert_eq!(block(&wrong, 5), Err(Malformed::Checksum));
    }

    #[test]
    fn whatever_is_not_one_block_of_that_content_is_refused() {
        let good = frame(b"\x50hello", 5);
        for end in 0..good.len() {
            assert!(block(&good[..end], 5).is_err(), "{end}");
        }
        let more = [&good[..], b"\0"].concat();
        assert_eq!(block(&more, 5), Err(Malformed::OutOfBounds));
        let two = [&good[..good.len() - 4], b"\x01\0\0\0\0\0\0\0\0"].concat();
        assert_eq!(block(&two, 5), Err(Malformed::OutOfBounds));
        assert_eq!(block(b"\x50hello", 5), Err(Malformed::Magic));
        for (at, bit) in [(4, RESERVED), (4, DICTIONARY), (4, 0x80), (5, 1), (5, 0x80)] {
            let mut wrong = good.clone();
            wrong[at] ^= bit;
            assert_eq!(block(&wrong, 5), Err(Malformed::Reserved), "{at} {bit}");
        }
    }

    #[test]
    fn every_length_of_literals_is_a_block() {
        for len in [0, 1, 14, 15, 16, 269, 270, 271, 524, 525, 70_000] {
            let content = vec![7; len];
            let mut dst = vec![0; len + len / 255 + 16];
            let n = literals(&content, &mut dst).unwrap();
            assert_eq!(lz4::content_len(&dst[..n]), Ok(len as u64), "{len}");
            assert!(dst[..n].ends_with(&content));
            assert_eq!(literals(&content, &mut dst[..n]), Some(n));
            assert_eq!(literals(&content, &mut dst[..n - 1]), None, "{len}");
        }
    }

    #[test]
    fn a_frame_says_how_long_its_blocks_may_be() {
        for (len, bd) in [
            (65_536, 0x40),
            (65_537, 0x50),
            (1 << 18, 0x50),
            (1 << 20, 0x60),
        ] {
            assert_eq!(head(9, len).unwrap()[5], bd, "{len}");
        }
        assert_eq!(head(1 << 31, 5), None);
    }
}

//! LZ4 frames of one block: the way to raw blocks for a tool that knows frames alone.
//!
//! Layout, from the LZ4 frame format description 1.6.x: magic number, descriptor (flags, block
//! size, optional content length and dictionary id, header checksum), blocks (4-byte length whose
//! top bit says "not compressed", data, optional checksum), an end mark of four zeros, an optional
//! checksum of the content. All integers little-endian.

/// The magic number, version 01 with independent blocks and no checksums, blocks of up to 4 MiB,
/// and the checksum of these two bytes: the second byte of their XXH32 with seed 0. Constant since
/// nothing in this header varies.
const HEADER: [u8; 7] = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73];

/// The longest content of one block, in bytes.
pub(crate) const MAX_CONTENT: usize = 4 << 20;

/// The top bit of a block's length: the data is not compressed.
const STORED: u32 = 1 << 31;

/// What a frame holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Blocks {
    /// One compressed block.
    One(Vec<u8>),
    /// None: the content is empty.
    Empty,
    /// One block that is not compressed, since it would not have become shorter.
    Stored,
    /// More than one.
    Many,
}

/// A frame around one block.
pub(crate) fn frame(block: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(block.len()).ok().filter(|n| *n < STORED)?;
    Some([&HEADER, &length.to_le_bytes()[..], block, &[0; 4]].concat())
}

/// The blocks of a frame; `None` if that is not one.
pub(crate) fn blocks(frame: &[u8]) -> Option<Blocks> {
    let (magic, rest) = frame.split_first_chunk::<4>()?;
    if magic.as_slice() != HEADER.first_chunk::<4>()? {
        return None;
    }
    let flags = *rest.first()?;
    // Flags, block size, the two optional fields, header checksum.
    let descriptor = 3 + if flags & 8 != 0 { 8 } else { 0 } + if flags & 1 != 0 { 4 } else { 0 };
    let (length, rest) = rest.get(descriptor..)?.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length);
    if length == 0 {
        return Some(Blocks::Empty);
    }
    let (data, rest) = rest.split_at_checked(usize::try_from(length & !STORED).ok()?)?;
    let rest = rest.get(if flags & 0x10 != 0 { 4 } else { 0 }..)?;
    Some(if *rest.first_chunk::<4>()? != [0; 4] {
        Blocks::Many
    } else if length & STORED != 0 {
        Blocks::Stored
    } else {
        Blocks::One(data.to_vec())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_comes_out_as_it_went_in() {
        let framed = frame(b"\x10a").unwrap();
        assert_eq!(blocks(&framed), Some(Blocks::One(b"\x10a".to_vec())));
        for cut in 0..framed.len() {
            assert_eq!(blocks(&framed[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn optional_fields_are_passed_over() {
        // Content length, block checksum and content checksum, as `lz4 --content-size -BX` writes.
        let framed = [
            &[0x04, 0x22, 0x4D, 0x18, 0x7C, 0x70][..],
            &[1, 0, 0, 0, 0, 0, 0, 0, 0x99],
            &[2, 0, 0, 0, 0x10, b'a', 1, 2, 3, 4],
            &[0, 0, 0, 0, 5, 6, 7, 8],
        ]
        .concat();
        assert_eq!(blocks(&framed), Some(Blocks::One(b"\x10a".to_vec())));
    }

    #[test]
    fn what_is_not_one_compressed_block_is_told_apart() {
        let with = |blocks: &[u8]| [&HEADER, blocks].concat();
        assert_eq!(blocks(&with(&[0; 4])), Some(Blocks::Empty));
        let stored = with(&[1, 0, 0, 0x80, b'a', 0, 0, 0, 0]);
        assert_eq!(blocks(&stored), Some(Blocks::Stored));
        let many = with(&[1, 0, 0, 0x80, b'a', 1, 0, 0, 0x80, b'b', 0, 0, 0, 0]);
        assert_eq!(blocks(&many), Some(Blocks::Many));
        assert_eq!(blocks(b"not a frame at all"), None);
    }
}

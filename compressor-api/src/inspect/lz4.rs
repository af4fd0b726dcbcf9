//! The LZ4 block format: sequences of literals and matches, no header.

use super::{Header, Malformed, bytes};

/// Largest match distance that two bytes can say.
pub const MAX_DISTANCE: u64 = 65_535;

/// Shortest match.
const MIN_MATCH: u64 = 4;

pub(super) fn block_header() -> Header {
    Header {
        len: 0,
        declared_len: None,
        window: Some(MAX_DISTANCE),
        checksum: false,
        dictionary_id: None,
    }
}

pub(super) fn sized_header(src: &[u8]) -> Result<Header, Malformed> {
    let declared = u32::from_le_bytes(bytes(src, 0)?);
    Ok(Header {
        len: 4,
        declared_len: Some(u64::from(declared)),
        ..block_header()
    })
}

/// Bytes at the end of the content that are literals in every block that an encoder writes.
const LAST_LITERALS: u64 = 5;

/// Bytes from the last match's start to the content's end, at least, in every such block.
const LAST_MATCH: u64 = 12;

/// What walking a block finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Walked {
    /// The decompressed length.
    pub content_len: u64,
    /// Whether the block ends as the format has it end: the last five bytes are literals, and no
    /// match begins in the last twelve. A decoder may rely on it, and refuse a block that does not;
    /// the LZ4 library does, depending on the room it is given.
    pub ends_well: bool,
}

/// The decompressed length of one raw block, found by walking its sequences without their content.
///
/// Takes a few nanoseconds a sequence, so it is for telling failures apart, not for every call: the
/// LZ4 library has one answer for "does not fit" and "corrupt".
///
/// # Errors
///
/// [`Malformed`], if the block is not one complete block whose every match lies within the content
/// before it.
pub fn content_len(block: &[u8]) -> Result<u64, Malformed> {
    walk(block).map(|walked| walked.content_len)
}

/// Walks the sequences of one raw block, as [`content_len`] does.
///
/// # Errors
///
/// As [`content_len`].
pub fn walk(block: &[u8]) -> Result<Walked, Malformed> {
    let mut rest = block;
    let mut content = 0_u64;
    let mut last_match = None;
    loop {
        let (token, after) = rest.split_first().ok_or(Malformed::Truncated)?;
        rest = after;
        let literals = length(token >> 4, &mut rest)?;
        content += literals;
        rest = usize::try_from(literals)
            .ok()
            .and_then(|literals| rest.get(literals..))
            .ok_or(Malformed::OutOfBounds)?;
        if rest.is_empty() {
            // The last sequence is literals alone.
            return if token & 0x0F == 0 {
                Ok(Walked {
                    content_len: content,
                    ends_well: last_match.is_none_or(|start| {
                        literals >= LAST_LITERALS && content - start >= LAST_MATCH
                    }),
                })
            } else {
                Err(Malformed::Truncated)
            };
        }
        let (distance, after) = rest.split_first_chunk::<2>().ok_or(Malformed::Truncated)?;
        rest = after;
        let distance = u64::from(u16::from_le_bytes(*distance));
        if distance == 0 || distance > content {
            return Err(Malformed::OutOfBounds);
        }
        last_match = Some(content);
        content += length(token & 0x0F, &mut rest)? + MIN_MATCH;
    }
}

/// A length that starts in four bits and goes on in bytes of 255.
fn length(nibble: u8, rest: &mut &[u8]) -> Result<u64, Malformed> {
    let mut length = u64::from(nibble);
    if nibble == 15 {
        loop {
            let (byte, after) = rest.split_first().ok_or(Malformed::Truncated)?;
            *rest = after;
            length += u64::from(*byte);
            if *byte != 255 {
                break;
            }
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_add_up() {
        assert_eq!(content_len(b"\0"), Ok(0));
        assert_eq!(content_len(b"\x50hello"), Ok(5));
        assert_eq!(content_len(&[&[0xF0, 0][..], &[b'x'; 15]].concat()), Ok(15));
        assert_eq!(
            content_len(&[&[0xF0, 255, 2][..], &[b'x'; 272]].concat()),
            Ok(272)
        );
        assert_eq!(
            content_len(b"\x10A\x01\x00\xf0\x05BBBBBBBBBBBBBBBBBBBB"),
            Ok(25)
        );
        assert_eq!(
            content_len(b"\x1fA\x01\x00\xff\x01\x00"),
            Ok(1 + 15 + 255 + 1 + 4)
        );
    }

    #[test]
    fn how_a_block_ends_is_told() {
        let ends_well = |block: &[u8]| walk(block).unwrap().ends_well;
        // Literals alone may be as few as they like.
        assert!(ends_well(b"\0") && ends_well(b"\x10A"));
        // A match of 8 bytes and longer ones, before 5 literals and before 4.
        assert!(ends_well(b"\x14A\x01\x00\x50BBBBB"));
        assert!(!ends_well(b"\x1eA\x01\x00\x40BBBB"));
        assert!(!ends_well(b"\x1eA\x01\x00\x00"));
        // Of 4, which begins 12 bytes before the end, and 11.
        assert!(ends_well(b"\x10A\x01\x00\x80BBBBBBBB"));
        assert!(!ends_well(b"\x10A\x01\x00\x70BBBBBBB"));
    }

    #[test]
    fn each_fault_has_its_name() {
        for (block, fault) in [
            (&b""[..], Malformed::Truncated),
            (b"\x51hello", Malformed::Truncated),
            (b"\x50hell", Malformed::OutOfBounds),
            (b"\xf0\xff\xff\xff\xff", Malformed::Truncated),
            (b"\x10A\x01", Malformed::Truncated),
            (b"\x10A\x01\x00", Malformed::Truncated),
            (b"\x10A\x02\x00\x00", Malformed::OutOfBounds),
            (b"\x10A\x00\x00\x00", Malformed::OutOfBounds),
            (b"\x1fA\x01\x00\xff", Malformed::Truncated),
        ] {
            assert_eq!(content_len(block), Err(fault), "{block:x?}");
        }
    }
}

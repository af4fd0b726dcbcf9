//! A block as RocksDB frames it, and how one call about it ends.

use compressor::{CompressSession, Error, ErrorKind, Format, inspect};

use crate::wanted::BlockType;

/// Bytes that the longest length in front of a block takes (a varint of 32 bits). A built-in
/// compressor that has no more room than that does not try.
const LONGEST_PREFIX: usize = 5;

/// How a call ended, in RocksDB's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// So many bytes were written.
    Done(usize),
    /// Kept raw; whether compression was tried.
    Declined { tried: bool },
    /// The block is not what its type says.
    Corrupt(&'static str),
    /// RocksDB's own code is to serve.
    Stock,
    /// A provider failed, and the policy forbids software to serve.
    Failed(&'static str),
    /// Memory could not be had.
    OutOfMemory(&'static str),
}

impl Outcome {
    /// Of a compression that failed, which is never the fault of any stored data.
    pub(crate) fn of_compression(error: Error) -> Self {
        match error.kind() {
            ErrorKind::OutputTooSmall => Self::Declined { tried: true },
            kind @ ErrorKind::CorruptInput => Self::Failed(kind.name()),
            _ => Self::of_decompression(error),
        }
    }

    /// Of a decompression that failed.
    ///
    /// What this framework refuses, RocksDB's own code may still read or write: its verdict stands.
    pub(crate) fn of_decompression(error: Error) -> Self {
        let kind = error.kind();
        match kind {
            // Too small is what the block itself declares.
            ErrorKind::CorruptInput | ErrorKind::OutputTooSmall => Self::Corrupt(kind.name()),
            ErrorKind::OutOfMemory => Self::OutOfMemory(kind.name()),
            ErrorKind::InvalidArgument | ErrorKind::WrongDictionary | ErrorKind::Unsupported => {
                Self::Stock
            }
            _ => Self::Failed(kind.name()),
        }
    }
}

/// Compresses `src` as a block of `format`: its length, unless the format keeps that itself, then
/// one unit.
pub(crate) fn compress(
    session: &mut dyn CompressSession,
    format: Format,
    src: &[u8],
    dst: &mut [u8],
) -> Result<Outcome, Error> {
    let prefix = if format == Format::Snappy {
        0
    } else {
        match put_length(src.len(), dst) {
            Some(prefix) => prefix,
            None => return Ok(Outcome::Declined { tried: false }),
        }
    };
    // As long as put_length says it is.
    let room = dst.get_mut(prefix..).unwrap_or_default();
    Ok(Outcome::Done(prefix + session.compress(src, room)?))
}

/// Writes a length as RocksDB does (`compress_format_version` 2: a varint of 32 bits); returns how
/// many bytes that took. `None` where a built-in compressor would not try.
fn put_length(length: usize, dst: &mut [u8]) -> Option<usize> {
    if dst.len() <= LONGEST_PREFIX {
        return None;
    }
    let mut rest = u32::try_from(length).ok()?;
    for (at, byte) in dst.iter_mut().enumerate() {
        if rest < 0x80 {
            *byte = rest as u8;
            return Some(at + 1);
        }
        *byte = rest as u8 | 0x80;
        rest >>= 7;
    }
    None
}

/// Whether a block, without the length in front, can hold `declared`: by its length and type, by
/// what a Zstandard frame says itself, and by the 32 bits that lengths have in RocksDB (31 in LZ4's
/// interface), of which alone is known what a type that is not served here may declare.
pub(crate) fn is_plausible(block_type: u8, src: &[u8], declared: u64) -> bool {
    let Some(format) = BlockType::from_byte(block_type).map(BlockType::format) else {
        return declared <= u64::from(u32::MAX);
    };
    let longest = match format {
        Format::Lz4Block => i32::MAX.unsigned_abs(),
        _ => u32::MAX,
    };
    let says = match format {
        Format::Zstd => inspect::header(format, src)
            .ok()
            .and_then(|h| h.declared_len),
        _ => None,
    };
    let most = format.max_expansion();
    declared <= u64::from(longest)
        && says.is_none_or(|says| declared == says)
        && most.is_none_or(|most| declared <= most.saturating_mul(src.len() as u64))
}

#[cfg(test)]
mod tests {
    use compressor::ProviderId;

    use super::*;

    #[test]
    fn lengths_are_varints() {
        for (length, bytes) in [
            (0, &[0][..]),
            (1, &[1]),
            (127, &[127]),
            (128, &[0x80, 1]),
            (4096, &[0x80, 0x20]),
            (16_383, &[0xFF, 0x7F]),
            (16_384, &[0x80, 0x80, 1]),
            (u32::MAX as usize, &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F]),
        ] {
            let mut dst = [0xEE; 6];
            assert_eq!(put_length(length, &mut dst), Some(bytes.len()), "{length}");
            assert_eq!(&dst[..bytes.len()], bytes, "{length}");
            assert!(dst[bytes.len()..].iter().all(|byte| *byte == 0xEE));
        }
    }

    #[test]
    fn what_has_no_room_for_a_length_or_is_too_long_is_not_tried() {
        for room in 0..=5 {
            assert_eq!(put_length(1, &mut vec![0; room]), None);
        }
        assert_eq!(put_length(u32::MAX as usize + 1, &mut [0; 64]), None);
    }

    #[test]
    fn a_block_declares_no_more_than_its_format_can_hold() {
        for (block_type, most) in [(1, 22), (2, 1032), (4, 255), (5, 255), (7, 32 << 10)] {
            let block = [0; 10];
            assert!(is_plausible(block_type, &block, 10 * most), "{block_type}");
            assert!(
                !is_plausible(block_type, &block, 10 * most + 1),
                "{block_type}"
            );
            assert!(is_plausible(block_type, &[], 0), "{block_type}");
            assert!(!is_plausible(block_type, &[], 1), "{block_type}");
            assert!(!is_plausible(block_type, &[0], u64::MAX), "{block_type}");
        }
    }

    #[test]
    fn a_block_declares_no_more_than_lengths_can_say() {
        let long = vec![0; 32 << 20];
        let (lz4, zlib, bzip2) = (4, 2, 3);
        for (block_type, most) in [
            (lz4, 0x7FFF_FFFF),
            (zlib, 0xFFFF_FFFF),
            (bzip2, 0xFFFF_FFFF),
        ] {
            assert!(is_plausible(block_type, &long, most), "{block_type}");
            assert!(!is_plausible(block_type, &long, most + 1), "{block_type}");
        }
    }

    #[test]
    fn a_block_declares_what_its_frame_declares() {
        let zstd = 7;
        // One raw block of five bytes; the header says how many there are.
        let frame = b"\x28\xB5\x2F\xFD\x20\x05\x29\x00\x00hello";
        assert!(is_plausible(zstd, frame, 5));
        assert!(!is_plausible(zstd, frame, 6));
    }

    #[test]
    fn only_bad_data_that_is_read_is_corruption() {
        for kind in ErrorKind::ALL {
            let error = Error::new(kind, ProviderId::new("x"));
            assert_eq!(
                matches!(Outcome::of_decompression(error), Outcome::Corrupt(_)),
                matches!(kind, ErrorKind::CorruptInput | ErrorKind::OutputTooSmall),
                "{kind}"
            );
            let outcome = Outcome::of_compression(error);
            assert!(!matches!(outcome, Outcome::Corrupt(_)), "{kind}");
            assert_eq!(
                outcome == Outcome::Declined { tried: true },
                kind == ErrorKind::OutputTooSmall,
                "{kind}"
            );
        }
    }
}

//! A block as RocksDB frames it, and how one call about it ends.

use compressor::{CompressSession, Error, ErrorKind, Format};

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

/// Whether a block of `src_len` bytes, the length in front not counted, can hold `declared`.
/// Of a type that is not served here RocksDB's own code judges.
pub(crate) fn is_plausible(block_type: u8, src_len: usize, declared: u64) -> bool {
    let most = BlockType::from_byte(block_type).and_then(|t| t.format().max_expansion());
    most.is_none_or(|most| declared <= most.saturating_mul(src_len as u64))
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
            assert!(is_plausible(block_type, 10, 10 * most), "{block_type}");
            assert!(!is_plausible(block_type, 10, 10 * most + 1), "{block_type}");
            assert!(is_plausible(block_type, 0, 0), "{block_type}");
            assert!(!is_plausible(block_type, 0, 1), "{block_type}");
            assert!(!is_plausible(block_type, 1, u64::MAX), "{block_type}");
        }
        assert!(is_plausible(3, 1, u64::MAX));
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

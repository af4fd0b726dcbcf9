//! What a unit says about itself, read from its header without trusting any of it.
//!
//! Nothing here decodes, allocates, or looks further than it must. A [`Header`] is what the writer
//! of the bytes claims: compare its lengths with what you know before you act on them.

pub mod deflate;
mod gzip;
pub mod lz4;
pub mod snappy;
mod zlib;
pub mod zstd;

use std::fmt;

use crate::{Error, ErrorKind, Format, ProviderId};

/// Largest match distance of Deflate, in bytes (RFC 1951, section 2).
pub const DEFLATE_WINDOW: u64 = 32 << 10;

/// What the header of a unit claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Bytes before the compressed content.
    pub len: usize,
    /// Decompressed length, if the format declares one and this unit does.
    pub declared_len: Option<u64>,
    /// Largest match distance that decompressing may meet, in bytes, as far as the header tells;
    /// see [`needed_window`].
    pub window: Option<u64>,
    /// Whether a checksum over the content follows.
    pub checksum: bool,
    /// The dictionary that the unit needs, by id (for `zlib`, the dictionary's Adler-32).
    pub dictionary_id: Option<u32>,
}

impl Header {
    /// The history window needed to decompress this header's unit into `dst_len` bytes at most, as
    /// [`needed_window`] says it.
    #[must_use]
    pub fn needed_window(&self, format: Format, dst_len: usize) -> u64 {
        let content = self.declared_len.unwrap_or(dst_len as u64);
        self.window.unwrap_or(u64::MAX).min(match format {
            // A match cannot reach back further than the content is long.
            Format::Lz4Block | Format::Lz4Sized | Format::Snappy => content,
            _ => u64::MAX,
        })
    }
}

/// How a header is not one of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Malformed {
    /// Ends before the header does.
    Truncated,
    /// Does not start as the format does.
    Magic,
    /// Uses a value that the format reserves.
    Reserved,
    /// Declares more than a unit of this length can hold.
    Implausible,
    /// The checksum over the header itself is wrong.
    Checksum,
    /// An element reaches outside the unit, or outside the content.
    OutOfBounds,
    /// The elements add up to another length than the header declares.
    Length,
}

impl Malformed {
    /// The same as the error of an operation: [`CorruptInput`](ErrorKind::CorruptInput).
    #[must_use]
    pub const fn error(self, provider: ProviderId) -> Error {
        Error::new(ErrorKind::CorruptInput, provider)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "ends before its header does",
            Self::Magic => "does not start as the format does",
            Self::Reserved => "uses a value that the format reserves",
            Self::Implausible => "declares more than so short a unit can hold",
            Self::Checksum => "the checksum over the header is wrong",
            Self::OutOfBounds => "an element reaches outside the unit or the content",
            Self::Length => "the elements add up to another length than declared",
        })
    }
}

impl std::error::Error for Malformed {}

/// Reads the header of a unit.
///
/// # Errors
///
/// [`Malformed`], if `src` does not start with a header of `format`, or if the header declares more
/// than a unit of this length can decompress to ([`Format::max_expansion`]).
pub fn header(format: Format, src: &[u8]) -> Result<Header, Malformed> {
    let header = match format {
        Format::None => Header {
            len: 0,
            declared_len: Some(src.len() as u64),
            window: Some(0),
            checksum: false,
            dictionary_id: None,
        },
        Format::Lz4Block => lz4::block_header(),
        Format::Lz4Sized => lz4::sized_header(src)?,
        Format::Zstd => zstd::header(src)?,
        Format::Zlib => zlib::header(src)?,
        Format::DeflateRaw => Header {
            len: 0,
            declared_len: None,
            window: Some(DEFLATE_WINDOW),
            checksum: false,
            dictionary_id: None,
        },
        Format::Gzip => gzip::header(src)?,
        Format::Snappy => snappy::header(src)?,
    };
    match (header.declared_len, format.max_expansion()) {
        (Some(declared), Some(times)) if declared > times.saturating_mul(src.len() as u64) => {
            Err(Malformed::Implausible)
        }
        _ => Ok(header),
    }
}

/// The history window needed to decompress a unit into `dst_len` bytes at most.
///
/// | format | needed window |
/// | --- | --- |
/// | `zlib` | `1 << (CINFO + 8)`, from byte 0 |
/// | `deflate-raw`, `gzip` | 32 KiB |
/// | `lz4-block`, `lz4-sized` | 65,535, or the decompressed length if that is less |
/// | `zstd` | the window descriptor; the content size if the frame is a single segment |
/// | `snappy` | the decompressed length: encoders keep to 64 KiB, the format does not promise it |
/// | `none` | 0 |
///
/// # Errors
///
/// As [`header`].
pub fn needed_window(format: Format, src: &[u8], dst_len: usize) -> Result<u64, Malformed> {
    Ok(header(format, src)?.needed_window(format, dst_len))
}

/// The first `N` bytes from `at` on.
fn bytes<const N: usize>(src: &[u8], at: usize) -> Result<[u8; N], Malformed> {
    src.get(at..)
        .and_then(|rest| rest.first_chunk())
        .copied()
        .ok_or(Malformed::Truncated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_an_answer_for_every_prefix() {
        let bytes: Vec<u8> = (0..=255).collect();
        for format in Format::ALL {
            for end in 0..bytes.len() {
                let _ = header(format, &bytes[..end]);
                let _ = needed_window(format, &bytes[..end], 64);
            }
        }
    }

    #[test]
    fn every_way_to_be_malformed_says_something_of_its_own() {
        let said = [
            Malformed::Truncated,
            Malformed::Magic,
            Malformed::Reserved,
            Malformed::Implausible,
            Malformed::Checksum,
            Malformed::OutOfBounds,
            Malformed::Length,
        ]
        .map(|malformed| malformed.to_string());
        for (at, one) in said.iter().enumerate() {
            assert!(!one.is_empty());
            assert!(!said[..at].contains(one), "{one}");
        }
    }

    #[test]
    fn windows_follow_the_table() {
        let window = |format, src: &[u8], dst| needed_window(format, src, dst);
        assert_eq!(window(Format::Zlib, b"\x78\x9c", 9), Ok(32 << 10));
        assert_eq!(window(Format::Zlib, b"\x48\x89", 9), Ok(4 << 10));
        assert_eq!(window(Format::DeflateRaw, b"", 9), Ok(32 << 10));
        assert_eq!(window(Format::Lz4Block, b"\x00", 9), Ok(9));
        assert_eq!(window(Format::Lz4Block, b"\x00", 1 << 20), Ok(65_535));
        assert_eq!(
            window(Format::Lz4Sized, b"\x05\0\0\0\x50hello", 1 << 20),
            Ok(5)
        );
        assert_eq!(window(Format::Snappy, b"\x05\x10hello", 1 << 20), Ok(5));
        assert_eq!(window(Format::None, b"abc", 3), Ok(0));
    }

    #[test]
    fn a_declared_length_that_cannot_be_is_refused() {
        for (format, unit) in [
            (Format::Lz4Sized, &b"\xff\xff\xff\x7f\0"[..]),
            (Format::Snappy, b"\xff\xff\xff\xff\x07"),
            (Format::Zstd, b"\x28\xb5\x2f\xfd\xa0\xff\xff\xff\xff"),
        ] {
            assert_eq!(header(format, unit), Err(Malformed::Implausible));
        }
    }
}

use std::fmt;
use std::str::FromStr;

use crate::{LevelRange, SpecError};

/// Identity of compressed bytes.
///
/// A format says what the bytes are, never who made them. Callers persist [`id`](Self::id) or
/// [`name`](Self::name); once published, neither ever changes meaning. Every format is known here
/// whether or not a codec for it is linked, so "not compiled in" is never mistaken for "corrupt".
///
/// | name | id | one unit is | who uses it |
/// | --- | --- | --- | --- |
/// | `none` | 0 | the bytes themselves | Cassandra `NoopCompressor` |
/// | `lz4-block` | 1 | one raw LZ4 block, no length | RocksDB (behind its own prefix) |
/// | `lz4-sized` | 2 | 4-byte little-endian length, then an LZ4 block | Cassandra `LZ4Compressor`, lz4_flex |
/// | `zstd` | 3 | one Zstandard frame (RFC 8878) | Cassandra `ZstdCompressor` |
/// | `zlib` | 4 | one zlib stream (RFC 1950) | Cassandra `DeflateCompressor` |
/// | `deflate-raw` | 5 | one raw Deflate stream (RFC 1951) | RocksDB `kZlibCompression` |
/// | `gzip` | 6 | one gzip member (RFC 1952) | tools |
/// | `snappy` | 7 | one raw Snappy block | Cassandra, RocksDB |
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// The bytes themselves.
    None,
    /// One raw LZ4 block; whoever keeps it also keeps its decompressed length.
    Lz4Block,
    /// A 4-byte little-endian decompressed length, then one LZ4 block.
    Lz4Sized,
    /// One Zstandard frame with its content size and checksum written.
    Zstd,
    /// One zlib stream: 2-byte header, Deflate, Adler-32.
    Zlib,
    /// One Deflate stream without header or checksum.
    DeflateRaw,
    /// One gzip member: header, Deflate, CRC-32 and length.
    Gzip,
    /// One raw Snappy block: varint length, then elements.
    Snappy,
}

impl Format {
    /// Every format, by ascending id.
    pub const ALL: [Self; 8] = [
        Self::None,
        Self::Lz4Block,
        Self::Lz4Sized,
        Self::Zstd,
        Self::Zlib,
        Self::DeflateRaw,
        Self::Gzip,
        Self::Snappy,
    ];

    /// The number to persist.
    #[must_use]
    pub const fn id(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Lz4Block => 1,
            Self::Lz4Sized => 2,
            Self::Zstd => 3,
            Self::Zlib => 4,
            Self::DeflateRaw => 5,
            Self::Gzip => 6,
            Self::Snappy => 7,
        }
    }

    /// The format with this id, if there is one.
    #[must_use]
    pub fn from_id(id: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.id() == id)
    }

    /// The name to persist, to configure and to print.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lz4Block => "lz4-block",
            Self::Lz4Sized => "lz4-sized",
            Self::Zstd => "zstd",
            Self::Zlib => "zlib",
            Self::DeflateRaw => "deflate-raw",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
        }
    }

    /// The levels a [`Spec`](crate::Spec) may name, on the format's own scale.
    ///
    /// Deflate formats: zlib's 0–9. `zstd`: −131072–22, where negative levels trade ratio for
    /// speed. LZ4: 1–12 are the high-compression levels, 0 is fast, and −n is fast with
    /// acceleration n + 1 (the LZ4 frame library's scale). `snappy` and `none` have the level 0.
    #[must_use]
    pub const fn levels(self) -> LevelRange {
        match self {
            Self::None | Self::Snappy => LevelRange::new(0, 0, 0),
            Self::Lz4Block | Self::Lz4Sized => LevelRange::new(-65_536, 12, 0),
            Self::Zstd => LevelRange::new(-131_072, 22, 3),
            Self::Zlib | Self::DeflateRaw | Self::Gzip => LevelRange::new(0, 9, 6),
        }
    }

    /// The base-2 logarithms of the windows a [`Spec`](crate::Spec) may ask for; `None` where the
    /// format has no such choice.
    #[must_use]
    pub const fn window_logs(self) -> Option<(u8, u8)> {
        match self {
            // zlib writes a 512-byte window for 8, so 9 is the least it can honour.
            Self::Zlib | Self::DeflateRaw | Self::Gzip => Some((9, 15)),
            Self::Zstd => Some((10, 31)),
            Self::None | Self::Lz4Block | Self::Lz4Sized | Self::Snappy => None,
        }
    }

    /// The format inside this one's frame, if it is a frame that [`framed`](crate::framed) makes.
    #[must_use]
    pub const fn inner(self) -> Option<Self> {
        match self {
            Self::Lz4Sized => Some(Self::Lz4Block),
            Self::Zlib | Self::Gzip => Some(Self::DeflateRaw),
            Self::None | Self::Lz4Block | Self::Zstd | Self::DeflateRaw | Self::Snappy => None,
        }
    }

    /// The most bytes that one byte of a unit can decompress to, from the format's own rules;
    /// `None` where there is no such limit.
    ///
    /// A unit that declares more than this times its own length is corrupt, whatever its bytes are.
    ///
    /// LZ4: a length byte of 255. Snappy: a 3-byte copy element gives 64. Deflate: a 1-bit length
    /// and a 1-bit distance code give 258, so 8 bits give at most 1,032. Zstandard: a block
    /// gives 128 KiB at most, and none that gives anything is shorter than the 4 bytes of a run.
    #[must_use]
    pub const fn max_expansion(self) -> Option<u64> {
        match self {
            Self::None => Some(1),
            Self::Lz4Block | Self::Lz4Sized => Some(255),
            Self::Snappy => Some(22),
            Self::Zlib | Self::DeflateRaw | Self::Gzip => Some(1032),
            Self::Zstd => Some(32 << 10),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = SpecError;

    /// Parses a [`name`](Format::name).
    ///
    /// # Errors
    ///
    /// [`SpecError::UnknownFormat`] for any other text; its message lists the names.
    fn from_str(name: &str) -> Result<Self, SpecError> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| SpecError::UnknownFormat { name: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names_are_frozen() {
        let table: Vec<(u8, &str)> = Format::ALL.iter().map(|f| (f.id(), f.name())).collect();
        assert_eq!(
            table,
            [
                (0, "none"),
                (1, "lz4-block"),
                (2, "lz4-sized"),
                (3, "zstd"),
                (4, "zlib"),
                (5, "deflate-raw"),
                (6, "gzip"),
                (7, "snappy"),
            ]
        );
    }

    #[test]
    fn ids_and_names_lead_back_to_the_format() {
        for format in Format::ALL {
            assert_eq!(Format::from_id(format.id()), Some(format));
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert_eq!(Format::from_id(8), None);
        let refused = "zlip".parse::<Format>().unwrap_err().to_string();
        assert!(
            refused.contains("zlip") && refused.contains("deflate-raw"),
            "{refused}"
        );
    }
}

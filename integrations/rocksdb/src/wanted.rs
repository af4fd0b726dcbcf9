//! What RocksDB asks for, as a [`Spec`].

use compressor::{Format, Spec};

/// RocksDB's name for the level that it would choose: `CompressionOptions::kDefaultCompressionLevel`.
const DEFAULT_LEVEL: i32 = 32_767;

/// `LZ4_ACCELERATION_MAX` of liblz4, to which RocksDB holds negative levels.
const MAX_ACCELERATION: i32 = 65_537;

/// `LZ4HC_CLEVEL_DEFAULT` of liblz4, which RocksDB takes for LZ4HC.
const LZ4HC_DEFAULT: i32 = 9;

/// A compression type that this framework serves. The values are RocksDB's, as its files keep them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BlockType {
    Snappy = 1,
    Zlib = 2,
    Lz4 = 4,
    Lz4Hc = 5,
    Zstd = 7,
}

impl BlockType {
    pub(crate) const ALL: [Self; 5] =
        [Self::Snappy, Self::Zlib, Self::Lz4, Self::Lz4Hc, Self::Zstd];

    /// The type of this value, if it is one that is served here.
    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|known| *known as u8 == byte)
    }

    /// What a block of this type is, after the length in front of it.
    pub(crate) const fn format(self) -> Format {
        match self {
            Self::Snappy => Format::Snappy,
            Self::Zlib => Format::DeflateRaw,
            Self::Lz4 | Self::Lz4Hc => Format::Lz4Block,
            Self::Zstd => Format::Zstd,
        }
    }
}

/// The part of RocksDB's `CompressionOptions` that the bytes depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) block_type: BlockType,
    pub(crate) level: i32,
    pub(crate) window_bits: i32,
    pub(crate) strategy: i32,
    pub(crate) checksum: bool,
}

impl Wanted {
    /// What `CompressionOptions` say when nobody set them.
    pub(crate) const fn usual(block_type: BlockType) -> Self {
        Self {
            block_type,
            level: DEFAULT_LEVEL,
            window_bits: -14,
            strategy: 0,
            checksum: false,
        }
    }

    /// The spec that means the same as it does to RocksDB's own compressors; `None` where none
    /// does.
    pub(crate) fn spec(&self) -> Option<Spec> {
        let spec = Spec::new(self.block_type.format());
        match self.block_type {
            BlockType::Snappy => Some(spec),
            BlockType::Zlib => self.zlib(spec),
            BlockType::Lz4 => spec.with_level(self.lz4_level()?).ok(),
            BlockType::Lz4Hc => spec.with_level(self.lz4hc_level()?).ok(),
            BlockType::Zstd => {
                let levels = Format::Zstd.levels();
                let level = match self.level {
                    DEFAULT_LEVEL => levels.default_level(),
                    // RocksDB's choice; the library would take its default.
                    0 => -1,
                    // As the library does.
                    level => level.clamp(levels.min(), levels.max()),
                };
                spec.with_level(level)
                    .and_then(|spec| spec.with_checksum(self.checksum))
                    .ok()
            }
        }
    }

    fn zlib(&self, spec: Spec) -> Option<Spec> {
        // Z_DEFAULT_STRATEGY of zlib; a spec knows no other.
        if self.strategy != 0 {
            return None;
        }
        let spec = match self.level {
            // Z_DEFAULT_COMPRESSION of zlib.
            DEFAULT_LEVEL | -1 => spec,
            level => spec.with_level(level).ok()?,
        };
        match self.window_bits {
            // Readers take 32 KiB for either: they hold the whole block.
            -15 | -14 => Some(spec),
            bits @ -13..=-9 => spec.with_window_log(bits.unsigned_abs() as u8).ok(),
            // With a header, or a window that zlib refuses: the same result as without us.
            _ => None,
        }
    }

    /// RocksDB's level −n is an acceleration of n; this framework's is one of n + 1.
    fn lz4_level(&self) -> Option<i32> {
        match self.level {
            DEFAULT_LEVEL => Some(0),
            level @ ..=0 => {
                let acceleration = level.saturating_neg().clamp(1, MAX_ACCELERATION);
                Some(1 - acceleration)
            }
            _ => None,
        }
    }

    fn lz4hc_level(&self) -> Option<i32> {
        match self.level {
            DEFAULT_LEVEL => Some(LZ4HC_DEFAULT),
            level @ 1.. => Some(level.min(Format::Lz4Block.levels().max())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(block_type: BlockType, level: i32) -> Wanted {
        Wanted {
            level,
            ..Wanted::usual(block_type)
        }
    }

    fn level(block_type: BlockType, level: i32) -> Option<i32> {
        wanted(block_type, level).spec().map(|spec| spec.level())
    }

    #[test]
    fn defaults_are_those_of_rocksdb() {
        let defaults = BlockType::ALL.map(|t| {
            let spec = wanted(t, DEFAULT_LEVEL).spec().unwrap();
            (
                spec.format(),
                spec.level(),
                spec.window_log(),
                spec.checksum(),
            )
        });
        assert_eq!(
            defaults,
            [
                (Format::Snappy, 0, None, false),
                (Format::DeflateRaw, 6, None, false),
                (Format::Lz4Block, 0, None, false),
                (Format::Lz4Block, 9, None, false),
                (Format::Zstd, 3, None, false),
            ]
        );
    }

    #[test]
    fn levels_mean_what_they_mean_to_rocksdb() {
        for (block_type, theirs, ours) in [
            (BlockType::Zlib, -1, Some(6)),
            (BlockType::Zlib, 0, Some(0)),
            (BlockType::Zlib, 9, Some(9)),
            (BlockType::Zlib, 10, None),
            (BlockType::Zlib, -2, None),
            (BlockType::Lz4, 0, Some(0)),
            (BlockType::Lz4, -1, Some(0)),
            (BlockType::Lz4, -2, Some(-1)),
            (BlockType::Lz4, -65_537, Some(-65_536)),
            (BlockType::Lz4, i32::MIN, Some(-65_536)),
            (BlockType::Lz4, 1, None),
            (BlockType::Lz4Hc, 1, Some(1)),
            (BlockType::Lz4Hc, 12, Some(12)),
            (BlockType::Lz4Hc, 1_000, Some(12)),
            (BlockType::Lz4Hc, 0, None),
            (BlockType::Zstd, 0, Some(-1)),
            (BlockType::Zstd, 22, Some(22)),
            (BlockType::Zstd, 100, Some(22)),
            (BlockType::Zstd, i32::MIN, Some(-131_072)),
            (BlockType::Snappy, 77, Some(0)),
        ] {
            assert_eq!(level(block_type, theirs), ours, "{block_type:?} {theirs}");
        }
    }

    #[test]
    fn a_zlib_window_below_the_usual_is_kept_and_what_a_spec_cannot_say_is_left() {
        let zlib = |window_bits, strategy| {
            let wanted = Wanted {
                window_bits,
                strategy,
                ..wanted(BlockType::Zlib, 6)
            };
            wanted.spec().map(|spec| spec.window_log())
        };
        assert_eq!(zlib(-15, 0), Some(None));
        assert_eq!(zlib(-14, 0), Some(None));
        assert_eq!(zlib(-13, 0), Some(Some(13)));
        assert_eq!(zlib(-9, 0), Some(Some(9)));
        for window_bits in [-16, -8, -1, 0, 8, 14, 15, 31, i32::MIN, i32::MAX] {
            assert_eq!(zlib(window_bits, 0), None, "{window_bits}");
        }
        assert_eq!(zlib(-14, 2), None);
    }

    #[test]
    fn only_zstd_takes_the_checksum() {
        for block_type in BlockType::ALL {
            let wanted = Wanted {
                checksum: true,
                ..wanted(block_type, DEFAULT_LEVEL)
            };
            let checksum = wanted.spec().unwrap().checksum();
            assert_eq!(checksum, block_type == BlockType::Zstd, "{block_type:?}");
        }
    }

    #[test]
    fn other_types_are_not_served() {
        let served: Vec<u8> = (0..=u8::MAX)
            .filter(|byte| BlockType::from_byte(*byte).is_some())
            .collect();
        assert_eq!(served, [1, 2, 4, 5, 7]);
    }
}

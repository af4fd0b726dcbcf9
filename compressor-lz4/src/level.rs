use std::ffi::c_int;

use compressor_api::Spec;

/// A level of the format, as liblz4 takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// `LZ4_compress_fast`: 1 is the default, and each step up is a little faster and larger.
    Fast { acceleration: c_int },
    /// `LZ4_compress_HC`.
    High { level: c_int },
}

/// The least level of liblz4's own scale for high compression (`LZ4HC_CLEVEL_MIN` in lz4hc.h). It
/// does for 1 what it does for 2.
const LEAST_HIGH: c_int = 2;

impl Level {
    pub(crate) fn of(spec: &Spec) -> Self {
        match spec.level() {
            level @ ..=0 => Self::Fast {
                acceleration: 1 - level,
            },
            level => Self::High {
                level: level.max(LEAST_HIGH),
            },
        }
    }

    /// The level on the format's scale again: the one really used.
    pub(crate) fn number(self) -> i32 {
        match self {
            Self::Fast { acceleration } => 1 - acceleration,
            Self::High { level } => level,
        }
    }
}

#[cfg(test)]
mod tests {
    use compressor_api::Format;

    use super::*;

    #[test]
    fn levels_map_to_acceleration_and_high_compression() {
        let fast = |acceleration| Level::Fast { acceleration };
        let high = |level| Level::High { level };
        for (level, mapped, effective) in [
            (0, fast(1), 0),
            (-1, fast(2), -1),
            // `LZ4_ACCELERATION_MAX` in lz4.c is 65,537.
            (-65_536, fast(65_537), -65_536),
            (1, high(2), 2),
            (2, high(2), 2),
            (12, high(12), 12),
        ] {
            let spec = Spec::new(Format::Lz4Block).with_level(level).unwrap();
            assert_eq!(Level::of(&spec), mapped);
            assert_eq!(Level::of(&spec).number(), effective);
        }
    }
}

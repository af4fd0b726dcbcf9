use std::ffi::c_int;

use compressor_api::{LevelCost, Spec};

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

/// What lower levels cost, the fastest first for each level; the table in the crate's documentation
/// comes from here. Levels below −2 are served as they are: who names one wants no other.
const COSTS: &[LevelCost] = &[
    LevelCost::new(-2, -3, 10),
    LevelCost::new(-1, -2, 9),
    LevelCost::new(0, -2, 19),
    LevelCost::new(0, -1, 10),
    LevelCost::new(1, 0, 17),
    LevelCost::new(2, 0, 17),
    LevelCost::new(3, 0, 28),
    LevelCost::new(3, 2, 16),
    LevelCost::new(4, 0, 31),
    LevelCost::new(4, 2, 18),
    LevelCost::new(4, 3, 4),
    LevelCost::new(5, 3, 8),
    LevelCost::new(5, 4, 4),
    LevelCost::new(6, 0, 36),
    LevelCost::new(6, 2, 19),
    LevelCost::new(6, 3, 8),
    LevelCost::new(6, 4, 4),
    LevelCost::new(7, 3, 9),
    LevelCost::new(7, 4, 5),
    LevelCost::new(8, 3, 9),
    LevelCost::new(8, 4, 5),
    LevelCost::new(9, 0, 37),
    LevelCost::new(9, 2, 20),
    LevelCost::new(9, 3, 9),
    LevelCost::new(9, 4, 5),
    LevelCost::new(10, 0, 39),
    LevelCost::new(10, 2, 20),
    LevelCost::new(10, 3, 11),
    LevelCost::new(10, 4, 6),
    LevelCost::new(11, 3, 11),
    LevelCost::new(11, 4, 7),
    LevelCost::new(12, 0, 39),
    LevelCost::new(12, 2, 21),
    LevelCost::new(12, 3, 11),
    LevelCost::new(12, 4, 7),
];

impl Level {
    pub(crate) fn of(spec: &Spec) -> Self {
        match LevelCost::fastest(COSTS, spec).unwrap_or(spec.level()) {
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

use compressor_api::{Effort, LevelRange, Loss, Spec};

use crate::bindings::{ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL2_DEFAULT, ISAL_DEF_LVL3_DEFAULT};

/// The levels of zlib that are served: all but 0, which means stored blocks.
pub(crate) const SERVED: LevelRange = LevelRange::new(1, 9, 6);

/// What [`Level::Speed`] costs beside zlib, by its level and the length of the input: the table in
/// the crate's documentation.
///
/// Beyond 256 KiB it was not measured.
pub(crate) const SPEED_LOSSES: &[Loss] = &[
    Loss::new(3, 16 << 10, 4),
    Loss::new(3, 256 << 10, 5),
    Loss::new(4, 4 << 10, 5),
    Loss::new(4, 16 << 10, 6),
    Loss::new(4, 32 << 10, 7),
    Loss::new(4, 64 << 10, 8),
    Loss::new(4, 256 << 10, 9),
    Loss::new(6, 4 << 10, 7),
    // Engines fill blocks of 16 KiB a little beyond.
    Loss::new(6, 20 << 10, 10),
    Loss::new(6, 32 << 10, 11),
    Loss::new(6, 64 << 10, 13),
    Loss::new(6, 256 << 10, 15),
    Loss::new(9, 4 << 10, 8),
    Loss::new(9, 16 << 10, 13),
    Loss::new(9, 32 << 10, 16),
    Loss::new(9, 64 << 10, 17),
    Loss::new(9, 256 << 10, 20),
];

/// A level of ISA-L.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// 1.
    Fast,
    /// 2: as fast, and shorter on most data, but not on all.
    Speed,
    /// 3.
    Short,
}

/// The most memory that a level takes, in bytes.
pub(crate) const MAX_BUFFER: usize = ISAL_DEF_LVL3_DEFAULT as usize;

impl Level {
    /// The level that serves a spec.
    pub(crate) fn of(spec: &Spec) -> Self {
        match spec.effort() {
            Some(Effort::Balanced | Effort::Speed) => Self::Speed,
            _ => Self::of_zlib(spec.level()),
        }
    }

    /// The level that serves one of zlib's; the table in the crate's documentation says why.
    const fn of_zlib(level: i32) -> Self {
        match level {
            ..3 => Self::Fast,
            3.. => Self::Short,
        }
    }

    /// As ISA-L numbers it.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Fast => 1,
            Self::Speed => 2,
            Self::Short => 3,
        }
    }

    /// How much of its memory ISA-L is told to use, in bytes: what its header calls the default. It
    /// bounds the symbols in a block, 65,536.
    pub(crate) const fn buffer(self) -> u32 {
        (match self {
            Self::Fast => ISAL_DEF_LVL1_DEFAULT,
            Self::Speed => ISAL_DEF_LVL2_DEFAULT,
            Self::Short => ISAL_DEF_LVL3_DEFAULT,
        }) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_higher_level_is_never_served_by_a_lower_one() {
        let numbers: Vec<u8> = (SERVED.min()..=SERVED.max())
            .map(|level| Level::of_zlib(level).number())
            .collect();
        assert_eq!(numbers, [1, 1, 3, 3, 3, 3, 3, 3, 3]);
    }

    #[test]
    fn the_memory_is_enough_for_every_level() {
        for level in [Level::Fast, Level::Speed, Level::Short] {
            assert!(level.buffer() as usize <= MAX_BUFFER);
        }
    }
}

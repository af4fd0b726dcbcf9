use compressor_api::LevelRange;

use crate::bindings::{ISAL_DEF_LVL1_DEFAULT, ISAL_DEF_LVL3_DEFAULT};

/// The levels of zlib that are served: all but 0, which means stored blocks.
pub(crate) const SERVED: LevelRange = LevelRange::new(1, 9, 6);

/// A level of ISA-L.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// 1.
    Fast,
    /// 3.
    Short,
}

/// The most memory that a level takes, in bytes.
pub(crate) const MAX_BUFFER: usize = ISAL_DEF_LVL3_DEFAULT as usize;

impl Level {
    /// The level that serves one of zlib's; the table in the crate's documentation says why.
    pub(crate) const fn of_zlib(level: i32) -> Self {
        match level {
            ..3 => Self::Fast,
            3.. => Self::Short,
        }
    }

    /// As ISA-L numbers it.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Fast => 1,
            Self::Short => 3,
        }
    }

    /// How much of its memory ISA-L is told to use, in bytes: what its header calls the default. It
    /// bounds the symbols in a block, 65,536.
    pub(crate) const fn buffer(self) -> u32 {
        (match self {
            Self::Fast => ISAL_DEF_LVL1_DEFAULT,
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
        for level in [Level::Fast, Level::Short] {
            assert!(level.buffer() as usize <= MAX_BUFFER);
        }
    }
}

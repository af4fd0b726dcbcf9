use std::fmt;

/// The levels that a format, or a provider for it, takes: both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LevelRange {
    min: i32,
    max: i32,
    default: i32,
}

impl LevelRange {
    /// The levels `min` to `max`, of which `default` is taken when none is named.
    #[must_use]
    pub const fn new(min: i32, max: i32, default: i32) -> Self {
        Self { min, max, default }
    }

    /// The least level.
    #[must_use]
    pub const fn min(self) -> i32 {
        self.min
    }

    /// The greatest level.
    #[must_use]
    pub const fn max(self) -> i32 {
        self.max
    }

    /// The level taken when none is named.
    #[must_use]
    pub const fn default_level(self) -> i32 {
        self.default
    }

    /// Whether `level` is one of them.
    #[must_use]
    pub const fn contains(self, level: i32) -> bool {
        self.min <= level && level <= self.max
    }
}

impl fmt::Display for LevelRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.min == self.max {
            write!(f, "{}", self.min)
        } else {
            write!(f, "{}..={}", self.min, self.max)
        }
    }
}

use std::fmt;
use std::str::FromStr;

use crate::{Spec, SpecError};

/// What a writer trades time for, instead of taking a level as it is.
///
/// Every effort is a promise about length beside the software codec of the format *at the spec's
/// level*: whoever serves it, units come out no longer than that by so many percent, over data as
/// a whole. Within the promise a provider is as fast as it can be. Readers do not care: effort binds
/// the writer alone.
///
/// | effort | longer than software's, at most | what it is for |
/// | --- | --- | --- |
/// | `ratio` | 1 % | data that is kept: as short as the level makes it, by whoever is fastest at that |
/// | `balanced` | 7 % | flush: clearly faster for little, and never at the price of a level that is far below |
/// | `speed` | [`Spec::max_loss`], 10 % unless said otherwise | the fastest there is |
///
/// The promises are tested on the data sets of `compressor-benches`: `text`, `rows`, `wide-rows` and
/// `logs`, in blocks of 4, 16 and 64 KiB. No promise is made for data that compresses unlike any of
/// those, nor for blocks of less than 1 KiB, where a few bytes are percents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effort {
    /// As short as software at the level.
    Ratio,
    /// Nearly as short, and faster.
    Balanced,
    /// As fast as the stated loss allows.
    Speed,
}

impl Effort {
    /// All, from the shortest to the fastest.
    pub const ALL: [Self; 3] = [Self::Ratio, Self::Balanced, Self::Speed];

    /// The name in configuration, arguments and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ratio => "ratio",
            Self::Balanced => "balanced",
            Self::Speed => "speed",
        }
    }

    /// By how many percent units may be longer than software's at the level, unless the spec says
    /// otherwise.
    ///
    /// The 7 of [`Balanced`](Self::Balanced) is what zstd's level 1 costs beside its default; for the
    /// Deflate formats at their default it comes to 2.
    #[must_use]
    pub const fn default_loss(self) -> u8 {
        match self {
            Self::Ratio => 1,
            Self::Balanced => 7,
            Self::Speed => 10,
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Effort {
    type Err = SpecError;

    /// Parses a [`name`](Effort::name).
    ///
    /// # Errors
    ///
    /// [`SpecError::UnknownEffort`] for any other text; its message lists the names.
    fn from_str(name: &str) -> Result<Self, SpecError> {
        Self::ALL
            .into_iter()
            .find(|effort| effort.name() == name)
            .ok_or_else(|| SpecError::UnknownEffort { name: name.into() })
    }
}

/// What it costs to serve a level of a format by another, as a provider measured it.
///
/// ```
/// use compressor_api::{Effort, Format, LevelCost, Spec};
///
/// // The fastest first.
/// const COSTS: &[LevelCost] = &[LevelCost::new(6, 1, 12), LevelCost::new(6, 4, 9)];
///
/// let speed = Spec::new(Format::Zlib).with_effort(Effort::Speed);
/// assert_eq!(LevelCost::fastest(COSTS, &speed), Some(4));
/// assert_eq!(LevelCost::fastest(COSTS, &speed.with_max_loss(12)?), Some(1));
/// assert_eq!(LevelCost::fastest(COSTS, &Spec::new(Format::Zlib)), None);
/// # Ok::<(), compressor_api::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelCost {
    level: i32,
    by: i32,
    percent: u8,
}

impl LevelCost {
    /// Units of the format's `level` come out up to `percent` longer when the provider's level `by`
    /// writes them. Rounded up, and the worst over the data that was measured.
    #[must_use]
    pub const fn new(level: i32, by: i32, percent: u8) -> Self {
        Self { level, by, percent }
    }

    /// The provider's level for the effort of `spec`: that of the first entry whose cost the effort
    /// allows. `None` if there is none, for [`Effort::Ratio`], and for a spec without an effort: then
    /// the level itself is to be served.
    #[must_use]
    pub fn fastest(costs: &[Self], spec: &Spec) -> Option<i32> {
        if spec.effort()? == Effort::Ratio {
            return None;
        }
        costs
            .iter()
            .find(|cost| cost.level == spec.level() && cost.percent <= spec.max_loss())
            .map(|cost| cost.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_the_effort() {
        for effort in Effort::ALL {
            assert_eq!(effort.name().parse(), Ok(effort));
        }
        let refused = "fast".parse::<Effort>().unwrap_err().to_string();
        assert!(
            refused.contains("fast") && refused.contains("ratio, balanced, speed"),
            "{refused}"
        );
    }

    #[test]
    fn each_effort_allows_more_than_the_one_before() {
        let losses = Effort::ALL.map(Effort::default_loss);
        assert!(losses.is_sorted(), "{losses:?}");
    }
}

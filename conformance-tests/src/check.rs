use std::fmt;

use compressor_api::Direction;

use crate::bench::Bench;
use crate::case::Case;
use crate::stop::Stop;
use crate::target::Target;

/// One line of the contract, and how it is proved.
///
/// Names are stable: reports, reproductions and filters use them.
#[derive(Debug)]
pub struct Check {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    pub(crate) proves: &'static str,
    pub(crate) proof: Proof,
}

impl Check {
    /// The name: `round-trip`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it belongs to.
    #[must_use]
    pub const fn group(&self) -> Group {
        self.group
    }

    /// The line of the contract, in one sentence.
    #[must_use]
    pub const fn proves(&self) -> &'static str {
        self.proves
    }
}

/// What a check runs on.
#[derive(Debug)]
pub(crate) enum Proof {
    /// The provider as such.
    Provider(fn(&Bench) -> Result<(), Stop>),
    /// Each format and direction that it lists, case by case.
    Operation {
        directions: &'static [Direction],
        cases: fn(&Target) -> Vec<Case>,
        run: fn(&Target, &Case) -> Result<(), Stop>,
    },
}

/// What belongs together among the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Group {
    /// What a provider says about itself.
    Listing,
    /// Which specs it serves, and what it says of how.
    Specs,
    /// What is written is a unit of the format, and is read.
    Units,
    /// How much room there is in `dst`.
    Room,
    /// Who may touch which bytes.
    Memory,
    /// What lives from call to call.
    Sessions,
    /// What is refused.
    Strictness,
    /// The published limits: at them, and one past.
    Limits,
    /// What only Zstandard has.
    Zstd,
    /// What holds for every call: panics, time, allocation, honesty.
    Conduct,
}

impl Group {
    /// The name, as filters and reports have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Listing => "listing",
            Self::Specs => "specs",
            Self::Units => "units",
            Self::Room => "room",
            Self::Memory => "memory",
            Self::Sessions => "sessions",
            Self::Strictness => "strictness",
            Self::Limits => "limits",
            Self::Zstd => "zstd",
            Self::Conduct => "conduct",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

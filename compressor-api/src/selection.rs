use std::fmt;
use std::sync::Arc;

use crate::{
    Capabilities, Compressor, Direction, Error, Format, OpenError, ProviderId, Shortfall, Spec,
};

/// What was chosen for a [`Spec`], and what else was considered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Selection {
    /// The spec that was asked for.
    pub spec: Spec,
    /// What everything falls back to, for both directions.
    pub software: Arc<dyn Compressor>,
    /// The accelerator that compresses; `None`: software does.
    pub compress: Option<Selected>,
    /// The accelerators that compress what is longer than `compress` takes at the spec's effort, by
    /// ascending [`max_input`](Capabilities::max_input). Software has what is longer still.
    pub compress_longer: Vec<Selected>,
    /// The accelerator that decompresses; `None`: software does.
    pub decompress: Option<Selected>,
    /// Every provider that was looked at, per direction, in the order it was tried.
    pub considered: Vec<Considered>,
}

impl Selection {
    /// The accelerator for a direction; `None`: software serves.
    #[must_use]
    pub fn accelerator(&self, direction: Direction) -> Option<&Selected> {
        match direction {
            Direction::Compress => self.compress.as_ref(),
            Direction::Decompress => self.decompress.as_ref(),
        }
    }

    /// All accelerators of a direction, by ascending length of the input that each takes at most.
    pub fn accelerators(&self, direction: Direction) -> impl Iterator<Item = &Selected> {
        let longer = match direction {
            Direction::Compress => &self.compress_longer[..],
            Direction::Decompress => &[],
        };
        self.accelerator(direction).into_iter().chain(longer)
    }

    /// Why no accelerator serves a direction: the verdict on the first one that is there, or else on
    /// the first one that was considered; `None` if one does serve, or if there is none for the
    /// format.
    #[must_use]
    pub fn why_software(&self, direction: Direction) -> Option<&Verdict> {
        if self.accelerator(direction).is_some() {
            return None;
        }
        let refused = || {
            self.considered
                .iter()
                .filter(|considered| considered.direction == direction)
                .map(|considered| &considered.verdict)
                .filter(|verdict| !verdict.serves() && **verdict != Verdict::Outranked)
        };
        let absent =
            |verdict: &Verdict| matches!(verdict, Verdict::NotOpened(OpenError::Absent { .. }));
        refused()
            .find(|verdict| !absent(verdict))
            .or_else(|| refused().next())
    }
}

/// An accelerator that was chosen for one direction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Selected {
    /// Its name.
    pub provider: ProviderId,
    /// What it can do in this direction.
    pub capabilities: Capabilities,
    /// Its compressor for the spec.
    pub compressor: Arc<dyn Compressor>,
    /// It is the effort that limits its inputs.
    pub(crate) limited: bool,
}

impl Selected {
    /// From its parts.
    #[must_use]
    pub fn new(
        provider: ProviderId,
        capabilities: Capabilities,
        compressor: Arc<dyn Compressor>,
    ) -> Self {
        Self {
            provider,
            capabilities,
            compressor,
            limited: false,
        }
    }

    /// The longest input that is given to it before anybody else is asked.
    pub(crate) fn serves_up_to(&self) -> usize {
        if self.limited {
            self.capabilities.max_input
        } else {
            usize::MAX
        }
    }
}

/// One provider that was looked at for one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Considered {
    /// Its name.
    pub provider: ProviderId,
    /// For which direction.
    pub direction: Direction,
    /// What came of it.
    pub verdict: Verdict,
}

impl Considered {
    pub(crate) fn new(provider: ProviderId, direction: Direction, verdict: Verdict) -> Self {
        Self {
            provider,
            direction,
            verdict,
        }
    }
}

impl fmt::Display for Considered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.direction, self.provider, self.verdict)
    }
}

/// What came of considering a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It serves.
    Chosen,
    /// It serves what is longer than so many bytes, which those before it take.
    ChosenBeyond(usize),
    /// One that comes before it serves.
    Outranked,
    /// The policy allows software only.
    Disabled,
    /// The policy assigns the format to another provider.
    NotAssigned,
    /// It could not be opened.
    NotOpened(OpenError),
    /// Opened, it does not list the format in this direction.
    NoCapability,
    /// It lists the format, but not what the spec asks for.
    Lacks(Shortfall),
    /// It could not make a compressor.
    NotCreated(Error),
}

impl Verdict {
    /// Whether it was chosen, for whatever inputs.
    #[must_use]
    pub const fn serves(&self) -> bool {
        matches!(self, Self::Chosen | Self::ChosenBeyond(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen => f.write_str("chosen"),
            Self::ChosenBeyond(len) => write!(f, "chosen beyond {len} bytes"),
            Self::Outranked => f.write_str("comes after the one chosen"),
            Self::Disabled => f.write_str("the policy allows software only"),
            Self::NotAssigned => f.write_str("the policy assigns the format to another provider"),
            Self::NotOpened(error) => error.fmt(f),
            Self::NoCapability => f.write_str("does not list the format in this direction"),
            Self::Lacks(shortfall) => shortfall.fmt(f),
            Self::NotCreated(error) => error.fmt(f),
        }
    }
}

/// Why nothing could be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelectError {
    /// The format is known, but no software codec for it is registered.
    NoSoftware {
        /// The format asked for.
        format: Format,
    },
    /// The software codec cannot serve the spec.
    Software {
        /// The codec.
        provider: ProviderId,
        /// Why not.
        verdict: Verdict,
    },
    /// The policy names a provider that is not registered.
    UnknownProvider {
        /// The name given.
        name: String,
        /// The names registered.
        known: Vec<ProviderId>,
    },
    /// A provider is misconfigured, or the policy does not let software stand in for it.
    Refused {
        /// The provider.
        provider: ProviderId,
        /// Which direction it was wanted for.
        direction: Direction,
        /// Why it cannot serve.
        verdict: Verdict,
    },
    /// The policy states a loss of more than 100 %.
    LossOutOfRange {
        /// The loss, in percent.
        percent: u8,
    },
    /// An accelerator failed its check against software, and the policy does not let software
    /// stand in for it.
    Unfit {
        /// What it answered.
        error: Error,
    },
}

impl SelectError {
    /// The name of the [`ErrorKind`](crate::ErrorKind) that says who is to blame.
    #[must_use]
    pub const fn kind(&self) -> crate::ErrorKind {
        match self {
            Self::NoSoftware { .. } | Self::Software { .. } => crate::ErrorKind::Unsupported,
            Self::UnknownProvider { .. } | Self::LossOutOfRange { .. } => {
                crate::ErrorKind::InvalidArgument
            }
            Self::Refused { verdict, .. } => match verdict {
                Verdict::NotCreated(error) => error.kind(),
                Verdict::NotOpened(OpenError::Absent { .. } | OpenError::Broken { .. }) => {
                    crate::ErrorKind::Device
                }
                Verdict::NotOpened(_) => crate::ErrorKind::InvalidArgument,
                _ => crate::ErrorKind::Unsupported,
            },
            Self::Unfit { error } => error.kind(),
        }
    }
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSoftware { format } => {
                write!(
                    f,
                    "no software codec for {format} is registered in this program"
                )
            }
            Self::Software { provider, verdict } => write!(f, "{provider}: {verdict}"),
            Self::UnknownProvider { name, known } => {
                let known: Vec<&str> = known.iter().map(|id| id.as_str()).collect();
                write!(
                    f,
                    "unknown provider {name:?}; registered are {}",
                    known.join(", ")
                )
            }
            Self::Refused {
                provider,
                direction,
                verdict,
            } => {
                write!(f, "{provider} cannot {direction}: {verdict}")
            }
            Self::LossOutOfRange { percent } => write!(
                f,
                "the policy states a loss of {percent} %; it takes 0 to 100"
            ),
            Self::Unfit { error } => write!(f, "failed its check against software: {error}"),
        }
    }
}

impl std::error::Error for SelectError {}

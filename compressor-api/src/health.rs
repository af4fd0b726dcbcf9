use std::fmt;
use std::sync::Arc;

/// How a provider is, from what is already known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Health {
    /// Serves.
    Ready,
    /// Not there: no device, no library. Normal, and quiet.
    Absent {
        /// What was looked for, and where.
        why: Arc<str>,
    },
    /// Fails now and then, or serves with less capacity than it has.
    Degraded {
        /// What was seen.
        why: Arc<str>,
    },
    /// Returned wrong bytes or broke the contract: not used until an operator resets it.
    Quarantined {
        /// What was seen.
        why: Arc<str>,
    },
}

impl Health {
    /// The name of the state.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Ready => "Ready",
            Self::Absent { .. } => "Absent",
            Self::Degraded { .. } => "Degraded",
            Self::Quarantined { .. } => "Quarantined",
        }
    }

    /// Why it is not [`Ready`](Self::Ready).
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Ready => None,
            Self::Absent { why } | Self::Degraded { why } | Self::Quarantined { why } => Some(why),
        }
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.why() {
            Some(why) => write!(f, ": {why}"),
            None => Ok(()),
        }
    }
}

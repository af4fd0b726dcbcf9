use std::fmt;

use compressor_api::Shortfall;

/// Why one operation ran in software.
///
/// Closed: metrics are labelled with it, so a new reason is a change that their readers must see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Reason {
    /// The input is shorter than the accelerator takes.
    BelowMin,
    /// The input, or the output it declares, is longer than the accelerator takes.
    AboveMax,
    /// The output buffer is shorter than the accelerator needs, or it said so.
    OutputShort,
    /// The unit may reach back further than the accelerator can.
    Window,
    /// The accelerator does not have the dictionary.
    Dictionary,
    /// The accelerator does not serve the level, or the effort.
    Level,
    /// The breaker is open: the accelerator failed too often.
    BreakerOpen,
    /// The accelerator returned wrong bytes or broke its contract, and nobody has reset it since.
    Quarantined,
    /// The accelerator is at its limit of operations at once, or said that it is busy.
    Saturated,
    /// The accelerator failed, or its result was none that the operation can have.
    DeviceError,
    /// The accelerator did not finish within its deadline.
    Timeout,
    /// The accelerator refused what lies within its published limits, or failed its self-check.
    Rejected,
    /// Verification found that the accelerator's result was wrong.
    Mismatch,
    /// The accelerator's session is gone, and a new one is not due yet.
    SessionLost,
    /// The accelerator's session was made before the process forked.
    Forked,
    /// The configuration gives the work to software.
    Disabled,
    /// There is no accelerator.
    Absent,
    /// The input is not an intact unit of the format; software says so in its own words.
    BadInput,
    /// The accelerator's library did the work on the CPU, or would have had to, and said so.
    SilentSoftware,
}

impl Reason {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Every reason.
    pub const ALL: [Self; 19] = [
        Self::BelowMin,
        Self::AboveMax,
        Self::OutputShort,
        Self::Window,
        Self::Dictionary,
        Self::Level,
        Self::BreakerOpen,
        Self::Quarantined,
        Self::Saturated,
        Self::DeviceError,
        Self::Timeout,
        Self::Rejected,
        Self::Mismatch,
        Self::SessionLost,
        Self::Forked,
        Self::Disabled,
        Self::Absent,
        Self::BadInput,
        Self::SilentSoftware,
    ];

    /// The name to print and to label metrics with.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BelowMin => "BelowMin",
            Self::AboveMax => "AboveMax",
            Self::OutputShort => "OutputShort",
            Self::Window => "Window",
            Self::Dictionary => "Dictionary",
            Self::Level => "Level",
            Self::BreakerOpen => "BreakerOpen",
            Self::Quarantined => "Quarantined",
            Self::Saturated => "Saturated",
            Self::DeviceError => "DeviceError",
            Self::Timeout => "Timeout",
            Self::Rejected => "Rejected",
            Self::Mismatch => "Mismatch",
            Self::SessionLost => "SessionLost",
            Self::Forked => "Forked",
            Self::Disabled => "Disabled",
            Self::Absent => "Absent",
            Self::BadInput => "BadInput",
            Self::SilentSoftware => "SilentSoftware",
        }
    }

    /// Why an accelerator that falls short of a spec is not asked.
    pub(crate) const fn of_shortfall(shortfall: Shortfall) -> Self {
        match shortfall {
            Shortfall::Level | Shortfall::Effort | Shortfall::Loss => Self::Level,
            Shortfall::Window => Self::Window,
            Shortfall::Dictionary => Self::Dictionary,
            // Whatever it will be that a spec asks for, the accelerator does not do it.
            _ => Self::Rejected,
        }
    }

    /// Its place in [`ALL`](Self::ALL).
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_place_and_its_own_name() {
        for (at, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason.index(), at);
            assert_eq!(reason.name(), format!("{reason:?}"));
            assert_eq!(reason.name(), reason.to_string());
        }
    }
}

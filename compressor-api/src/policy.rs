use crate::{Direction, Effort, Format, Spec};

/// What happens when an accelerator cannot serve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OnFailure {
    /// Software serves.
    #[default]
    Software,
    /// The caller gets the error.
    Fail,
}

/// A provider that a format and direction is given to, before any preference or priority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The format.
    pub format: Format,
    /// The direction; `None` for both.
    pub direction: Option<Direction>,
    /// The provider's name.
    pub provider: String,
}

/// How providers are chosen, and what happens when one fails.
///
/// The default takes whatever accelerates, and lets software serve whenever it cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Who gets what, whatever else is there.
    pub assignments: Vec<Assignment>,
    /// Names in the order they are tried, before all that are not named.
    pub preference: Vec<String>,
    /// The effort for specs that state none; `None`: their level decides.
    pub effort: Option<Effort>,
    /// The loss in percent, 0 to 100, for specs whose effort is [`Effort::Speed`], by themselves or by
    /// this policy, and that state none; `None`: the default.
    pub max_loss: Option<u8>,
    /// Uses no accelerator at all.
    pub software_only: bool,
    /// An assigned provider is not there, or does not work.
    pub on_absent: OnFailure,
    /// A provider that was chosen cannot make a compressor.
    pub on_create_error: OnFailure,
    /// An operation failed in the accelerator.
    pub on_operation_error: OnFailure,
}

impl Policy {
    /// Software alone.
    #[must_use]
    pub fn software_only() -> Self {
        Self {
            software_only: true,
            ..Self::default()
        }
    }

    /// Gives a format, in one direction or both, to a provider.
    #[must_use]
    pub fn assign(
        mut self,
        format: Format,
        direction: Option<Direction>,
        provider: impl Into<String>,
    ) -> Self {
        self.assignments.push(Assignment {
            format,
            direction,
            provider: provider.into(),
        });
        self
    }

    /// Tries this provider before all that are not named, after those already named.
    #[must_use]
    pub fn prefer(mut self, provider: impl Into<String>) -> Self {
        self.preference.push(provider.into());
        self
    }

    /// The spec as it is served: with this policy's effort, if it states none, and with its loss, if
    /// that is for speed and states none.
    #[must_use]
    pub fn applied_to(&self, spec: &Spec) -> Spec {
        let mut spec = spec.clone();
        if let (None, Some(effort)) = (spec.effort(), self.effort) {
            spec = spec.with_effort(effort);
        }
        match self.max_loss {
            Some(percent)
                if spec.effort() == Some(Effort::Speed) && spec.stated_loss().is_none() =>
            {
                // One out of range is refused before anything is selected.
                spec.clone().with_max_loss(percent).unwrap_or(spec)
            }
            _ => spec,
        }
    }

    /// The provider assigned to a format and direction; the last assignment counts.
    #[must_use]
    pub fn assigned(&self, format: Format, direction: Direction) -> Option<&str> {
        self.assignments
            .iter()
            .rev()
            .find(|a| a.format == format && a.direction.is_none_or(|d| d == direction))
            .map(|a| a.provider.as_str())
    }

    /// Place in the preference list; those not named come after all that are.
    pub(crate) fn rank(&self, provider: &str) -> usize {
        self.preference
            .iter()
            .position(|name| name == provider)
            .unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policys_loss_is_for_specs_that_ask_for_speed_and_state_none() {
        let plain = Spec::new(Format::Zlib);
        let speed = plain.clone().with_effort(Effort::Speed);
        let balanced = plain.clone().with_effort(Effort::Balanced);
        let stated = speed.clone().with_max_loss(5).unwrap();
        let fifteen = speed.clone().with_max_loss(15).unwrap();
        let mut policy = Policy {
            max_loss: Some(15),
            ..Policy::default()
        };
        assert_eq!(policy.applied_to(&plain), plain);
        assert_eq!(policy.applied_to(&balanced), balanced);
        assert_eq!(policy.applied_to(&speed), fifteen);
        assert_eq!(policy.applied_to(&stated), stated);
        policy.effort = Some(Effort::Speed);
        assert_eq!(policy.applied_to(&plain), fifteen);
        assert_eq!(policy.applied_to(&balanced), balanced);
        policy.max_loss = None;
        assert_eq!(policy.applied_to(&plain), speed);
    }
}

//! What a failed attempt means: the table of who is to blame, as code.

use compressor_api::{Direction, Error, ErrorKind, ProviderId};

use crate::breaker::Weight;
use crate::{Cause, Reason};

/// A failed attempt in the accelerator. Software redoes the operation from byte 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Why software runs, unless its answer shows that the input was bad.
    pub reason: Reason,
    /// What the caller gets if software may not stand in.
    pub error: Error,
    /// What the accelerator is charged with.
    pub charge: Charge,
    /// Charged only if software succeeds: otherwise the input may be to blame, and whoever
    /// supplies input must not be able to switch an accelerator off.
    pub if_software_can: bool,
    /// The accelerator called the input corrupt, which for some units is as right as reading them.
    pub called_corrupt: bool,
}

/// What an accelerator is charged with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charge {
    /// Nothing.
    Nothing,
    /// A failure: the breaker counts it.
    Failure(Weight),
    /// A refusal of what it published: the switch of this format and level counts it.
    Refusal,
    /// What nobody should rely on any more.
    Quarantine(Cause),
}

impl Fault {
    /// The accelerator answered with an error.
    pub fn answered(direction: Direction, error: Error) -> Self {
        let failure = Charge::Failure(Weight::Plain);
        let (reason, charge, if_software_can) = match error.kind() {
            ErrorKind::OutputTooSmall => (Reason::OutputShort, Charge::Nothing, true),
            ErrorKind::Busy => (Reason::Saturated, Charge::Nothing, false),
            // It says that the call or the spec is at fault; if software takes both, it is not.
            ErrorKind::InvalidArgument | ErrorKind::WrongDictionary | ErrorKind::Unsupported => {
                (Reason::Rejected, Charge::Refusal, true)
            }
            ErrorKind::CorruptInput => (Reason::DeviceError, failure, true),
            ErrorKind::Timeout => (Reason::Timeout, failure, false),
            ErrorKind::Poisoned if error.is_forked() => (Reason::Forked, Charge::Nothing, false),
            ErrorKind::Poisoned => (Reason::SessionLost, Charge::Failure(Weight::Heavy), false),
            ErrorKind::Panic => (Reason::DeviceError, Charge::Quarantine(Cause::Panic), false),
            ErrorKind::Device if error.is_silent_software() => {
                (Reason::SilentSoftware, failure, false)
            }
            // Device, Lost, OutOfMemory, and whatever kind comes to be: never OK.
            _ => (Reason::DeviceError, failure, false),
        };
        Self {
            reason,
            error: own_fault(error),
            charge,
            if_software_can: if_software_can
                && (direction == Direction::Decompress || charge == Charge::Refusal),
            called_corrupt: error.kind() == ErrorKind::CorruptInput,
        }
    }

    /// The accelerator's code panicked.
    pub fn panicked(provider: ProviderId) -> Self {
        Self {
            reason: Reason::DeviceError,
            error: Error::new(ErrorKind::Panic, provider),
            charge: Charge::Quarantine(Cause::Panic),
            if_software_can: false,
            called_corrupt: false,
        }
    }

    /// The accelerator said OK to what cannot be a result.
    pub fn implausible(direction: Direction, provider: ProviderId) -> Self {
        Self {
            reason: Reason::DeviceError,
            error: Error::new(ErrorKind::Device, provider),
            charge: Charge::Failure(Weight::Plain),
            if_software_can: direction == Direction::Decompress,
            called_corrupt: false,
        }
    }

    /// Software found other bytes.
    pub fn mismatch(direction: Direction, provider: ProviderId) -> Self {
        Self {
            reason: Reason::Mismatch,
            error: Error::new(ErrorKind::Device, provider),
            charge: Charge::Quarantine(Cause::WrongBytes),
            // A unit that software cannot read proves nothing when decompressing. When
            // compressing, the unit is the accelerator's own.
            if_software_can: direction == Direction::Decompress,
            called_corrupt: false,
        }
    }

    /// Software could not say whether the result is right.
    pub fn unverified(provider: ProviderId) -> Self {
        Self {
            reason: Reason::Mismatch,
            error: Error::new(ErrorKind::Device, provider),
            charge: Charge::Nothing,
            if_software_can: false,
            called_corrupt: false,
        }
    }

    /// Whether the session that answered so is not to be used again.
    pub fn loses_session(&self) -> bool {
        matches!(self.error.kind(), ErrorKind::Poisoned | ErrorKind::Panic)
    }

    /// Whether the session belongs to another process.
    pub fn is_forked(&self) -> bool {
        self.error.is_forked()
    }
}

/// The error as the caller may see it where software did better: not the caller's fault, nor the
/// data's.
fn own_fault(error: Error) -> Error {
    match error.kind() {
        ErrorKind::InvalidArgument | ErrorKind::WrongDictionary | ErrorKind::CorruptInput => {
            Error::with_native(ErrorKind::Device, error.provider(), error.native())
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_error_has_its_reason_and_its_charge() {
        let failure = Charge::Failure(Weight::Plain);
        let heavy = Charge::Failure(Weight::Heavy);
        let panic = Charge::Quarantine(Cause::Panic);
        // The last: charged only if software can, when compressing and when decompressing.
        for (kind, reason, charge, if_software_can) in [
            (
                ErrorKind::OutputTooSmall,
                Reason::OutputShort,
                Charge::Nothing,
                [false, true],
            ),
            (
                ErrorKind::Busy,
                Reason::Saturated,
                Charge::Nothing,
                [false; 2],
            ),
            (
                ErrorKind::InvalidArgument,
                Reason::Rejected,
                Charge::Refusal,
                [true; 2],
            ),
            (
                ErrorKind::WrongDictionary,
                Reason::Rejected,
                Charge::Refusal,
                [true; 2],
            ),
            (
                ErrorKind::Unsupported,
                Reason::Rejected,
                Charge::Refusal,
                [true; 2],
            ),
            (
                ErrorKind::CorruptInput,
                Reason::DeviceError,
                failure,
                [false, true],
            ),
            (ErrorKind::Timeout, Reason::Timeout, failure, [false; 2]),
            (ErrorKind::Poisoned, Reason::SessionLost, heavy, [false; 2]),
            (ErrorKind::Panic, Reason::DeviceError, panic, [false; 2]),
            (ErrorKind::Device, Reason::DeviceError, failure, [false; 2]),
            (ErrorKind::Lost, Reason::DeviceError, failure, [false; 2]),
        ] {
            for (direction, if_software_can) in Direction::BOTH.into_iter().zip(if_software_can) {
                let error = Error::new(kind, ProviderId::new("device"));
                let fault = Fault::answered(direction, error);
                assert_eq!(fault.reason, reason, "{kind:?}");
                assert_eq!(fault.charge, charge, "{kind:?}");
                assert_eq!(fault.if_software_can, if_software_can, "{kind:?}");
                assert_eq!(fault.called_corrupt, kind == ErrorKind::CorruptInput);
            }
        }
    }

    #[test]
    fn a_wrong_result_is_charged_at_once_where_no_input_can_cause_it() {
        let provider = ProviderId::new("device");
        for direction in Direction::BOTH {
            let may_be_the_input = direction == Direction::Decompress;
            for fault in [
                Fault::implausible(direction, provider),
                Fault::mismatch(direction, provider),
            ] {
                assert_eq!(fault.if_software_can, may_be_the_input);
            }
        }
    }
}

use std::fmt;

use crate::ProviderId;

/// Who is to blame for an [`Error`], which decides what a caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blame {
    /// Nobody: an outcome, not a fault.
    Nobody,
    /// The caller: the same call fails for ever.
    Caller,
    /// The bytes, or the device that says so about them.
    Data,
    /// The spec, or the limits of the provider.
    Limits,
    /// Capacity: the same call may succeed in a moment.
    Capacity,
    /// The provider: another one may serve the same call.
    Provider,
}

/// What went wrong, named so that a caller can act on it.
///
/// | kind | blame | what a caller does |
/// | --- | --- | --- |
/// | `OutputTooSmall` | nobody | keeps the block raw, or calls again with a larger `dst` |
/// | `InvalidArgument` | caller | mends the call |
/// | `WrongDictionary` | caller | finds the dictionary that the unit names |
/// | `CorruptInput` | data | reports the corruption |
/// | `Unsupported` | limits | uses another provider |
/// | `Busy` | capacity | uses another provider, now |
/// | `Timeout`, `Device`, `Lost`, `OutOfMemory` | provider | uses another provider |
/// | `Poisoned`, `Panic` | provider | drops the session, uses another provider |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum ErrorKind {
    /// The result does not fit `dst`. Nobody is to blame.
    OutputTooSmall = 1,
    /// The call itself cannot be right.
    InvalidArgument = 2,
    /// The unit names a dictionary that the spec does not hold, or holds none where the unit needs
    /// one.
    WrongDictionary = 3,
    /// `src` is not exactly one intact unit of the format.
    CorruptInput = 4,
    /// The provider cannot do this: beyond a published limit, or an option it lacks.
    Unsupported = 5,
    /// No capacity at this moment; nothing was done.
    Busy = 6,
    /// Not done within the deadline.
    Timeout = 7,
    /// The device or library failed.
    Device = 8,
    /// The device went away.
    Lost = 9,
    /// Memory that the operation needed could not be had.
    OutOfMemory = 10,
    /// The session can never be used again.
    Poisoned = 11,
    /// The provider's code panicked; the panic was caught.
    Panic = 12,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::OutputTooSmall,
        Self::InvalidArgument,
        Self::WrongDictionary,
        Self::CorruptInput,
        Self::Unsupported,
        Self::Busy,
        Self::Timeout,
        Self::Device,
        Self::Lost,
        Self::OutOfMemory,
        Self::Poisoned,
        Self::Panic,
    ];

    /// The name, as it starts an error message.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OutputTooSmall => "OutputTooSmall",
            Self::InvalidArgument => "InvalidArgument",
            Self::WrongDictionary => "WrongDictionary",
            Self::CorruptInput => "CorruptInput",
            Self::Unsupported => "Unsupported",
            Self::Busy => "Busy",
            Self::Timeout => "Timeout",
            Self::Device => "Device",
            Self::Lost => "Lost",
            Self::OutOfMemory => "OutOfMemory",
            Self::Poisoned => "Poisoned",
            Self::Panic => "Panic",
        }
    }

    /// Who is to blame.
    #[must_use]
    pub const fn blame(self) -> Blame {
        match self {
            Self::OutputTooSmall => Blame::Nobody,
            Self::InvalidArgument | Self::WrongDictionary => Blame::Caller,
            Self::CorruptInput => Blame::Data,
            Self::Unsupported => Blame::Limits,
            Self::Busy => Blame::Capacity,
            Self::Timeout
            | Self::Device
            | Self::Lost
            | Self::OutOfMemory
            | Self::Poisoned
            | Self::Panic => Blame::Provider,
        }
    }

    /// What it means, in half a sentence.
    const fn meaning(self) -> &'static str {
        match self {
            Self::OutputTooSmall => "the result does not fit the output buffer",
            Self::InvalidArgument => "the call cannot be right",
            Self::WrongDictionary => "the unit needs another dictionary",
            Self::CorruptInput => "the input is not exactly one intact unit of the format",
            Self::Unsupported => "beyond what the provider can do",
            Self::Busy => "no capacity at this moment",
            Self::Timeout => "not done within the deadline",
            Self::Device => "the device or library failed",
            Self::Lost => "the device went away",
            Self::OutOfMemory => "out of memory",
            Self::Poisoned => "the session can never be used again",
            Self::Panic => "the provider panicked",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of an operation: kind, the library's own code, and the provider it came from.
///
/// 24 bytes, `Copy`, allocates nothing, so that failing is as cheap as succeeding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Error {
    provider: ProviderId,
    native: i32,
    kind: ErrorKind,
}

impl Error {
    /// [`native`](Self::native) code of a session that a forked child inherited; see
    /// [`forked`](Self::forked).
    pub const NATIVE_FORKED: i32 = i32::from_be_bytes(*b"fork");

    /// [`native`](Self::native) code of work that was not done by the device it was meant for; see
    /// [`silent_software`](Self::silent_software).
    pub const NATIVE_SOFTWARE: i32 = i32::from_be_bytes(*b"soft");

    /// An error of `kind` from `provider`, with no code of the library's own.
    #[must_use]
    pub const fn new(kind: ErrorKind, provider: ProviderId) -> Self {
        Self::with_native(kind, provider, 0)
    }

    /// An error of `kind` from `provider`, with the code its library returned.
    #[must_use]
    pub const fn with_native(kind: ErrorKind, provider: ProviderId, native: i32) -> Self {
        Self {
            provider,
            native,
            kind,
        }
    }

    /// What a provider answers when a session is used in a process that forked after the session
    /// was made: [`Poisoned`](ErrorKind::Poisoned), marked so that it is counted as what it is.
    #[must_use]
    pub const fn forked(provider: ProviderId) -> Self {
        Self::with_native(ErrorKind::Poisoned, provider, Self::NATIVE_FORKED)
    }

    /// What a provider for a device answers when its library did the work in software of its own,
    /// or would have had to: [`Device`](ErrorKind::Device), marked so that it is counted as what it
    /// is. Whoever offloads wants to know, and has software that is known to be good.
    #[must_use]
    pub const fn silent_software(provider: ProviderId) -> Self {
        Self::with_native(ErrorKind::Device, provider, Self::NATIVE_SOFTWARE)
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(self) -> ErrorKind {
        self.kind
    }

    /// The library's own code, for a log; 0 if it gave none. Its meaning is the library's.
    #[must_use]
    pub const fn native(self) -> i32 {
        self.native
    }

    /// Which provider failed.
    #[must_use]
    pub const fn provider(self) -> ProviderId {
        self.provider
    }

    /// Whether this is [`forked`](Self::forked).
    #[must_use]
    pub const fn is_forked(self) -> bool {
        matches!(self.kind, ErrorKind::Poisoned) && self.native == Self::NATIVE_FORKED
    }

    /// Whether this is [`silent_software`](Self::silent_software).
    #[must_use]
    pub const fn is_silent_software(self) -> bool {
        matches!(self.kind, ErrorKind::Device) && self.native == Self::NATIVE_SOFTWARE
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} ({}",
            self.kind,
            self.kind.meaning(),
            self.provider
        )?;
        if self.native != 0 {
            write!(f, ", native code {}", self.native)?;
        }
        f.write_str(")")
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_24_bytes() {
        assert_eq!(size_of::<Error>(), 24);
        assert_eq!(size_of::<Result<usize, Error>>(), 24);
    }

    #[test]
    fn the_message_starts_with_the_kind() {
        let provider = ProviderId::new("software.lz4");
        for kind in ErrorKind::ALL {
            let text = Error::with_native(kind, provider, -7).to_string();
            assert!(text.starts_with(kind.name()), "{text}");
            assert!(
                text.contains("software.lz4") && text.contains("-7"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_forked_session_is_a_poisoned_one() {
        let error = Error::forked(ProviderId::new("x"));
        assert_eq!(error.kind(), ErrorKind::Poisoned);
        assert!(error.is_forked());
        assert!(!Error::new(ErrorKind::Poisoned, ProviderId::new("x")).is_forked());
    }

    #[test]
    fn silent_software_is_a_failure_of_the_device() {
        let error = Error::silent_software(ProviderId::new("x"));
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(error.is_silent_software() && !error.is_forked());
        assert!(!Error::new(ErrorKind::Device, ProviderId::new("x")).is_silent_software());
    }
}

/// Why a case did not end well.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The provider broke the contract.
    Fault(Fault),
    /// The case could not be tried, and why.
    NotTried(String),
}

/// How the contract was broken, and what narrows the case down to it.
#[derive(Debug)]
pub(crate) struct Fault {
    pub message: String,
    pub unit: Option<Vec<u8>>,
    pub room: Option<usize>,
    pub at: Option<usize>,
    /// Whether it panicked.
    pub panicked: bool,
    /// Whether it was `Busy`, and that is all.
    pub busy: bool,
}

impl Stop {
    /// The contract was broken.
    pub(crate) fn fault(message: impl Into<String>) -> Self {
        Self::Fault(Fault {
            message: message.into(),
            unit: None,
            room: None,
            at: None,
            panicked: false,
            busy: false,
        })
    }

    /// The provider panicked.
    pub(crate) fn panicked(message: String) -> Self {
        let mut stop = Self::fault(message);
        if let Self::Fault(fault) = &mut stop {
            fault.panicked = true;
        }
        stop
    }

    /// The provider had no capacity for a call that was made once.
    pub(crate) fn busy() -> Self {
        let mut stop = Self::fault("is Busy");
        if let Self::Fault(fault) = &mut stop {
            fault.busy = true;
        }
        stop
    }

    /// With something said before the message.
    pub(crate) fn prefixed(before: &str, mut stop: Self) -> Self {
        if let Self::Fault(fault) = &mut stop {
            fault.message.insert_str(0, before);
        }
        stop
    }

    /// Narrowed to a unit.
    pub(crate) fn unit(mut self, unit: &[u8]) -> Self {
        if let Self::Fault(fault) = &mut self {
            fault.unit.get_or_insert_with(|| unit.to_vec());
        }
        self
    }

    /// Narrowed to a length of `dst`.
    pub(crate) fn room(mut self, room: usize) -> Self {
        if let Self::Fault(fault) = &mut self {
            fault.room.get_or_insert(room);
        }
        self
    }

    /// Narrowed to a place.
    pub(crate) fn at(mut self, at: usize) -> Self {
        if let Self::Fault(fault) = &mut self {
            fault.at.get_or_insert(at);
        }
        self
    }
}

/// A fault unless `held`.
pub(crate) fn ensure<S: Into<String>>(held: bool, message: impl FnOnce() -> S) -> Result<(), Stop> {
    if held {
        Ok(())
    } else {
        Err(Stop::fault(message()))
    }
}

use compressor_api::Error;

use super::op::Side;
use crate::Reason;
use crate::accelerator::Accelerator;
use crate::breaker::Pass;
use crate::contain::{Contained, contain};

/// Operations that a session leaves to software after its accelerator session was lost; doubled
/// with each loss in a row.
const FIRST_REST: u32 = 16;

/// Doublings of [`FIRST_REST`] at most: 1,024 operations.
const MAX_REST_DOUBLINGS: u32 = 6;

/// While switched off, a session asks the accelerator once in so many operations whether it has
/// come round.
const OPERATIONS_PER_RETRY: u32 = 1024;

/// The accelerated half of a session.
pub(crate) struct Device<S: Side + ?Sized> {
    /// The accelerator's session, while there is one.
    session: Contained<Box<S>>,
    /// The session was made before the process forked.
    forked: bool,
    /// Losses of the session since it last served.
    losses: u32,
    /// Operations to go before another session is made.
    rest: u32,
    /// Operations that found the breaker open.
    polls: u32,
    /// Operations that found the accelerator switched off.
    skipped: u32,
}

impl<S: Side + ?Sized> Device<S> {
    /// No session yet; it is made when an operation is let through.
    pub fn new(accelerator: &Accelerator) -> Self {
        Self {
            session: Contained::new(None, accelerator.guard.clone()),
            forked: false,
            losses: 0,
            rest: 0,
            polls: 0,
            skipped: 0,
        }
    }

    /// Whether nothing stands between an operation and the accelerator but gates and breaker.
    #[inline]
    pub fn is_clear(&self, accelerator: &Accelerator) -> bool {
        !self.forked && self.rest == 0 && !accelerator.switch.is_off()
    }

    /// Lets an operation through or not, where the breaker is not closed or the way not clear.
    #[cold]
    pub fn admit<'a>(&mut self, accelerator: &'a Accelerator) -> Result<Pass<'a>, Reason> {
        if self.forked {
            return Err(Reason::Forked);
        }
        if accelerator.switch.is_off() {
            self.skipped = self.skipped.wrapping_add(1);
            if !self.skipped.is_multiple_of(OPERATIONS_PER_RETRY) {
                return Err(Reason::Rejected);
            }
        }
        let pass = accelerator.guard.admit(&mut self.polls)?;
        if self.rest > 0 && !pass.is_probe() && !accelerator.fails() {
            self.rest -= 1;
            return Err(Reason::SessionLost);
        }
        Ok(pass)
    }

    #[inline]
    pub fn session(&mut self) -> Option<&mut S> {
        self.session.as_mut().map(|session| &mut **session)
    }

    /// Makes a session. `Err(None)`: the accelerator panicked.
    #[cold]
    pub fn open(&mut self, accelerator: &Accelerator) -> Result<(), Option<Error>> {
        let opened = accelerator
            .compressor
            .as_ref()
            .and_then(|compressor| contain(|| S::open(&**compressor)));
        match opened {
            Some(Ok(session)) => {
                self.session.replace(Some(session));
                self.rest = 0;
                Ok(())
            }
            Some(Err(error)) => Err(Some(error)),
            None => Err(None),
        }
    }

    /// It served: earlier losses are forgotten.
    #[inline]
    pub fn served(&mut self) {
        self.losses = 0;
    }

    /// Drops the session. Another one is made after a rest, or never if it was forked.
    #[cold]
    pub fn lose(&mut self, forked: bool) {
        self.session.replace(None);
        self.forked |= forked;
        self.rest = FIRST_REST << self.losses.min(MAX_REST_DOUBLINGS);
        self.losses = self.losses.saturating_add(1);
    }
}

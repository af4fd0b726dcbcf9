use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use compressor_api::{Compressor, Direction, Error, ErrorKind, Selected};

use crate::accelerator::Accelerator;
use crate::counters::Ledger;
use crate::{Cause, Guards, Options, Reason, events, self_check};

/// One direction of an [`Accelerated`](crate::Accelerated), shared with its sessions.
#[derive(Debug)]
pub(crate) struct Lane {
    pub software: Arc<dyn Compressor>,
    /// Set once, at the beginning or when an accelerator appears.
    pub accelerator: OnceLock<Arc<Accelerator>>,
    pub ledger: Arc<Ledger>,
    direction: Direction,
    /// A route gave it to software, so no accelerator that turns up gets it.
    for_software: bool,
    /// Place in [`Reason::ALL`] of why there is no accelerator.
    why_software: AtomicUsize,
}

impl Lane {
    pub(crate) fn new(
        direction: Direction,
        software: Arc<dyn Compressor>,
        ledger: Arc<Ledger>,
    ) -> Self {
        Self {
            software,
            accelerator: OnceLock::new(),
            ledger,
            direction,
            for_software: false,
            why_software: AtomicUsize::new(Reason::Absent.index()),
        }
    }

    /// The same as a route gives it to software: [`Disabled`](Reason::Disabled), for good.
    pub(crate) fn for_software(self) -> Self {
        self.leave_to_software(Reason::Disabled);
        Self {
            for_software: true,
            ..self
        }
    }

    /// Another one of the same direction, still without an accelerator.
    pub(crate) fn beside(&self) -> Self {
        let lane = Self::new(self.direction, self.software.clone(), self.ledger.clone());
        lane.leave_to_software(self.why_software());
        lane
    }

    /// Whether an accelerator may be put here.
    pub(crate) fn is_free(&self) -> bool {
        !self.for_software && self.accelerator.get().is_none()
    }

    /// Why software serves alone, while there is no accelerator.
    pub(crate) fn why_software(&self) -> Reason {
        let at = self.why_software.load(Ordering::Relaxed);
        Reason::ALL.get(at).copied().unwrap_or(Reason::Absent)
    }

    pub(crate) fn leave_to_software(&self, why: Reason) {
        self.why_software.store(why.index(), Ordering::Relaxed);
    }

    /// Puts an accelerator here, once it passed its self-check.
    ///
    /// # Errors
    ///
    /// - [`InvalidArgument`](ErrorKind::InvalidArgument): it is for another direction, format or
    ///   spec, there is one already, or a route gave this lane to software.
    /// - [`Unsupported`](ErrorKind::Unsupported): its capabilities fall short of the spec.
    /// - What [`self_check`] says.
    pub(crate) fn attach(
        &self,
        selected: &Selected,
        guards: &Guards,
        options: Options,
    ) -> Result<Arc<Accelerator>, Error> {
        let misplaced = Error::new(ErrorKind::InvalidArgument, selected.provider);
        if selected.capabilities.direction != self.direction || !self.is_free() {
            return Err(misplaced);
        }
        if let Some(shortfall) = selected.capabilities.shortfall(self.software.spec()) {
            self.leave_to_software(Reason::of_shortfall(shortfall));
            return Err(Error::new(ErrorKind::Unsupported, selected.provider));
        }
        let guard = guards.guard(selected.provider, self.direction);
        let accelerator = Accelerator::new(selected, &self.software, guard.clone(), options)
            .inspect_err(|_| self.leave_to_software(Reason::Rejected))?;
        if options.self_check
            && let Err(why) = self_check(selected, &*self.software)
        {
            self.leave_to_software(Reason::Rejected);
            events::failed_self_check(selected, why);
            if why.kind() == ErrorKind::Panic {
                guard.quarantine(Cause::Panic);
            }
            return Err(why);
        }
        let accelerator = Arc::new(accelerator);
        match self.accelerator.set(accelerator.clone()) {
            Ok(()) => Ok(accelerator),
            Err(_) => Err(misplaced),
        }
    }
}

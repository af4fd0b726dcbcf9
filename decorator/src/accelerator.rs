use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use compressor_api::{
    Capabilities, Compressor, EffectiveSide, Error, ErrorKind, OnFailure, ProviderId, Selected,
    Spec,
};

use crate::breaker::Pass;
use crate::contain::{Contained, contain};
use crate::dice::Dice;
use crate::permits::Permit;
use crate::{Cause, Guard, Options, Reason, Verify, events, gate};

/// An accelerator at its place in front of software, for one direction.
pub(crate) struct Accelerator {
    pub provider: ProviderId,
    pub capabilities: Capabilities,
    pub spec: Spec,
    pub effective: Option<EffectiveSide>,
    pub compressor: Contained<Arc<dyn Compressor>>,
    pub software: Arc<dyn Compressor>,
    pub guard: Arc<Guard>,
    pub switch: Switch,
    pub budget: Budget,
    pub options: Options,
}

impl Accelerator {
    /// In front of `software`, whose spec must be its own.
    pub fn new(
        selected: &Selected,
        software: &Arc<dyn Compressor>,
        guard: Arc<Guard>,
        options: Options,
    ) -> Result<Self, Error> {
        let fail = |kind| Error::new(kind, selected.provider);
        let spec = software.spec();
        let capabilities = selected.capabilities;
        let compressor = &selected.compressor;
        let asked = contain(|| {
            let effective = compressor.effective();
            let side = match capabilities.direction {
                compressor_api::Direction::Compress => effective.compress,
                compressor_api::Direction::Decompress => effective.decompress,
            };
            (compressor.spec() == spec, side)
        });
        let Some((same_spec, effective)) = asked else {
            guard.quarantine(Cause::Panic);
            return Err(fail(ErrorKind::Panic));
        };
        if !same_spec || capabilities.format != spec.format() {
            return Err(fail(ErrorKind::InvalidArgument));
        }
        Ok(Self {
            provider: selected.provider,
            capabilities,
            spec: spec.clone(),
            effective,
            compressor: Contained::new(Some(compressor.clone()), guard.clone()),
            software: software.clone(),
            guard,
            switch: Switch::new(),
            budget: Budget::new(),
            options,
        })
    }

    /// An error of this accelerator that it did not say itself.
    pub fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.provider)
    }

    /// Whether the caller gets an operation's error, and software does not stand in.
    pub fn fails(&self) -> bool {
        self.options.on_operation_error == OnFailure::Fail
    }

    /// A permit if one is needed; `Err` if there is none.
    #[inline]
    pub fn permit(&self, count: u32) -> Result<Option<Permit<'_>>, Reason> {
        match self.capabilities.in_flight {
            None => Ok(None),
            Some(limit) => match self.guard.permit(count, limit) {
                Some(permit) => Ok(Some(permit)),
                None => Err(Reason::Saturated),
            },
        }
    }

    /// Whether results are verified at all, beyond the probes of a breaker.
    #[inline]
    pub fn verifies(&self) -> bool {
        self.options.verify != Verify::Never
    }

    /// Whether the result of this operation is verified.
    #[inline]
    pub fn draws(&self, pass: &Pass<'_>, dice: &mut Dice) -> bool {
        pass.is_probe()
            || match self.options.verify {
                Verify::Never => false,
                Verify::Always => true,
                Verify::Sampled { first, one_in } => {
                    self.budget.draw(pass.generation(), first)
                        || (!self.capabilities.self_verified && dice.one_in(one_in))
                }
            }
    }

    /// The output room that the accelerator itself asks for; `None` if it names none that can be
    /// meant. Asked anew each time, so judged each time: the provider may change its mind.
    pub fn bound(&self, src_len: usize) -> Result<Option<usize>, Reason> {
        let (Some(compressor), Some(software)) = (
            self.compressor.as_ref(),
            self.software.max_compressed_len(src_len),
        ) else {
            return Ok(None);
        };
        let own = contain(|| compressor.max_compressed_len(src_len)).ok_or_else(|| {
            self.guard.quarantine(Cause::Panic);
            Reason::Quarantined
        })?;
        Ok(own.filter(|own| gate::plausible_bound(software, *own)))
    }

    /// It served an operation.
    #[inline]
    pub fn served(&self) {
        if self.switch.served() {
            events::switched_on(self);
        }
    }

    /// It refused an operation that it should have served.
    #[cold]
    pub fn refused(&self) {
        if self.switch.refused() {
            events::switched_off(self);
        }
    }
}

impl fmt::Debug for Accelerator {
    /// Without the provider's own `Debug`, which is code that nobody contains.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accelerator")
            .field("provider", &self.provider)
            .field("capabilities", &self.capabilities)
            .field("guard", &self.guard.state())
            .finish_non_exhaustive()
    }
}

/// Refusals in a row after which an accelerator is not asked any more for one format and level.
const REFUSALS: u32 = 8;

/// Takes one combination of format and level away from an accelerator that refuses it, though it
/// published otherwise. The breaker, which is everybody's, is left out of it.
#[derive(Debug)]
pub(crate) struct Switch {
    /// Refusals in a row, [`REFUSALS`] at most.
    refusals: AtomicU32,
}

impl Switch {
    fn new() -> Self {
        Self {
            refusals: AtomicU32::new(0),
        }
    }

    #[inline]
    pub fn is_off(&self) -> bool {
        self.refusals.load(Ordering::Relaxed) >= REFUSALS
    }

    /// Whether it went off by this.
    fn refused(&self) -> bool {
        let one_more = |refusals| (refusals < REFUSALS).then_some(refusals + 1);
        self.refusals
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
            == Ok(REFUSALS - 1)
    }

    /// Whether it was off until this.
    #[inline]
    fn served(&self) -> bool {
        self.refusals.load(Ordering::Relaxed) != 0
            && self.refusals.swap(0, Ordering::Relaxed) >= REFUSALS
    }
}

/// Counts the first results, which are verified. It starts anew with each period of the breaker,
/// so that a device which comes back is looked at as closely as a new one.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The breaker's generation in the upper half, how many were drawn in it in the lower.
    drawn: AtomicU64,
}

impl Budget {
    fn new() -> Self {
        Self {
            drawn: AtomicU64::new(0),
        }
    }

    /// Whether this is one of the `first` of its generation. One relaxed load once they are drawn.
    #[inline]
    fn draw(&self, generation: u16, first: u32) -> bool {
        let next = |drawn: u64| {
            let so_far = if drawn >> 32 == u64::from(generation) {
                drawn & u64::from(u32::MAX)
            } else {
                0
            };
            (so_far < u64::from(first)).then_some(u64::from(generation) << 32 | (so_far + 1))
        };
        next(self.drawn.load(Ordering::Relaxed)).is_some()
            && self
                .drawn
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
                .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use compressor_api::{Direction, Format, stored};

    use super::*;
    use crate::Guards;

    #[test]
    fn results_are_verified_unless_never_was_said() {
        const PROVIDER: ProviderId = ProviderId::new("device");
        let spec = Spec::new(Format::None);
        let software = stored::factory().compressor(&spec).unwrap();
        let capabilities = Capabilities::new(Format::None, Direction::Compress);
        let selected = Selected::new(PROVIDER, capabilities, software.clone());
        let guard = Guards::new().guard(PROVIDER, Direction::Compress);
        for (verify, verifies) in [
            (Verify::Never, false),
            (Verify::default(), true),
            (Verify::Always, true),
        ] {
            let options = Options::new().verify(verify);
            let accelerator = Accelerator::new(&selected, &software, guard.clone(), options);
            assert_eq!(accelerator.unwrap().verifies(), verifies);
        }
    }

    #[test]
    fn eight_refusals_in_a_row_switch_off_and_one_success_switches_on() {
        let switch = Switch::new();
        for n in 1..=2 * REFUSALS {
            assert!(!switch.is_off() || n > REFUSALS);
            assert_eq!(switch.refused(), n == REFUSALS);
        }
        assert!(switch.is_off());
        assert!(switch.served());
        assert!(!switch.served());
        assert!(!switch.is_off());
        for _ in 0..10 * REFUSALS {
            switch.refused();
            switch.served();
        }
        assert!(!switch.is_off());
    }

    #[test]
    fn the_first_of_each_generation_are_drawn() {
        let budget = Budget::new();
        for generation in [0, 1, 2, 16_383, 0] {
            let drawn = (0..100).filter(|_| budget.draw(generation, 32)).count();
            assert_eq!(drawn, 32);
        }
        assert!(!Budget::new().draw(0, 0));
        assert!(!Budget::new().draw(1, 0));
    }
}

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use compressor_api::{Direction, Health, ProviderId};

use crate::breaker::{Breaker, BreakerState, Change, Pass, Refusal, Weight};
use crate::clock::{Clock, Monotonic, SinceNow};
use crate::permits::{Permit, Permits};
use crate::{Reason, events};

/// While open, a session reads the clock at its first operation and then at every 16th.
const OPERATIONS_PER_CLOCK_READ: u32 = 16;

/// The guards of a process: one per provider and direction, shared by all that use the provider.
///
/// Cheap to clone; a clone is the same set.
///
/// A process that forks while another thread builds an [`Accelerated`](crate::Accelerated) leaves
/// the child a set that may be locked for good; one that forks at any other time does not.
#[derive(Clone, Debug)]
pub struct Guards {
    clock: Arc<dyn Clock>,
    /// Locked when something is built, never during an operation.
    guards: Arc<Mutex<Vec<Arc<Guard>>>>,
}

impl Guards {
    /// None yet; each is made when it is first asked for.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(Arc::new(Monotonic::new()))
    }

    /// The same, with breakers that wait by `clock`.
    #[must_use]
    pub fn with_clock(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock: Arc::new(SinceNow::new(clock)),
            guards: Arc::default(),
        }
    }

    /// The guard of a provider in one direction.
    #[must_use]
    pub fn guard(&self, provider: ProviderId, direction: Direction) -> Arc<Guard> {
        let mut guards = self.lock();
        let known = guards
            .iter()
            .find(|guard| (guard.provider, guard.direction) == (provider, direction));
        if let Some(guard) = known {
            return guard.clone();
        }
        let guard = Arc::new(Guard::new(provider, direction, self.clock.clone()));
        guards.push(guard.clone());
        guard
    }

    /// All that were asked for, in that order.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Guard>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Guard>>> {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Guards {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a provider is quarantined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Cause {
    /// It said OK, and the bytes were wrong.
    WrongBytes = 1,
    /// Its code panicked.
    Panic = 2,
    /// It broke the contract in another way that whoever calls this saw.
    ContractBroken = 3,
}

impl Cause {
    /// The cause in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WrongBytes => "said OK with wrong bytes",
            Self::Panic => "panicked",
            Self::ContractBroken => "broke the contract",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What one provider in one direction is trusted with: breaker, quarantine and permits.
///
/// Shared by every format and level that the provider serves, since it is the device that fails.
#[derive(Debug)]
pub struct Guard {
    provider: ProviderId,
    direction: Direction,
    breaker: Breaker,
    permits: Permits,
    /// The latest [`Cause`]; 0 before there was one.
    cause: AtomicU8,
    clock: Arc<dyn Clock>,
    /// Makes the jitter of this process another than that of its neighbours.
    chance: RandomState,
}

impl Guard {
    fn new(provider: ProviderId, direction: Direction, clock: Arc<dyn Clock>) -> Self {
        Self {
            provider,
            direction,
            breaker: Breaker::new(),
            permits: Permits::new(),
            cause: AtomicU8::new(0),
            clock,
            chance: RandomState::new(),
        }
    }

    /// The provider.
    #[must_use]
    pub const fn provider(&self) -> ProviderId {
        self.provider
    }

    /// The direction.
    #[must_use]
    pub const fn direction(&self) -> Direction {
        self.direction
    }

    /// What the breaker does at the moment.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        self.breaker.state()
    }

    /// Why it is, or was last, quarantined.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        match self.cause.load(Ordering::Relaxed) {
            1 => Some(Cause::WrongBytes),
            2 => Some(Cause::Panic),
            3 => Some(Cause::ContractBroken),
            _ => None,
        }
    }

    /// Permits in use: operations at this moment of formats that limit them.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.permits.in_use()
    }

    /// The same as the health of a provider.
    #[must_use]
    pub fn health(&self) -> Health {
        match self.state() {
            BreakerState::Closed => Health::Ready,
            BreakerState::Open => Health::Degraded {
                why: "failed too often; waits before it is tried again".into(),
            },
            BreakerState::HalfOpen => Health::Degraded {
                why: "failed too often; is being tried again".into(),
            },
            BreakerState::Quarantined => Health::Quarantined {
                why: self
                    .cause()
                    .map_or("broke the contract", Cause::name)
                    .into(),
            },
        }
    }

    /// Takes the provider out of use in this direction until [`reset`](Self::reset).
    pub fn quarantine(&self, cause: Cause) {
        if self.breaker.quarantine() {
            self.cause.store(cause as u8, Ordering::Relaxed);
            events::quarantined(self, cause);
        }
    }

    /// An operator's word that the provider may be used again. What it does next is verified as if
    /// it were new.
    pub fn reset(&self) {
        if self.breaker.reset() {
            events::reset(self);
        }
    }

    /// Lets an operation through while the breaker is closed.
    #[inline]
    pub(crate) fn admit_if_closed(&self) -> Option<Pass<'_>> {
        self.breaker.admit_if_closed()
    }

    /// Lets an operation through, or not. `polls` is the session's own count of operations that
    /// found the breaker open: it decides when the clock is read.
    pub(crate) fn admit(&self, polls: &mut u32) -> Result<Pass<'_>, Reason> {
        let now = || {
            let due = polls.is_multiple_of(OPERATIONS_PER_CLOCK_READ);
            *polls = polls.wrapping_add(1);
            due.then(|| self.clock.now())
        };
        self.breaker.admit(now).map_err(|refusal| match refusal {
            Refusal::Open => Reason::BreakerOpen,
            Refusal::Quarantined => Reason::Quarantined,
        })
    }

    /// Permits for `count` operations, if the limit leaves room for them.
    #[inline]
    pub(crate) fn permit(&self, count: u32, limit: NonZeroU32) -> Option<Permit<'_>> {
        self.permits.acquire(count, limit.get())
    }

    #[inline]
    pub(crate) fn succeeded(&self, pass: &mut Pass<'_>) {
        if let Some(change) = pass.success() {
            self.tell(change);
        }
    }

    pub(crate) fn failed(&self, pass: &mut Pass<'_>, weight: Weight) {
        let now = || self.clock.now();
        let jitter = || self.chance.hash_one(self.clock.now());
        if let Some(change) = pass.failure(weight, now, jitter) {
            self.tell(change);
        }
    }

    #[cold]
    fn tell(&self, change: Change) {
        match change {
            Change::Opened => events::opened(self),
            Change::Closed => events::closed(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const PROVIDER: ProviderId = ProviderId::new("device");

    #[test]
    fn one_provider_has_one_guard_per_direction() {
        let guards = Guards::new();
        let compress = guards.guard(PROVIDER, Direction::Compress);
        let again = guards.clone().guard(PROVIDER, Direction::Compress);
        let decompress = guards.guard(PROVIDER, Direction::Decompress);
        assert!(Arc::ptr_eq(&compress, &again));
        assert!(!Arc::ptr_eq(&compress, &decompress));
        assert_eq!(guards.all().len(), 2);
    }

    #[test]
    fn health_says_what_happened() {
        let guard = Guards::new().guard(PROVIDER, Direction::Compress);
        assert_eq!(guard.health(), Health::Ready);
        guard.quarantine(Cause::WrongBytes);
        guard.quarantine(Cause::Panic);
        assert_eq!(guard.state(), BreakerState::Quarantined);
        assert_eq!(guard.health().why(), Some("said OK with wrong bytes"));
        guard.reset();
        assert_eq!(guard.health(), Health::Ready);
    }

    #[test]
    fn the_cause_of_a_quarantine_is_kept_and_named() {
        for cause in [Cause::WrongBytes, Cause::Panic, Cause::ContractBroken] {
            let guard = Guards::new().guard(PROVIDER, Direction::Compress);
            assert_eq!(guard.cause(), None);
            guard.quarantine(cause);
            assert_eq!(guard.cause(), Some(cause));
            assert_eq!(guard.health().why(), Some(cause.name()));
            assert_eq!(cause.to_string(), cause.name());
        }
    }

    #[test]
    fn permits_in_use_are_told() {
        let guard = Guards::new().guard(PROVIDER, Direction::Compress);
        let limit = NonZeroU32::new(3).unwrap();
        let held = guard.permit(2, limit);
        assert!(held.is_some());
        assert!(guard.permit(2, limit).is_none());
        assert_eq!(guard.in_flight(), 2);
        drop(held);
        assert_eq!(guard.in_flight(), 0);
    }

    #[derive(Debug, Default)]
    struct Counting(AtomicU8);

    impl Clock for Counting {
        fn now(&self) -> Duration {
            self.0.fetch_add(1, Ordering::Relaxed);
            Duration::ZERO
        }
    }

    #[test]
    fn an_open_breaker_reads_the_clock_every_16th_operation_and_a_closed_one_never() {
        let clock = Arc::new(Counting::default());
        let guard = Guards::with_clock(clock.clone()).guard(PROVIDER, Direction::Compress);
        let made = clock.0.load(Ordering::Relaxed);
        let mut polls = 0;
        for _ in 0..100 {
            guard.succeeded(&mut guard.admit(&mut polls).unwrap());
        }
        assert_eq!(clock.0.load(Ordering::Relaxed), made);

        while guard.state() == BreakerState::Closed {
            let mut pass = guard.admit(&mut polls).unwrap();
            guard.failed(&mut pass, Weight::Heavy);
        }
        let opened = clock.0.load(Ordering::Relaxed);
        for _ in 0..160 {
            assert_eq!(guard.admit(&mut polls).err(), Some(Reason::BreakerOpen));
        }
        assert_eq!(clock.0.load(Ordering::Relaxed) - opened, 10);
    }

    /// Begins at `began`, and goes on by 100 ms (the first wait) each time it is read.
    #[derive(Debug)]
    struct Ticking {
        began: Duration,
        ticks: AtomicU8,
    }

    impl Clock for Ticking {
        fn now(&self) -> Duration {
            let ticks = self.ticks.fetch_add(1, Ordering::Relaxed);
            self.began
                .saturating_add(Duration::from_millis(100) * u32::from(ticks))
        }
    }

    #[test]
    fn a_breaker_waits_by_a_clock_that_began_long_ago() {
        // The age of the Unix epoch when this was written, and twice what a breaker can count to.
        for began in [
            Duration::from_secs(1_780_000_000),
            Duration::from_millis(1 << 41),
        ] {
            let clock = Arc::new(Ticking {
                began,
                ticks: AtomicU8::new(0),
            });
            let guard = Guards::with_clock(clock).guard(PROVIDER, Direction::Compress);
            let mut polls = 0;
            while guard.state() == BreakerState::Closed {
                let mut pass = guard.admit(&mut polls).unwrap();
                guard.failed(&mut pass, Weight::Heavy);
            }
            polls = 1;
            assert_eq!(guard.admit(&mut polls).err(), Some(Reason::BreakerOpen));
            polls = 16;
            assert!(guard.admit(&mut polls).unwrap().is_probe());
        }
    }

    #[test]
    fn a_clock_at_its_end_is_survived() {
        #[derive(Debug)]
        struct AtEnd(AtomicU8);
        impl Clock for AtEnd {
            fn now(&self) -> Duration {
                match self.0.fetch_add(1, Ordering::Relaxed) {
                    0 => Duration::ZERO,
                    _ => Duration::MAX,
                }
            }
        }
        let clock = Arc::new(AtEnd(AtomicU8::new(0)));
        let guard = Guards::with_clock(clock).guard(PROVIDER, Direction::Compress);
        while guard.state() == BreakerState::Closed {
            guard.failed(&mut guard.admit(&mut 0).unwrap(), Weight::Heavy);
        }
        assert!(guard.admit(&mut 0).unwrap().is_probe());
    }
}

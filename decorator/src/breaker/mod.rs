//! Switches an accelerator off while it fails, and finds out when it works again.
//!
//! ```text
//!            8 failures in a row, or 32 of the last 64
//!   closed ───────────────────────────────────────────▶ open ◀─┐
//!     ▲                                     wait is over │     │ the probe fails:
//!     │ 4 probes succeed                                 ▼     │ twice the wait
//!     └───────────────────────────────────────────── half-open ┘
//!
//!   closed ── opens again before it held out as long as the last wait ──▶ open, twice the wait
//!
//!   any ── wrong bytes, panic ──▶ quarantined ── an operator ──▶ closed
//! ```

mod word;

use std::time::Duration;

use self::word::{Phase, State};
use crate::sync::{AtomicU64, Ordering};

/// Failures in a row that open it.
const IN_A_ROW: u32 = 8;

/// Failures among the last 64 operations that open it.
const OF_THE_LAST_64: u32 = 32;

/// Probes that have to succeed before it closes.
const PROBES: u8 = 4;

/// The first wait; each failed probe doubles it, and so does each relapse.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Doublings after which the wait is the longest.
const MAX_DOUBLINGS: u8 = 9;

const _: () = assert!(FIRST_WAIT.as_millis() << MAX_DOUBLINGS >= LONGEST_WAIT.as_millis());

/// How much one failure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// As one.
    Plain = 1,
    /// As four in a row: two of them open the breaker.
    Heavy = 4,
}

/// A change that the world should hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Was closed, is open.
    Opened,
    /// Was half-open, is closed.
    Closed,
}

/// Why an operation is not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Open, or half-open with a probe on its way.
    Open,
    /// Quarantined.
    Quarantined,
}

/// What a breaker does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BreakerState {
    /// Lets everything through.
    Closed,
    /// Lets nothing through until its wait is over.
    Open,
    /// Lets one operation at a time through, to see.
    HalfOpen,
    /// Lets nothing through until an operator resets it.
    Quarantined,
}

/// The breaker of one provider and direction. See the [module](self).
#[derive(Debug)]
pub struct Breaker {
    /// A packed [`State`].
    word: AtomicU64,
    /// The last 64 operations while closed, the latest in bit 0; 1 for a failure. Stays 0, and
    /// unwritten, for as long as nothing fails.
    history: AtomicU64,
}

impl Breaker {
    /// Closed.
    #[must_use]
    pub fn new() -> Self {
        Self {
            word: AtomicU64::new(State::CLOSED.pack()),
            history: AtomicU64::new(0),
        }
    }

    /// Lets an operation through while closed: one relaxed load.
    #[inline]
    #[must_use]
    pub fn admit_if_closed(&self) -> Option<Pass<'_>> {
        let word = self.word.load(Ordering::Relaxed);
        word::is_closed(word).then(|| self.pass(word))
    }

    /// Lets an operation through, or not.
    ///
    /// `now` is asked while open only: it reads the clock, or says that it is not time to.
    ///
    /// # Errors
    ///
    /// [`Refusal`].
    #[cold]
    pub fn admit(&self, now: impl FnOnce() -> Option<Duration>) -> Result<Pass<'_>, Refusal> {
        let word = self.word.load(Ordering::Relaxed);
        let state = State::unpack(word);
        let probe = match state.phase {
            Phase::Closed => return Ok(self.pass(word)),
            Phase::Quarantined => return Err(Refusal::Quarantined),
            Phase::Open => {
                let now = now().ok_or(Refusal::Open)?;
                if millis(now) < state.deadline {
                    return Err(Refusal::Open);
                }
                state.half_open()
            }
            Phase::HalfOpen if state.probing => return Err(Refusal::Open),
            Phase::HalfOpen => State {
                probing: true,
                ..state
            },
        };
        if self.exchange(word, probe) {
            Ok(self.pass(probe.pack()))
        } else {
            // Somebody else is the probe, or the phase changed.
            Err(Refusal::Open)
        }
    }

    fn pass(&self, word: u64) -> Pass<'_> {
        Pass {
            breaker: self,
            word,
            probe: !word::is_closed(word),
        }
    }

    /// Quarantines; whether it was not quarantined already.
    pub fn quarantine(&self) -> bool {
        self.change(|state| (state.phase != Phase::Quarantined).then(|| state.quarantined()))
    }

    /// Closes, whatever it was; whether it was not closed already.
    pub fn reset(&self) -> bool {
        self.history.store(0, Ordering::Relaxed);
        self.change(|state| (state.phase != Phase::Closed).then(|| state.closed()))
    }

    /// What it does at the moment.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        match State::unpack(self.word.load(Ordering::Relaxed)).phase {
            Phase::Closed => BreakerState::Closed,
            Phase::Open => BreakerState::Open,
            Phase::HalfOpen => BreakerState::HalfOpen,
            Phase::Quarantined => BreakerState::Quarantined,
        }
    }

    /// Moves on from whatever state it is in; whether there was anywhere to move.
    fn change(&self, next: impl Fn(State) -> Option<State>) -> bool {
        self.word
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |word| {
                next(State::unpack(word)).map(State::pack)
            })
            .is_ok()
    }

    fn exchange(&self, from: u64, to: State) -> bool {
        self.word
            .compare_exchange(from, to.pack(), Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }
}

/// Leave for one operation (or one batch), and the duty to report what came of it.
///
/// A probe that is dropped without a report makes room for the next one.
#[derive(Debug)]
pub struct Pass<'a> {
    breaker: &'a Breaker,
    /// The breaker's word as of the admission.
    word: u64,
    /// Still owes the report of a probe.
    probe: bool,
}

impl Pass<'_> {
    /// Whether this is the one operation that a half-open breaker lets through.
    #[inline]
    #[must_use]
    pub fn is_probe(&self) -> bool {
        self.probe
    }

    /// Which period of the breaker this belongs to: it changes when the breaker does.
    #[inline]
    #[must_use]
    pub fn generation(&self) -> u16 {
        word::generation(self.word)
    }

    /// Reports a success: one relaxed load, and no write, while nothing fails.
    #[inline]
    pub fn success(&mut self) -> Option<Change> {
        if self.probe {
            return self.probe_succeeded();
        }
        let history = &self.breaker.history;
        if history.load(Ordering::Relaxed) != 0 {
            let _ = history.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
                (last != 0).then_some(last << 1)
            });
        }
        None
    }

    #[cold]
    fn probe_succeeded(&mut self) -> Option<Change> {
        self.probe = false;
        let state = State::unpack(self.word);
        let successes = state.successes.saturating_add(1);
        if successes < PROBES {
            let next = State {
                probing: false,
                successes,
                ..state
            };
            self.breaker.exchange(self.word, next);
            return None;
        }
        // Only the probe gets here, and nobody looks at the history before the exchange.
        self.breaker.history.store(0, Ordering::Relaxed);
        self.breaker
            .exchange(self.word, state.recovered())
            .then_some(Change::Closed)
    }

    /// Reports a failure. `now` and `jitter` are asked for only if the breaker opens by it.
    #[cold]
    pub fn failure(
        &mut self,
        weight: Weight,
        now: impl FnOnce() -> Duration,
        jitter: impl FnOnce() -> u64,
    ) -> Option<Change> {
        let state = State::unpack(self.word);
        if self.probe {
            self.probe = false;
            let doublings = one_more(state.doublings);
            let open = state.open(deadline(now(), doublings, jitter()), doublings);
            self.breaker.exchange(self.word, open);
            // Still the same outage: nothing that was not said when it opened.
            return None;
        }
        // A report from a period that is over says nothing about this one. Acquire: the history
        // that was cleared when this period began is the one that is added to.
        if self.breaker.word.load(Ordering::Acquire) != self.word {
            return None;
        }
        let failed = |last: u64| last << (weight as u32) | ((1 << (weight as u32)) - 1);
        let last =
            self.breaker
                .history
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
                    Some(failed(last))
                });
        // Each decides by the history that its own update made, so the one that completes the
        // count opens, whoever else reports meanwhile.
        let last = failed(last.unwrap_or_else(|last| last));
        if last.trailing_ones() < IN_A_ROW && last.count_ones() < OF_THE_LAST_64 {
            return None;
        }
        let now = now();
        let doublings = if is_relapse(state, now) {
            one_more(state.doublings)
        } else {
            0
        };
        let open = state.open(deadline(now, doublings, jitter()), doublings);
        self.breaker
            .exchange(self.word, open)
            .then_some(Change::Opened)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.probe {
            let next = State {
                probing: false,
                ..State::unpack(self.word)
            };
            self.breaker.exchange(self.word, next);
        }
    }
}

/// Whether an accelerator that fails now, after it recovered, held out for less time than was last
/// waited for it: then the outage goes on, though the probes were good.
fn is_relapse(recovered: State, now: Duration) -> bool {
    recovered.deadline != 0
        && millis(now).saturating_sub(recovered.deadline) < millis(wait(recovered.doublings))
}

fn one_more(doublings: u8) -> u8 {
    doublings.saturating_add(1).min(MAX_DOUBLINGS)
}

fn wait(doublings: u8) -> Duration {
    (FIRST_WAIT * (1 << doublings.min(MAX_DOUBLINGS))).min(LONGEST_WAIT)
}

/// The end of a wait that starts now: its second half is left to chance, so that processes which
/// lost one device together do not all come back at once.
fn deadline(now: Duration, doublings: u8, jitter: u64) -> u64 {
    let half = millis(wait(doublings)) / 2;
    millis(now)
        .saturating_add(half + jitter % (half + 1))
        .min(State::LAST_DEADLINE)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;

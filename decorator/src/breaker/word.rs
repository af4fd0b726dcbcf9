//! The breaker's state in one word, so that every change is one exchange.

/// What the breaker lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// Everything.
    Closed = 0,
    /// Nothing before the deadline.
    Open = 1,
    /// One probe at a time.
    HalfOpen = 2,
    /// Nothing.
    Quarantined = 3,
}

/// The state, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub phase: Phase,
    /// Half-open: a probe is on its way.
    pub probing: bool,
    /// Half-open: probes that succeeded.
    pub successes: u8,
    /// How often the wait was doubled.
    pub doublings: u8,
    /// The millisecond of the clock from which a probe is, or was, let through: the end of the
    /// latest wait. 0 before there was one.
    pub deadline: u64,
    /// Counts changes of phase, and wraps: tells a late report from a present one.
    pub generation: u16,
}

const PHASE_BITS: u32 = 2;
const PROBING_BITS: u32 = 1;
const SUCCESSES_BITS: u32 = 3;
const DOUBLINGS_BITS: u32 = 4;
/// 34 years of milliseconds.
const DEADLINE_BITS: u32 = 40;
const GENERATION_BITS: u32 = 14;

const _: () = assert!(
    PHASE_BITS + PROBING_BITS + SUCCESSES_BITS + DOUBLINGS_BITS + DEADLINE_BITS + GENERATION_BITS
        == u64::BITS
);

/// Whether the word says [`Phase::Closed`]: all that the accelerated path looks at.
#[inline]
pub(super) const fn is_closed(word: u64) -> bool {
    word & mask(PHASE_BITS) == Phase::Closed as u64
}

/// The [`State::generation`] in the word.
#[inline]
pub(super) const fn generation(word: u64) -> u16 {
    (word >> (u64::BITS - GENERATION_BITS)) as u16
}

impl State {
    /// As new: closed.
    pub const CLOSED: Self = Self {
        phase: Phase::Closed,
        probing: false,
        successes: 0,
        doublings: 0,
        deadline: 0,
        generation: 0,
    };

    /// The latest deadline that a word holds.
    pub const LAST_DEADLINE: u64 = mask(DEADLINE_BITS);

    /// Closed, as the change that follows this state.
    pub const fn closed(self) -> Self {
        Self {
            generation: self.generation.wrapping_add(1),
            ..Self::CLOSED
        }
    }

    /// Open until `deadline`, as the change that follows this state.
    pub const fn open(self, deadline: u64, doublings: u8) -> Self {
        Self {
            phase: Phase::Open,
            deadline,
            doublings,
            ..self.closed()
        }
    }

    /// Half-open with the first probe on its way, as the change that follows this state.
    pub const fn half_open(self) -> Self {
        Self {
            phase: Phase::HalfOpen,
            probing: true,
            ..self.recovered()
        }
    }

    /// Closed after an outage that is not forgotten, as the change that follows this state.
    pub const fn recovered(self) -> Self {
        Self {
            doublings: self.doublings,
            deadline: self.deadline,
            ..self.closed()
        }
    }

    /// Quarantined, as the change that follows this state.
    pub const fn quarantined(self) -> Self {
        Self {
            phase: Phase::Quarantined,
            ..self.closed()
        }
    }

    pub const fn pack(self) -> u64 {
        let mut word = self.generation as u64 & mask(GENERATION_BITS);
        word = word << DEADLINE_BITS | self.deadline & mask(DEADLINE_BITS);
        word = word << DOUBLINGS_BITS | self.doublings as u64 & mask(DOUBLINGS_BITS);
        word = word << SUCCESSES_BITS | self.successes as u64 & mask(SUCCESSES_BITS);
        word = word << PROBING_BITS | self.probing as u64;
        word << PHASE_BITS | self.phase as u64
    }

    pub const fn unpack(word: u64) -> Self {
        let mut rest = word;
        let phase = match rest & mask(PHASE_BITS) {
            0 => Phase::Closed,
            1 => Phase::Open,
            2 => Phase::HalfOpen,
            _ => Phase::Quarantined,
        };
        rest >>= PHASE_BITS;
        let probing = rest & mask(PROBING_BITS) != 0;
        rest >>= PROBING_BITS;
        let successes = (rest & mask(SUCCESSES_BITS)) as u8;
        rest >>= SUCCESSES_BITS;
        let doublings = (rest & mask(DOUBLINGS_BITS)) as u8;
        rest >>= DOUBLINGS_BITS;
        let deadline = rest & mask(DEADLINE_BITS);
        Self {
            phase,
            probing,
            successes,
            doublings,
            deadline,
            generation: generation(word),
        }
    }
}

const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_word_is_a_state_and_back(word: u64) {
            prop_assert_eq!(State::unpack(word).pack(), word);
            prop_assert_eq!(State::unpack(word).phase == Phase::Closed, is_closed(word));
            prop_assert_eq!(State::unpack(word).generation, generation(word));
        }
    }

    #[test]
    fn a_change_of_phase_is_a_change_of_word_even_when_the_counter_wraps() {
        let mut state = State::CLOSED;
        for _ in 0..1 << (GENERATION_BITS + 1) {
            let next = State::unpack(state.closed().pack());
            assert_ne!(next, state);
            assert_eq!(next.phase, Phase::Closed);
            state = next;
        }
    }
}

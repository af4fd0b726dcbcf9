use std::hash::{BuildHasher, RandomState};

/// Chance, for choosing which operations are verified: fast, and not to be foreseen by a device
/// that is right on every call but the third.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Another sequence each time.
    pub(crate) fn new() -> Self {
        // xorshift never leaves 0, so it must not start there.
        Self(RandomState::new().hash_one(0_u8) | 1)
    }

    /// True once in `n` times; never for 0.
    #[inline]
    pub(crate) fn one_in(&mut self, n: u32) -> bool {
        // Marsaglia's xorshift64, with the shifts 13, 7, 17.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        n != 0 && ((self.0 >> 32) * u64::from(n)) >> 32 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_marsaglias() {
        let mut dice = Dice(1);
        for state in [
            1_082_269_761,
            1_152_992_998_833_853_505,
            11_177_516_664_432_764_457,
        ] {
            dice.one_in(1);
            assert_eq!(dice.0, state);
        }
    }

    #[test]
    fn as_often_as_asked_for() {
        let mut dice = Dice::new();
        assert!((0..100).all(|_| dice.one_in(1)));
        assert!(!(0..100).any(|_| dice.one_in(0)));
        for n in [2, 10, 1024] {
            let rounds = 1_000 * n;
            let hits = (0..rounds).filter(|_| dice.one_in(n)).count();
            // 1,000 are expected; 8 standard deviations off is a fault of the dice.
            assert!((750..1_250).contains(&hits), "1 in {n}: {hits} of {rounds}");
        }
    }
}

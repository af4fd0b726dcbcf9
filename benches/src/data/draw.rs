//! The source of all randomness.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Draws from one ChaCha8 stream.
///
/// Everything is derived here from whole 64-bit words, and nothing from the distributions of a
/// library: how those map words to values may change from one release to the next, and our bytes
/// may not.
pub(super) struct Draw {
    words: ChaCha8Rng,
}

impl Draw {
    /// The stream of `seed` for the data set called `name`. Both are in the key, so no two sets
    /// share a stream.
    pub(super) fn new(name: &str, seed: u64) -> Self {
        let mut key = [0; 32];
        for (to, from) in key
            .iter_mut()
            .zip(seed.to_le_bytes().into_iter().chain(name.bytes()))
        {
            *to = from;
        }
        Self {
            words: ChaCha8Rng::from_seed(key),
        }
    }

    /// 64 random bits.
    pub(super) fn word(&mut self) -> u64 {
        self.words.next_u64()
    }

    /// One of `0..n`, or 0 if there is none. The bias is below `n / 2^64`, too small to be seen in
    /// any data set.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        let scaled = u128::from(self.word()) * u128::from(n);
        (scaled >> 64) as u64
    }

    /// One of `low..=high`, or `low` if that is empty.
    pub(super) fn between(&mut self, low: i32, high: i32) -> i32 {
        let count = (i64::from(high) - i64::from(low) + 1).max(1).unsigned_abs();
        // Less than `count` above `low`, so never above `high`.
        low.wrapping_add(self.below(count) as i32)
    }

    /// Mostly near 0, seldom as far as ±`reach`: the mean of four draws, which is close enough to a
    /// normal distribution of deviation `0.29 * reach` and, unlike one, needs no floating point.
    pub(super) fn bell(&mut self, reach: i32) -> i32 {
        let sum: i64 = (0..4).map(|_| i64::from(self.between(-reach, reach))).sum();
        (sum / 4) as i32
    }

    /// True once in `n` times.
    pub(super) fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of `choices`, all as likely. Nothing to choose from gives the default, though no caller
    /// relies on that.
    pub(super) fn pick<T: Copy + Default>(&mut self, choices: &[T]) -> T {
        let at = self.below(choices.len() as u64) as usize;
        choices.get(at).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_reaches_both_ends_and_nothing_else() {
        let mut draw = Draw::new("test", 0);
        let mut drawn: Vec<i32> = (0..200).map(|_| draw.between(-2, 2)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, [-2, -1, 0, 1, 2]);
    }

    #[test]
    fn extreme_ranges_neither_overflow_nor_panic() {
        let mut draw = Draw::new("test", 0);
        for _ in 0..100 {
            draw.between(i32::MIN, i32::MAX);
            draw.bell(i32::MAX);
            assert_eq!(draw.between(7, 7), 7);
            assert_eq!(draw.between(7, 6), 7);
            assert_eq!(draw.below(0), 0);
            assert_eq!(draw.pick::<u8>(&[]), 0);
        }
    }

    #[test]
    fn name_and_seed_both_choose_the_stream() {
        let word = |name, seed| Draw::new(name, seed).word();
        assert_ne!(word("a", 1), word("b", 1));
        assert_ne!(word("a", 1), word("a", 2));
    }
}

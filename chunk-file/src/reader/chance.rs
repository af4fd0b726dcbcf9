use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Draws for the CRC check: independent of each other and of any period in what is read.
#[derive(Debug)]
pub(super) struct Chance {
    /// Of 2⁶⁴ draws, how many say yes; `None` for all.
    threshold: Option<u64>,
    state: AtomicU64,
}

impl Chance {
    /// `None` unless the chance is from 0 to 1.
    pub(super) fn new(chance: f64) -> Option<Self> {
        if !(0.0..=1.0).contains(&chance) {
            return None;
        }
        // 2⁶⁴ as a double; a product below it converts without loss of range.
        let scale = 18_446_744_073_709_551_616.0;
        Some(Self {
            threshold: (chance < 1.0).then_some((chance * scale) as u64),
            state: AtomicU64::new(RandomState::new().hash_one(0)),
        })
    }

    /// Whether to check this time.
    pub(super) fn draw(&self) -> bool {
        let Some(threshold) = self.threshold else {
            return true;
        };
        if threshold == 0 {
            return false;
        }
        // SplitMix64: a Weyl sequence, whose step any number of threads can take at once, and a
        // finaliser (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
        let step = 0x9e37_79b9_7f4a_7c15_u64;
        let mut z = self.state.fetch_add(step, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) < threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_drawn_as_the_chance_says() {
        for (chance, least, most) in [
            (0.0, 0, 0),
            (0.1, 700, 1300),
            (0.5, 4500, 5500),
            (1.0, 10_000, 10_000),
        ] {
            let dice = Chance::new(chance).unwrap();
            let drawn = (0..10_000).filter(|_| dice.draw()).count();
            assert!((least..=most).contains(&drawn), "{chance}: {drawn}");
        }
    }

    #[test]
    fn no_other_chances_exist() {
        for chance in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Chance::new(chance).is_none());
        }
    }
}

/// SplitMix64: small, seeded, the same on every platform.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// One of `0..n`; 0 if there is none.
    pub(crate) const fn below(&mut self, n: usize) -> usize {
        ((self.next() as u128 * n as u128) >> 64) as usize
    }

    /// One of them; the default if there is none.
    pub(crate) fn pick<T: Copy + Default>(&mut self, choices: &[T]) -> T {
        let at = self.below(choices.len());
        choices.get(at).copied().unwrap_or_default()
    }

    /// Appends `count` random bytes.
    pub(crate) fn bytes(&mut self, count: usize, out: &mut Vec<u8>) {
        let end = out.len() + count;
        while out.len() < end {
            let word = self.next().to_le_bytes();
            let room = end - out.len();
            out.extend_from_slice(word.get(..room).unwrap_or(&word));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn choices_reach_both_ends() {
        let mut random = Random::new(1);
        let mut drawn: Vec<usize> = (0..200).map(|_| random.below(3)).collect();
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn, [0, 1, 2]);
        assert_eq!(random.below(0), 0);
        let mut bytes = Vec::new();
        random.bytes(13, &mut bytes);
        assert_eq!(bytes.len(), 13);
    }
}

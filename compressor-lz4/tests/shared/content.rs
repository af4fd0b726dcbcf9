//! Content to compress, made from a few numbers so that a failing case is short to print.

use proptest::prelude::*;

/// How to make content: `len` bytes that depend on `seed` alone, new ones and, in `repeat` of 100
/// cases, a copy of something before, near or far.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    pub seed: u64,
    pub len: usize,
    pub repeat: usize,
}

impl Recipe {
    pub fn bytes(self) -> Vec<u8> {
        let mut state = self.seed | 1;
        let mut below = move |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 32).unwrap() % limit
        };
        let mut bytes: Vec<u8> = Vec::with_capacity(self.len + 64);
        while bytes.len() < self.len {
            let run = 1 + below(64);
            if !bytes.is_empty() && below(100) < self.repeat {
                let reach = bytes.len().min(1 << below(18));
                let distance = 1 + below(reach);
                for _ in 0..run {
                    bytes.push(bytes[bytes.len() - distance]);
                }
            } else {
                bytes.extend((0..run).map(|_| u8::try_from(below(256)).unwrap()));
            }
        }
        bytes.truncate(self.len);
        bytes
    }
}

/// Recipes for at most `max_len` bytes, from incompressible to very repetitive.
pub fn recipes(max_len: usize) -> impl Strategy<Value = Recipe> {
    (any::<u64>(), 0..=max_len, 0_usize..=100).prop_map(|(seed, len, repeat)| Recipe {
        seed,
        len,
        repeat,
    })
}

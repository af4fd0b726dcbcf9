use std::ffi::c_int;

use compressor_api::{LevelCost, Spec};

/// The longest input that is short, in bytes.
pub(crate) const SHORT: usize = 64 << 10;

/// The libdeflate levels that serve a spec, by the length of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Levels {
    /// Up to [`SHORT`].
    pub(crate) short: c_int,
    /// Beyond it.
    pub(crate) long: c_int,
}

impl Levels {
    /// Without an effort, and for [`Ratio`](compressor_api::Effort::Ratio), those that are as short
    /// as zlib.
    pub(crate) fn of(spec: &Spec) -> Self {
        let level = |costs| LevelCost::fastest(costs, spec).unwrap_or(serving(spec.level()));
        Self {
            short: level(SHORT_COSTS),
            long: level(LONG_COSTS),
        }
    }
}

/// What libdeflate's levels cost beside zlib's for inputs that are short, the fastest first for each
/// level of zlib; the table in the crate's documentation comes from here.
const SHORT_COSTS: &[LevelCost] = &[
    LevelCost::new(2, 1, 1),
    LevelCost::new(3, 1, 2),
    LevelCost::new(4, 1, 4),
    LevelCost::new(4, 2, 3),
    LevelCost::new(4, 4, 2),
    LevelCost::new(5, 1, 8),
    LevelCost::new(5, 3, 7),
    LevelCost::new(5, 4, 6),
    LevelCost::new(6, 1, 10),
    LevelCost::new(6, 3, 9),
    LevelCost::new(6, 4, 8),
    LevelCost::new(6, 5, 2),
    LevelCost::new(7, 1, 13),
    LevelCost::new(7, 2, 11),
    LevelCost::new(7, 3, 10),
    LevelCost::new(7, 4, 9),
    LevelCost::new(7, 5, 2),
    LevelCost::new(8, 1, 16),
    LevelCost::new(8, 2, 14),
    LevelCost::new(8, 3, 11),
    LevelCost::new(8, 4, 10),
    LevelCost::new(8, 5, 3),
    LevelCost::new(9, 1, 16),
    LevelCost::new(9, 2, 14),
    LevelCost::new(9, 3, 11),
    LevelCost::new(9, 4, 10),
    LevelCost::new(9, 5, 4),
];

/// The same for longer inputs, measured up to 256 KiB.
const LONG_COSTS: &[LevelCost] = &[
    LevelCost::new(2, 1, 1),
    LevelCost::new(3, 1, 2),
    LevelCost::new(4, 1, 5),
    LevelCost::new(4, 2, 3),
    LevelCost::new(4, 4, 2),
    LevelCost::new(5, 1, 10),
    LevelCost::new(5, 2, 8),
    LevelCost::new(5, 3, 7),
    LevelCost::new(5, 4, 6),
    LevelCost::new(6, 1, 12),
    LevelCost::new(6, 2, 10),
    LevelCost::new(6, 3, 9),
    LevelCost::new(6, 4, 8),
    LevelCost::new(6, 5, 2),
    LevelCost::new(7, 1, 15),
    LevelCost::new(7, 2, 13),
    LevelCost::new(7, 3, 10),
    LevelCost::new(7, 4, 9),
    LevelCost::new(7, 5, 3),
    LevelCost::new(8, 1, 18),
    LevelCost::new(8, 2, 16),
    LevelCost::new(8, 3, 13),
    LevelCost::new(8, 4, 10),
    LevelCost::new(8, 5, 3),
    LevelCost::new(9, 1, 18),
    LevelCost::new(9, 2, 16),
    LevelCost::new(9, 3, 13),
    LevelCost::new(9, 4, 11),
    LevelCost::new(9, 5, 4),
];

/// The libdeflate level that serves one of zlib's; the crate's documentation says how each was
/// chosen.
const fn serving(zlib: i32) -> c_int {
    match zlib {
        ..=0 => 0,
        1 => 1,
        2 | 3 => 2,
        4 | 5 => 5,
        6 => 6,
        7 => 7,
        8.. => 8,
    }
}

#[cfg(test)]
mod tests {
    use compressor_api::{Format, Spec};
    use compressor_benches::data::{Kind, generate};

    use crate::ID;

    #[test]
    fn the_level_used_is_told() {
        let served: Vec<i32> = (0..=9)
            .map(|level| {
                let spec = Spec::new(Format::Zlib).with_level(level).unwrap();
                let compressor = crate::factory().compressor(&spec).unwrap();
                let side = compressor.effective().compress.unwrap();
                assert_eq!((side.provider, side.window), (ID, 32 << 10));
                side.level
            })
            .collect();
        assert_eq!(served, [0, 1, 2, 2, 5, 5, 6, 7, 8, 8]);
    }

    /// What the crate's documentation promises, on part of the data that its table is made from.
    #[test]
    fn units_are_no_longer_than_those_of_zlib() {
        for kind in [Kind::Text, Kind::Rows] {
            let data = generate(kind, 1, 128 << 10).bytes;
            for block_size in [4 << 10, 16 << 10, 64 << 10] {
                for level in 0..=9 {
                    let spec = Spec::new(Format::Zlib).with_level(level).unwrap();
                    let [zlib, libdeflate] =
                        [compressor_deflate::factory(), crate::factory()].map(|factory| {
                            let compressor = factory.compressor(&spec).unwrap();
                            let mut session = compressor.compress_session().unwrap();
                            let mut dst = vec![0; 2 * block_size];
                            let lens = data
                                .chunks(block_size)
                                .map(|block| session.compress(block, &mut dst).unwrap());
                            lens.sum::<usize>()
                        });
                    let ratio = libdeflate as f64 / zlib as f64;
                    assert!(
                        ratio <= 1.002,
                        "{kind} {block_size} level {level}: {ratio:.4}"
                    );
                }
            }
        }
    }
}

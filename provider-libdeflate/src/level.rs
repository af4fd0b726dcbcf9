use std::ffi::c_int;

/// The libdeflate level that serves one of zlib's; the crate's documentation says how each was
/// chosen.
pub(crate) const fn serving(zlib: i32) -> c_int {
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

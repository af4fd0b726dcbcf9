//! What the crate's documentation says about levels, on the data sets of the benchmarks.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use compressor_api::{CompressorFactory, Format, Spec};
use compressor_benches::data::{Kind, generate};
use isal::factory;

mod isal;

const BLOCK_SIZES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];

/// Length of all blocks as units.
fn len(factory: &dyn CompressorFactory, level: i32, blocks: &[u8], block_size: usize) -> usize {
    let spec = Spec::new(Format::Zlib).with_level(level).unwrap();
    let compressor = factory.compressor(&spec).unwrap();
    let mut session = compressor.compress_session().unwrap();
    let mut unit = vec![0; compressor.max_compressed_len(block_size).unwrap()];
    blocks
        .chunks(block_size)
        .map(|block| session.compress(block, &mut unit).unwrap())
        .sum()
}

/// The levels 1 to 9, without those that ISA-L serves as it serves the one before.
fn different_levels() -> Vec<i32> {
    let used = |level: &mut i32| {
        let spec = Spec::new(Format::Zlib).with_level(*level).unwrap();
        let effective = factory().compressor(&spec).unwrap().effective().clone();
        effective.compress.unwrap().level
    };
    let mut levels: Vec<i32> = (1..=9).collect();
    levels.dedup_by_key(used);
    levels
}

#[test]
fn a_higher_level_is_never_longer() {
    assert!(different_levels().len() > 1);
    for kind in Kind::ALL {
        let data = generate(kind, 1, 2 << 20).bytes;
        for block_size in BLOCK_SIZES {
            let lens: Vec<usize> = different_levels()
                .into_iter()
                .map(|level| len(&*factory(), level, &data, block_size))
                .collect();
            assert!(
                lens.is_sorted_by(|low, high| low >= high),
                "{kind} {block_size}: {lens:?}"
            );
        }
    }
}

/// The worst of four kinds and three sizes of blocks, when this was written: 1.026, 1.058, 1.030 and
/// 1.121.
#[test]
fn units_are_about_as_long_as_those_of_zlib() {
    for kind in [Kind::Text, Kind::Rows, Kind::WideRows, Kind::Logs] {
        let data = generate(kind, 1, 1 << 20).bytes;
        for block_size in BLOCK_SIZES {
            for (level, most) in [(1, 1.05), (2, 1.08), (3, 1.05), (6, 1.14)] {
                let isal = len(&*factory(), level, &data, block_size);
                let zlib = len(&*compressor_deflate::factory(), level, &data, block_size);
                let ratio = isal as f64 / zlib as f64;
                assert!(
                    ratio <= most,
                    "{kind} {block_size}, level {level}: {ratio:.3}"
                );
            }
        }
    }
}

//! What is compressed comes back, and a result that fits is given.

use compressor_api::{ErrorKind, Format, inspect};
use proptest::prelude::*;

use crate::content::{Recipe, recipes};
use crate::guarded::{self, compress, fit_exactly, unit};
use crate::{FORMATS, compressor, decompress, decompress_exact, levels};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn content_comes_back_at_every_level(
        recipe in recipes(70_000),
        level in levels(),
        shorter in 0_usize..100,
    ) {
        let content = recipe.bytes();
        for format in FORMATS {
            let compressor = compressor(format, level);
            let bound = compressor.max_compressed_len(content.len()).unwrap();
            let mut session = compressor.compress_session().unwrap();
            let len = unit(&*compressor, &content).len();
            let unit = fit_exactly(
                &mut *session,
                &content,
                bound,
                [len - 1, len * shorter / 100],
            );
            prop_assert!(unit.len() <= bound);
            for read in [
                decompress(format, &unit, content.len()),
                decompress(format, &unit, content.len() + 99),
                decompress_exact(format, &unit, content.len()),
            ] {
                prop_assert_eq!(read.as_ref(), Ok(&content));
            }
            if let Some(less) = content.len().checked_sub(1) {
                let result = decompress(format, &unit, less);
                prop_assert_eq!(result, Err(ErrorKind::OutputTooSmall));
            }
            if format == Format::Lz4Block {
                let walked = inspect::lz4::content_len(&unit);
                prop_assert_eq!(walked, Ok(content.len() as u64));
            }
        }
    }

    #[test]
    fn what_a_session_did_before_leaves_no_trace(
        blocks in prop::collection::vec((recipes(6_000), any::<bool>()), 1..24),
        large in recipes(70_000),
        level in levels(),
    ) {
        let compressor = compressor(Format::Lz4Block, level);
        let mut session = compressor.compress_session().unwrap();
        let mut decompress_session = compressor.decompress_session().unwrap();
        for (recipe, fails) in blocks.into_iter().chain([(large, false)]) {
            let content = recipe.bytes();
            let bound = compressor.max_compressed_len(content.len()).unwrap();
            let fresh = unit(&*compressor, &content);
            if fails {
                let result = compress(&mut *session, &content, fresh.len() - 1);
                prop_assert_eq!(result, Err(ErrorKind::OutputTooSmall));
                let result = guarded::decompress(&mut *decompress_session, &fresh[1..], 70_000);
                prop_assert_ne!(result.as_ref(), Ok(&content));
            }
            let reused = compress(&mut *session, &content, bound);
            prop_assert_eq!(reused.as_ref(), Ok(&fresh), "at {} bytes", content.len());
            let read = guarded::decompress(&mut *decompress_session, &fresh, content.len());
            prop_assert_eq!(read.as_ref(), Ok(&content));
        }
    }
}

/// Every level that differs, and the ends of the scale.
const LEVELS: [i32; 15] = [-65_536, -9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

#[test]
fn small_content_fits_exactly_at_every_length() {
    // Around 13 bytes, the shortest content with a match, and 270, a second length byte.
    for level in LEVELS {
        let compressor = compressor(Format::Lz4Block, level);
        let mut session = compressor.compress_session().unwrap();
        for len in (0..64).chain(264..280) {
            for repeat in [0, 90] {
                let seed = 0x9E37_79B9 + len as u64;
                let content = Recipe { seed, len, repeat }.bytes();
                let bound = compressor.max_compressed_len(len).unwrap();
                let unit_len = unit(&*compressor, &content).len();
                // Each failure makes liblz4 clear 256 KiB, so the longer ones try the last few.
                let least = if len < 40 { 0 } else { unit_len - 12 };
                let unit = fit_exactly(&mut *session, &content, bound, least..unit_len);
                let read = decompress(Format::Lz4Block, &unit, len);
                assert_eq!(read, Ok(content), "level {level}, {len} bytes");
            }
        }
    }
}

#[test]
fn a_session_outlives_the_positions_that_liblz4_can_count() {
    // liblz4 numbers the bytes of all blocks of a high compression state, and starts again above
    // 1 GiB.
    let zeros = vec![0; 64 << 20];
    let recipe = Recipe {
        seed: 7,
        len: 40_000,
        repeat: 70,
    };
    let content = recipe.bytes();
    for level in [2, 3] {
        let compressor = compressor(Format::Lz4Block, level);
        let fresh = unit(&*compressor, &content);
        let mut session = compressor.compress_session().unwrap();
        let mut dst = vec![0; 1 << 20];
        for round in 0..18 {
            let n = session.compress(&zeros, &mut dst).unwrap();
            let walked = inspect::lz4::content_len(&dst[..n]);
            assert_eq!(walked, Ok(zeros.len() as u64));
            let n = session.compress(&content, &mut dst).unwrap();
            assert_eq!(dst[..n], fresh, "level {level}, round {round}");
        }
    }
}

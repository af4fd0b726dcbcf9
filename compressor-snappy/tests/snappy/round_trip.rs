//! What is compressed comes back, and a result that fits is given.

use compressor_api::{ErrorKind, inspect};
use proptest::prelude::*;

use crate::content::{Recipe, recipes};
use crate::guarded::{self, compress, fit_exactly, unit};
use crate::{cases, compressor, decompress, decompress_exact};

const LARGE: usize = if cfg!(miri) { 2_000 } else { 70_000 };

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn content_comes_back(recipe in recipes(LARGE), shorter in 0_usize..100) {
        let content = recipe.bytes();
        let compressor = compressor();
        let bound = compressor.max_compressed_len(content.len()).unwrap();
        let mut session = compressor.compress_session().unwrap();
        let len = unit(&*compressor, &content).len();
        let shorter = [len - 1, len * shorter / 100, 0];
        let unit = fit_exactly(&mut *session, &content, bound, shorter);
        prop_assert!(unit.len() <= bound);
        // The way for less room gives the same bytes up to the bound.
        let below = compress(&mut *session, &content, bound - 1);
        prop_assert_eq!(below.as_ref(), Ok(&unit));
        for read in [
            decompress(&unit, content.len()),
            decompress(&unit, content.len() + 99),
            decompress_exact(&unit, content.len()),
        ] {
            prop_assert_eq!(read.as_ref(), Ok(&content));
        }
        if let Some(less) = content.len().checked_sub(1) {
            prop_assert_eq!(decompress(&unit, less), Err(ErrorKind::OutputTooSmall));
        }
        prop_assert_eq!(inspect::snappy::content_len(&unit), Ok(content.len() as u64));
    }

    #[test]
    fn what_a_session_did_before_leaves_no_trace(
        blocks in prop::collection::vec((recipes(LARGE / 10), any::<bool>()), 1..12),
    ) {
        let compressor = compressor();
        let mut session = compressor.compress_session().unwrap();
        let mut reader = compressor.decompress_session().unwrap();
        for (recipe, fails) in blocks {
            let content = recipe.bytes();
            let fresh = unit(&*compressor, &content);
            if fails {
                let result = compress(&mut *session, &content, fresh.len() - 1);
                prop_assert_eq!(result, Err(ErrorKind::OutputTooSmall));
                let result = guarded::decompress(&mut *reader, &fresh[1..], content.len());
                prop_assert_ne!(result.as_ref(), Ok(&content));
            }
            let bound = compressor.max_compressed_len(content.len()).unwrap();
            for room in [bound, fresh.len()] {
                let reused = compress(&mut *session, &content, room);
                prop_assert_eq!(reused.as_ref(), Ok(&fresh), "at {} bytes", content.len());
            }
            let read = guarded::decompress(&mut *reader, &fresh, content.len());
            prop_assert_eq!(read.as_ref(), Ok(&content));
        }
    }
}

#[test]
fn small_content_fits_exactly_at_every_length() {
    // Around 17 bytes, the shortest content that snap looks for matches in, and 61, a length byte.
    let compressor = compressor();
    let mut session = compressor.compress_session().unwrap();
    let lens = if cfg!(miri) { 15..20 } else { 0..80 };
    for len in lens {
        for repeat in [0, 90] {
            let seed = 0x9E37_79B9 + len as u64;
            let content = Recipe { seed, len, repeat }.bytes();
            let bound = compressor.max_compressed_len(len).unwrap();
            let unit_len = unit(&*compressor, &content).len();
            let unit = fit_exactly(&mut *session, &content, bound, 0..unit_len);
            assert_eq!(decompress(&unit, len), Ok(content), "{len} bytes");
        }
    }
}

/// snap compresses 64 KiB at a time: both ways to compress must cut there.
#[cfg(not(miri))]
#[test]
fn content_of_several_fragments_fits_exactly() {
    let compressor = compressor();
    for len in [65_535, 65_536, 65_537, 131_072, 131_073, 300_000] {
        for repeat in [0, 60, 100] {
            let recipe = Recipe {
                seed: 11,
                len,
                repeat,
            };
            let content = recipe.bytes();
            let bound = compressor.max_compressed_len(len).unwrap();
            let mut session = compressor.compress_session().unwrap();
            let unit_len = unit(&*compressor, &content).len();
            let shorter = [unit_len - 1, unit_len / 2, 4, 2];
            let unit = fit_exactly(&mut *session, &content, bound, shorter);
            assert!(decompress(&unit, len) == Ok(content), "{len} bytes");
        }
    }
}

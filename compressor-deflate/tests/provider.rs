//! What is particular to zlib: every window, and what the provider says about itself.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use compressor_api::{Compressor, ErrorKind, Format, Policy, Registry, Spec, inspect};
use compressor_deflate::{PROVIDER, factory};
use proptest::prelude::*;
use std::sync::Arc;

const FORMATS: [Format; 3] = [Format::Zlib, Format::DeflateRaw, Format::Gzip];

fn compressor(format: Format, level: i32, window_log: u8) -> Arc<dyn Compressor> {
    let spec = Spec::new(format).with_level(level).unwrap();
    let spec = spec.with_window_log(window_log).unwrap();
    factory().compressor(&spec).unwrap()
}

/// The unit of `content` in a buffer of the bound, after an exact fit and one byte less.
fn compress(compressor: &dyn Compressor, content: &[u8]) -> Vec<u8> {
    let mut session = compressor.compress_session().unwrap();
    let bound = compressor.max_compressed_len(content.len()).unwrap();
    let mut unit = vec![0; bound];
    let n = session.compress(content, &mut unit).unwrap();
    unit.truncate(n);

    let mut exact = vec![0; n];
    assert_eq!(session.compress(content, &mut exact), Ok(n));
    assert!(exact == unit);
    let less = session.compress(content, &mut exact[1..]);
    assert_eq!(less.unwrap_err().kind(), ErrorKind::OutputTooSmall);
    unit
}

/// Never repeats anything, in a sequence that is the same every time.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

#[test]
fn what_does_not_compress_fits_the_bound_in_every_window() {
    let noise = noise(140_000);
    for format in FORMATS {
        for window_log in 9..=15 {
            for level in [0, 1, 4, 9] {
                let compressor = compressor(format, level, window_log);
                for len in [0, 1, 100, 511, 1_024, 16_000, 40_000, 65_535, 140_000] {
                    let unit = compress(&*compressor, &noise[..len]);
                    let mut out = vec![0; len];
                    let mut session = compressor.decompress_session().unwrap();
                    session.decompress_exact(&unit, &mut out).unwrap();
                    assert!(out == noise[..len], "{format} {level} 2^{window_log} {len}");
                }
            }
        }
    }
}

#[test]
fn matches_keep_to_the_window() {
    for format in FORMATS {
        for window_log in 9..=15 {
            let compressor = compressor(format, 9, window_log);
            let unit_len = |distance: usize| {
                let content = noise(distance).repeat(2);
                compress(&*compressor, &content).len()
            };
            // zlib keeps 262 bytes of its window free for the longest match and what is behind it.
            let within = (1 << window_log) - 262;
            assert!(unit_len(within) < within * 3 / 2, "{format} 2^{window_log}");
            let beyond = (1 << window_log) + 1;
            assert!(unit_len(beyond) >= beyond * 2, "{format} 2^{window_log}");
        }
    }
}

#[test]
fn the_window_is_written_where_the_format_has_a_place_for_it() {
    for window_log in 9..=15 {
        let compressor = compressor(Format::Zlib, 6, window_log);
        let unit = compress(&*compressor, b"content");
        let header = inspect::header(Format::Zlib, &unit).unwrap();
        assert_eq!(header.window, Some(1 << window_log));

        let effective = compressor.effective();
        assert_eq!(effective.compress.unwrap().window, 1 << window_log);
        assert_eq!(effective.decompress.unwrap().window, 32 << 10);
    }
}

#[test]
fn the_registry_takes_it_as_the_software_codec() {
    let registry = Registry::builder().provider(&PROVIDER).build().unwrap();
    for format in FORMATS {
        let selection = registry
            .select(&Spec::new(format), &Policy::default())
            .unwrap();
        let effective = selection.software.effective();
        assert_eq!(effective.compress.unwrap().provider, PROVIDER.id);
        assert_eq!(effective.compress.unwrap().level, 6);
        assert_eq!(effective.decompress.unwrap().provider, PROVIDER.id);
        assert!(selection.compress.is_none() && selection.decompress.is_none());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_window_gives_the_content_back(
        content in proptest::collection::vec(0..4_u8, 0..9_000),
        level in 0..=9,
        window_log in 9..=15_u8,
        which in 0..3_usize,
    ) {
        let compressor = compressor(FORMATS[which], level, window_log);
        let unit = compress(&*compressor, &content);
        let mut out = vec![0; content.len()];
        compressor.decompress_session().unwrap().decompress_exact(&unit, &mut out).unwrap();
        prop_assert!(out == content);
    }
}

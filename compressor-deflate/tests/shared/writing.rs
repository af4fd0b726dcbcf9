//! Compression: what is written reads back, and `dst` may be as short as the unit is.

use compressor_api::{Error, ErrorKind, Format};
use proptest::prelude::*;

use super::{
    FORMATS, compress, compressor, decompress, guarded, levels, noise, served, small_contents,
    text, writes,
};

#[test]
fn an_exact_fit_succeeds_and_one_byte_less_does_not() {
    let contents = small_contents().into_iter().chain([
        text(5_000),
        text(70_000),
        noise(2, 5_000),
        noise(3, 70_000),
    ]);
    for content in contents {
        for format in FORMATS {
            for level in levels() {
                let compressor = compressor(format, level);
                // One session: another one may write a unit of another length.
                let mut session = compressor.compress_session().unwrap();
                let mut fit = |len| guarded(len, |dst| session.compress(&content, dst));
                let unit = fit(compressor.max_compressed_len(content.len()).unwrap()).unwrap();
                let what = format!("{format}, level {level}, {} bytes", content.len());
                assert!(fit(unit.len()) == Ok(unit.clone()), "{what}");
                for len in [unit.len() - 1, unit.len() / 2, 1, 0] {
                    assert_eq!(
                        fit(len),
                        Err(ErrorKind::OutputTooSmall),
                        "{what} into {len}"
                    );
                }
                assert!(fit(unit.len() + 1) == Ok(unit), "{what}");
            }
        }
    }
}

#[test]
fn what_does_not_compress_fits_the_bound() {
    let noise = noise(4, 200_000);
    let lens = (0..40).chain([
        255, 256, 1_000, 4_095, 4_096, 4_097, 9_999, 16_384, 65_534, 65_535, 65_536, 131_070,
        131_071, 200_000,
    ]);
    for len in lens {
        for format in FORMATS {
            for level in served([0, 1, 6, 9]) {
                let unit = compress(format, level, &noise[..len]);
                assert!(
                    decompress(format, &unit, len).as_deref() == Ok(&noise[..len]),
                    "{format}, level {level}, {len} bytes"
                );
            }
        }
    }
}

#[test]
fn the_bound_is_never_zero_and_never_wraps() {
    for format in FORMATS {
        for level in levels() {
            let compressor = compressor(format, level);
            assert!(compressor.max_compressed_len(0) >= Some(1));
            let lens = (0..62).map(|log| 1_usize << log);
            for len in lens.take_while(|len| *len <= writes().max_input) {
                assert!(compressor.max_compressed_len(len) > Some(len));
            }
            for len in [
                isize::MAX as usize,
                usize::MAX - 4_999,
                usize::MAX - 10,
                usize::MAX,
            ] {
                assert_eq!(compressor.max_compressed_len(len), None, "{format} {len}");
            }
        }
    }
}

#[test]
fn the_level_trades_length_for_time() {
    let content = text(40_000);
    for format in FORMATS {
        let len = |level| compress(format, level, &content).len();
        // Level 0 stores.
        assert!(served([0]).all(|level| len(level) > content.len()));
        assert!(
            len(1) < content.len() / 2 && len(6) < len(1),
            "{format}: {} and {}",
            len(1),
            len(6)
        );
    }
}

#[test]
fn headers_are_those_of_the_format() {
    assert_eq!(compress(Format::Zlib, 6, b"abc")[..2], [0x78, 0x9C]);
    assert_eq!(compress(Format::Gzip, 6, b"abc")[..4], [0x1F, 0x8B, 8, 0]);
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let len = prop_oneof![0..2_000_usize, 0..70_000_usize];
    let letters = prop_oneof![Just(1_u8), Just(2), Just(26), Just(255)];
    (len, letters, any::<u64>(), 0..400_usize).prop_map(|(len, letters, seed, repeat)| {
        let mut content = noise(seed, len);
        content.iter_mut().for_each(|byte| *byte %= letters);
        // Matches of every distance, at places that the seed chose.
        for at in (repeat.max(1)..len.saturating_sub(repeat)).step_by(1 + 7 * repeat) {
            let from = at - repeat.max(1);
            content.copy_within(from..from + repeat, at);
        }
        content
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_content_comes_back(content in content(), level in levels(), which in 0..3_usize) {
        let format = FORMATS[which];
        let unit = compress(format, level, &content);
        prop_assert!(decompress(format, &unit, content.len()).as_ref() == Ok(&content));
        prop_assert!(decompress(format, &unit, content.len() + 1).as_ref() == Ok(&content));
        if let Some(less) = content.len().checked_sub(1) {
            let too_small = decompress(format, &unit, less);
            prop_assert_eq!(too_small, Err(ErrorKind::OutputTooSmall));
        }
        let mut session = compressor(format, level).compress_session().unwrap();
        let mut room = vec![0; unit.len() + 100];
        let n = session.compress(&content, &mut room).unwrap();
        let refused = session.compress(&content, &mut room[..n - 1]).map_err(Error::kind);
        prop_assert_eq!(refused, Err(ErrorKind::OutputTooSmall));
    }
}

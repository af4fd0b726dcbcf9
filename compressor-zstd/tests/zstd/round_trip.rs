//! What is written is read back, by this codec and by others, whatever the level and the room.

use compressor_api::ErrorKind::{OutputTooSmall, Unsupported};
use compressor_api::{Compressor, Format, Spec, inspect};
use proptest::prelude::*;

use crate::common::{
    self, KINDS, compress, compressor, content, decompress, decompress_kind, spec,
};
use crate::stock;

/// Compresses and decompresses with all the room, exactly enough, and one byte less.
fn round_trip(compressor: &dyn Compressor, content: &[u8]) {
    let unit = compress(compressor, content);
    let mut session = compressor.compress_session().unwrap();
    let mut exact = vec![0; unit.len()];
    assert_eq!(session.compress(content, &mut exact), Ok(unit.len()));
    assert_eq!(exact, unit, "the room makes no difference to the bytes");
    let short = session.compress(content, &mut exact[1..]).unwrap_err();
    assert_eq!(short.kind(), OutputTooSmall);

    let header = inspect::header(Format::Zstd, &unit).unwrap();
    let spec = compressor.spec();
    assert_eq!(header.declared_len, Some(content.len() as u64));
    assert_eq!(header.checksum, spec.checksum());
    assert_eq!(header.dictionary_id, spec.dictionary().and_then(|d| d.id()));
    assert_eq!(compressor.decompressed_len(&unit), Ok(header.declared_len));

    let back = |len| decompress_kind(compressor, &unit, len);
    assert_eq!(back(content.len()).as_deref(), Ok(content));
    assert_eq!(back(content.len() + 100).as_deref(), Ok(content));
    if let Some(len) = content.len().checked_sub(1) {
        assert_eq!(back(len), Err(OutputTooSmall));
    }
}

/// Levels that are quick enough for any size in a debug build, and those that are not.
fn level_and_len() -> impl Strategy<Value = (i32, usize)> {
    prop_oneof![
        6 => (prop_oneof![-131_072..=-1, -60..=4], 0_usize..70_000),
        2 => (5..=9, 0_usize..20_000),
        1 => (10..=22, 0_usize..3_000),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_content_at_any_level(
        (level, len) in level_and_len(),
        kind in 0..KINDS,
        seed: u64,
        checksum: bool,
        window_log in prop::option::of(10_u8..=31),
    ) {
        let mut spec = spec(level).with_checksum(checksum).unwrap();
        if let Some(window_log) = window_log {
            spec = spec.with_window_log(window_log).unwrap();
        }
        round_trip(&*compressor(&spec), &content(kind, seed, len));
    }

    #[test]
    fn bytes_that_nobody_chose(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        round_trip(&*compressor(&spec(1)), &bytes);
    }
}

#[test]
fn every_level_serves() {
    let content = content(0, 1, 2_000);
    for level in [-131_072, -10_000, -100].into_iter().chain(-22..=22) {
        round_trip(&*compressor(&spec(level)), &content);
    }
}

#[test]
fn higher_levels_compress_better() {
    let content = content(0, 2, 50_000);
    let lens = [-50, 1, 9].map(|level| compress(&*compressor(&spec(level)), &content).len());
    assert!(lens.is_sorted_by(|a, b| a > b), "{lens:?}");
}

#[test]
fn level_0_is_the_default() {
    let content = content(0, 3, 10_000);
    let [zero, default] = [0, 3].map(|level| compressor(&spec(level)));
    assert_eq!(compress(&*zero, &content), compress(&*default, &content));
    assert_eq!(zero.effective().compress.unwrap().level, 3);
    assert_eq!(zero.spec().level(), 0);
}

#[test]
fn small_content_fits_exactly_at_every_length() {
    for kind in 0..KINDS {
        for spec in [spec(3), spec(-5).with_checksum(false).unwrap()] {
            let compressor = compressor(&spec);
            for len in 0..200 {
                round_trip(&*compressor, &content(kind, 4, len));
            }
        }
    }
}

#[test]
fn the_bound_is_enough_for_noise_in_the_smallest_blocks() {
    let spec = spec(1).with_window_log(10).unwrap();
    let compressor = compressor(&spec);
    for len in [0, 1, 1_023, 1_024, 1_025, 70_000, 131_071, 131_072, 300_000] {
        let noise = content(2, 5, len);
        let unit = compress(&*compressor, &noise);
        assert_eq!(decompress(&*compressor, &unit, len).as_ref(), Ok(&noise));
    }
}

#[test]
fn content_of_several_blocks_comes_back() {
    for kind in 0..KINDS {
        round_trip(&*compressor(&spec(1)), &content(kind, 6, 400_000));
    }
}

#[test]
fn no_room_at_all_is_too_small() {
    let compressor = compressor(&spec(3));
    let mut session = compressor.compress_session().unwrap();
    for content in [&b""[..], b"a", &[0; 1_000]] {
        let error = session.compress(content, &mut []).unwrap_err();
        assert_eq!(error.kind(), OutputTooSmall);
    }
}

#[test]
fn a_spec_without_checksum_saves_its_four_bytes() {
    let content = content(0, 7, 5_000);
    let with = compress(&*compressor(&spec(3)), &content);
    let without = compressor(&spec(3).with_checksum(false).unwrap());
    let unit = compress(&*without, &content);
    assert_eq!(unit.len() + 4, with.len());
    // Either reads the other's.
    let len = content.len();
    assert_eq!(decompress(&*without, &with, len).as_ref(), Ok(&content));
    let plain = compressor(&spec(3));
    assert_eq!(decompress(&*plain, &unit, len).as_ref(), Ok(&content));
}

#[test]
fn matches_keep_to_the_window_of_the_spec() {
    // Repeats itself at many distances, up to all of it.
    let far = [content(0, 8, 100_000), content(0, 8, 100_000)].concat();
    for window_log in [10, 12, 15, 17] {
        let spec = spec(3).with_window_log(window_log).unwrap();
        let compressor = compressor(&spec);
        let effective = compressor.effective();
        assert_eq!(effective.compress.unwrap().window, 1 << window_log);
        let unit = compress(&*compressor, &far);
        let window = inspect::needed_window(Format::Zstd, &unit, far.len()).unwrap();
        assert!(window <= 1 << window_log, "{window}");
        // This reader forgets what lies further back.
        assert_eq!(stock::decompress(window_log.into(), &[], &unit), far);
        assert_eq!(decompress(&*compressor, &unit, far.len()), Ok(far.clone()));
    }
}

#[test]
fn without_a_window_in_the_spec_that_of_the_level_is_reported() {
    let effective = |level| compressor(&spec(level)).effective().compress.unwrap();
    assert_eq!(effective(1).window, 512 << 10);
    assert_eq!(effective(22).window, 128 << 20);
    let long = content(4, 9, 600_000);
    let unit = compress(&*compressor(&spec(1)), &long);
    let window = inspect::needed_window(Format::Zstd, &unit, long.len());
    assert_eq!(window, Ok(effective(1).window));
}

#[test]
fn the_stock_library_reads_what_is_written() {
    for kind in 0..KINDS {
        let content = content(kind, 10, 150_000);
        let unit = compress(&*compressor(&spec(2)), &content);
        assert_eq!(stock::decompress(27, &[], &unit), content);
    }
}

#[test]
fn frames_without_a_content_size_are_read() {
    let compressor = compressor(&spec(3));
    for len in [0, 1, 5, 1_000, 200_000] {
        for kind in 0..KINDS {
            let content = content(kind, 11, len);
            let size_flag = (zstd_sys::ZSTD_cParameter::ZSTD_c_contentSizeFlag, 0);
            let unit = stock::compress(&[size_flag], &[], &content);
            assert_eq!(compressor.decompressed_len(&unit), Ok(None));
            let back = |len| decompress_kind(&*compressor, &unit, len);
            assert_eq!(back(len).as_ref(), Ok(&content));
            assert_eq!(back(len + 1).as_ref(), Ok(&content));
            if len > 0 {
                assert_eq!(back(len - 1), Err(OutputTooSmall));
                assert_eq!(back(0), Err(OutputTooSmall));
            }
        }
    }
}

#[test]
fn the_bound_is_that_of_the_library_and_never_wraps() {
    let compressor = compressor(&spec(3));
    for len in [0, 1, 1_000, 131_071, 131_072, 1 << 30] {
        // SAFETY: pure function of a number.
        let bound = unsafe { zstd_sys::ZSTD_compressBound(len) };
        assert_eq!(compressor.max_compressed_len(len), Some(bound));
    }
    assert_eq!(compressor.max_compressed_len(usize::MAX), None);
    let limits = common::capabilities(compressor_api::Direction::Compress);
    let at = |len| compressor.max_compressed_len(len);
    assert!(at(limits.max_input).is_some_and(|bound| bound > limits.max_input));
    assert_eq!(at(limits.max_input + 1), None);
}

#[test]
fn other_formats_are_not_served() {
    for format in Format::ALL {
        let made = compressor_zstd::factory().compressor(&Spec::new(format));
        match made {
            Ok(_) => assert_eq!(format, Format::Zstd),
            Err(error) => assert_eq!(error.kind(), Unsupported),
        }
    }
}

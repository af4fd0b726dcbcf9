//! Raw and trained dictionaries; the wrong one, and none.

use std::sync::LazyLock;

use compressor_api::ErrorKind::{CorruptInput, InvalidArgument, OutputTooSmall, WrongDictionary};
use compressor_api::{Dictionary, Format, inspect};
use zstd_sys::ZSTD_cParameter::ZSTD_c_dictIDFlag;

use crate::common::{compress, compressor, content, decompress_kind, spec, with_dictionary};
use crate::stock;

static RAW: LazyLock<Dictionary> =
    LazyLock::new(|| Dictionary::raw(content(0, 30, 8_000)).unwrap());
static TRAINED: LazyLock<Dictionary> = LazyLock::new(|| trained(31));

fn trained(seed: u64) -> Dictionary {
    let samples: Vec<Vec<u8>> = (0..200).map(|i| content(0, seed + i, 600)).collect();
    compressor_zstd::train(&samples, 8_000).unwrap()
}

#[test]
fn both_kinds_help_and_come_back_at_every_level() {
    let block = content(0, 500, 700);
    for dictionary in [&*RAW, &*TRAINED] {
        for level in [-131_072, -50, -1, 0, 1, 2, 3, 4, 6, 9, 12, 13, 16, 19, 22] {
            let plain = spec(level);
            let with = plain.clone().with_dictionary(dictionary.clone()).unwrap();
            let with = compressor(&with);
            let unit = compress(&*with, &block);
            if level > -50 {
                let without = compress(&*compressor(&plain), &block);
                assert!(unit.len() * 10 < without.len() * 9, "level {level}");
            }
            let decoded = decompress_kind(&*with, &unit, block.len());
            assert_eq!(decoded.as_ref(), Ok(&block), "level {level}");
            let read = stock::decompress(27, dictionary.bytes(), &unit);
            assert_eq!(read, block, "level {level}");
        }
    }
}

#[test]
fn the_level_counts_with_a_dictionary_as_well() {
    let block = content(0, 501, 3_000);
    for dictionary in [&*RAW, &*TRAINED] {
        let lens = [-50, 1, 19].map(|level| {
            let spec = spec(level).with_dictionary(dictionary.clone()).unwrap();
            compress(&*compressor(&spec), &block).len()
        });
        assert!(lens.is_sorted_by(|a, b| a > b), "{lens:?}");
    }
}

#[test]
fn any_length_of_content_goes_with_a_dictionary() {
    for dictionary in [&*RAW, &*TRAINED] {
        let compressor = compressor(&with_dictionary(dictionary));
        let mut session = compressor.compress_session().unwrap();
        // Around the lengths at which libzstd attaches, copies and reloads a dictionary.
        for len in [0, 1, 7, 100, 8_191, 8_193, 16_385, 50_000, 131_073, 300_000] {
            let block = content(0, 600, len);
            let unit = compress(&*compressor, &block);
            let decoded = decompress_kind(&*compressor, &unit, len);
            assert_eq!(decoded.as_ref(), Ok(&block), "{len}");
            let mut exact = vec![0; unit.len()];
            assert_eq!(session.compress(&block, &mut exact), Ok(unit.len()));
            let short = session.compress(&block, &mut exact[1..]).unwrap_err();
            assert_eq!(short.kind(), OutputTooSmall);
            if len > 0 {
                let short = decompress_kind(&*compressor, &unit, len - 1);
                assert_eq!(short, Err(OutputTooSmall));
            }
        }
    }
}

#[test]
fn a_window_goes_with_a_dictionary() {
    let spec = with_dictionary(&TRAINED).with_window_log(12).unwrap();
    let compressor = compressor(&spec);
    let block = content(0, 601, 60_000);
    let unit = compress(&*compressor, &block);
    let window = inspect::needed_window(Format::Zstd, &unit, block.len()).unwrap();
    assert!(window <= 1 << 12);
    assert_eq!(stock::decompress(12, TRAINED.bytes(), &unit), block);
}

#[test]
fn units_name_the_trained_dictionary_and_only_that() {
    let id = |dictionary| {
        let unit = compress(&*compressor(&with_dictionary(dictionary)), b"some content");
        inspect::header(Format::Zstd, &unit).unwrap().dictionary_id
    };
    assert_eq!(id(&TRAINED), TRAINED.id());
    assert!(TRAINED.id().is_some());
    assert_eq!(id(&RAW), None);
}

#[test]
fn a_dictionary_that_is_missing_or_another_is_named_as_the_fault() {
    let block = content(0, 602, 700);
    let unit = compress(&*compressor(&with_dictionary(&TRAINED)), &block);
    let other = trained(9_000);
    assert_ne!(other.id(), TRAINED.id());
    for reader in [spec(3), with_dictionary(&RAW), with_dictionary(&other)] {
        let reader = compressor(&reader);
        let mut session = reader.decompress_session().unwrap();
        let mut dst = vec![0; block.len()];
        let error = session.decompress(&unit, &mut dst).unwrap_err();
        assert_eq!(error.kind(), WrongDictionary);
        assert!(error.to_string().contains("another dictionary"), "{error}");
        let exact = session.decompress_exact(&unit, &mut dst).unwrap_err();
        assert_eq!(exact.kind(), WrongDictionary);
        // Whether it fits does not matter; whether it is whole does.
        assert_eq!(decompress_kind(&*reader, &unit, 0), Err(WrongDictionary));
        let cut = decompress_kind(&*reader, &unit[..unit.len() - 1], block.len());
        assert_eq!(cut, Err(CorruptInput));
    }
}

#[test]
fn a_raw_dictionary_that_is_missing_or_another_shows_in_the_checksum() {
    let block = content(0, 603, 700);
    let unit = compress(&*compressor(&with_dictionary(&RAW)), &block);
    let other = Dictionary::raw(content(0, 12_345, 8_000)).unwrap();
    for reader in [spec(3), with_dictionary(&other)] {
        let decoded = decompress_kind(&*compressor(&reader), &unit, block.len());
        assert_eq!(decoded, Err(CorruptInput));
    }
}

#[test]
fn units_that_name_none_are_read_with_any() {
    let block = content(0, 604, 700);
    let unit = compress(&*compressor(&spec(3)), &block);
    for dictionary in [&*RAW, &*TRAINED] {
        let reader = compressor(&with_dictionary(dictionary));
        let decoded = decompress_kind(&*reader, &unit, block.len());
        assert_eq!(decoded.as_ref(), Ok(&block));
    }
}

#[test]
fn a_trained_dictionary_that_the_writer_did_not_name_is_used() {
    let block = content(0, 605, 700);
    let checksum = (zstd_sys::ZSTD_cParameter::ZSTD_c_checksumFlag, 1);
    let unit = stock::compress(&[(ZSTD_c_dictIDFlag, 0), checksum], TRAINED.bytes(), &block);
    assert_eq!(
        inspect::header(Format::Zstd, &unit).unwrap().dictionary_id,
        None
    );
    let reader = compressor(&with_dictionary(&TRAINED));
    assert_eq!(
        decompress_kind(&*reader, &unit, block.len()),
        Ok(block.clone())
    );
    let without = decompress_kind(&*compressor(&spec(3)), &unit, block.len());
    assert_eq!(without, Err(CorruptInput));
}

#[test]
fn a_trained_dictionary_with_damaged_tables_is_refused_at_once() {
    let mut bytes = TRAINED.bytes().to_vec();
    bytes[8..40].fill(0xFF);
    let damaged = Dictionary::trained(bytes).unwrap();
    let made = compressor_zstd::factory().compressor(&with_dictionary(&damaged));
    assert_eq!(made.unwrap_err().kind(), InvalidArgument);
}

#[test]
fn a_dictionary_outlives_its_compressor_in_the_sessions() {
    let block = content(0, 606, 700);
    let compressor = compressor(&with_dictionary(&TRAINED));
    let mut compress = compressor.compress_session().unwrap();
    let mut decompress = compressor.decompress_session().unwrap();
    drop(compressor);
    let (mut unit, mut back) = (vec![0; 1_000], vec![0; block.len()]);
    let n = compress.compress(&block, &mut unit).unwrap();
    assert_eq!(
        decompress.decompress(&unit[..n], &mut back),
        Ok(block.len())
    );
    assert_eq!(back, block);
}

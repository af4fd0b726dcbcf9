//! Blocks that are not intact are corruption, and nothing else.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may panic"
)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use rocksdb::{DB, DBCompressionType, ErrorKind, Options, ReadOptions};

use common::{TYPES, fill, key, keys, options, ours, tables};

fn served(compression: DBCompressionType) -> Options {
    let mut options = options(compression);
    tables(&mut options, 4 << 10, 7);
    ours(&mut options);
    options
}

/// The tables of a database.
fn files(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "sst"))
        .collect()
}

/// What is in the first block of the first table.
fn first_key() -> Vec<u8> {
    (0..keys()).map(key).min().unwrap()
}

/// Past RocksDB's checksum of the block, which would find it first.
fn unchecked() -> ReadOptions {
    let mut read = ReadOptions::default();
    read.set_verify_checksums(false);
    read
}

#[test]
fn a_damaged_block_is_corruption() {
    for compression in TYPES {
        let folder = tempfile::tempdir().unwrap();
        let options = served(compression);
        fill(folder.path(), &options);
        for file in files(folder.path()) {
            let mut bytes = fs::read(&file).unwrap();
            // Data blocks come first.
            let half = bytes.len() / 2;
            bytes[..half].fill(0xFF);
            fs::write(&file, bytes).unwrap();
        }
        let db = DB::open(&options, folder.path()).unwrap();
        let errors: Vec<_> = (0..keys())
            .filter_map(|row| db.get_opt(key(row), &unchecked()).err())
            .collect();
        assert!(errors.len() > keys() as usize / 4, "{compression:?}");
        for error in errors {
            assert_eq!(
                error.kind(),
                ErrorKind::Corruption,
                "{compression:?} {error}"
            );
        }
    }
}

#[test]
fn a_block_that_declares_more_than_it_can_hold_is_corruption_before_it_is_allocated() {
    for compression in TYPES {
        let folder = tempfile::tempdir().unwrap();
        let options = served(compression);
        declares_too_much(&options, folder.path());
    }
}

#[test]
fn a_block_with_a_dictionary_declares_no_more_either() {
    for compression in TYPES {
        let folder = tempfile::tempdir().unwrap();
        let mut options = served(compression);
        // The level that means the default.
        options.set_compression_options(-14, 32_767, 0, 16 << 10);
        declares_too_much(&options, folder.path());
    }
}

/// Fills a database in which the first block then declares almost 4 GiB, or what no length can say.
fn declares_too_much(options: &Options, folder: &Path) {
    fill(folder, options);
    let file = files(folder).into_iter().min().unwrap();
    let intact = fs::read(&file).unwrap();
    for length in [
        &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F][..],
        &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F],
    ] {
        let mut bytes = intact.clone();
        bytes[..length.len()].copy_from_slice(length);
        fs::write(&file, bytes).unwrap();
        let db = DB::open(options, folder).unwrap();
        let error = db.get_opt(first_key(), &unchecked()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corruption, "{error}");
    }
}

#[test]
fn a_block_that_declares_a_byte_more_or_less_than_it_holds_is_corruption() {
    for compression in TYPES {
        let folder = tempfile::tempdir().unwrap();
        let options = served(compression);
        fill(folder.path(), &options);
        let file = files(folder.path()).into_iter().min().unwrap();
        let intact = fs::read(&file).unwrap();
        // A length of about 4 KiB takes two bytes.
        let length = u16::from(intact[0] & 0x7F) | u16::from(intact[1]) << 7;
        for declared in [length - 1, length + 1] {
            let mut bytes = intact.clone();
            bytes[..2].copy_from_slice(&[declared as u8 | 0x80, (declared >> 7) as u8]);
            fs::write(&file, bytes).unwrap();
            let db = DB::open(&options, folder.path()).unwrap();
            let error = db.get_opt(first_key(), &unchecked()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corruption, "{compression:?}");
        }
    }
}

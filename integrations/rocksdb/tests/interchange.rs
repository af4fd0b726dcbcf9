//! Stock RocksDB reads what is written through this framework, and the reverse.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may panic"
)]

mod common;

use compressor::Direction;
use rocksdb::{DBCompressionType, Env, Options};

use common::{cached_tables, check, fill, options, ours};

/// How dictionaries are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dictionary {
    None,
    /// From the first blocks, as they are.
    Raw,
    /// Trained, which only Zstandard does.
    Trained,
}

fn configured(
    compression: DBCompressionType,
    block_size: usize,
    format_version: i32,
    dictionary: Dictionary,
) -> Options {
    let mut options = options(compression);
    // A block is decompressed once, not for each row that is read by its key.
    cached_tables(&mut options, block_size, format_version);
    if dictionary != Dictionary::None {
        // The level that means the default.
        options.set_compression_options(-14, 32_767, 0, 16 << 10);
    }
    if dictionary == Dictionary::Trained {
        options.set_zstd_max_train_bytes(256 << 10);
    }
    options
}

fn agree(compression: DBCompressionType) {
    let mut dictionaries = vec![Dictionary::None, Dictionary::Raw];
    if compression == DBCompressionType::Zstd {
        dictionaries.push(Dictionary::Trained);
    }
    for block_size in [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20] {
        for format_version in [5, 6, 7] {
            for dictionary in &dictionaries {
                eprintln!("{compression:?} {block_size} v{format_version} {dictionary:?}");
                let stock = configured(compression, block_size, format_version, *dictionary);
                let mut served = configured(compression, block_size, format_version, *dictionary);
                let handle = ours(&mut served);
                let ops = |direction| {
                    let (accelerated, software) = handle.report(&served).ops(direction);
                    accelerated + software
                };
                let folder = tempfile::tempdir().unwrap();
                let (theirs, own) = (folder.path().join("theirs"), folder.path().join("own"));

                fill(&theirs, &stock);
                check(&theirs, &served);
                // RocksDB's own code reads older versions, and serves what has a dictionary.
                let served_here = *dictionary == Dictionary::None;
                if served_here && format_version == 7 {
                    assert!(ops(Direction::Decompress) > 0);
                }

                fill(&own, &served);
                if served_here {
                    assert!(ops(Direction::Compress) > 0);
                }
                check(&own, &stock);
                // With an older version that is the same again.
                if format_version == 7 {
                    check(&own, &served);
                }
            }
        }
    }
}

#[test]
fn snappy_is_read_either_way() {
    agree(DBCompressionType::Snappy);
}

#[test]
fn zlib_is_read_either_way() {
    agree(DBCompressionType::Zlib);
}

#[test]
fn lz4_is_read_either_way() {
    agree(DBCompressionType::Lz4);
}

#[test]
fn lz4hc_is_read_either_way() {
    agree(DBCompressionType::Lz4hc);
}

#[test]
fn zstd_is_read_either_way() {
    agree(DBCompressionType::Zstd);
}

#[test]
fn stock_opens_with_the_options_file_that_we_leave() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = options(DBCompressionType::Zlib);
    ours(&mut served);
    fill(folder.path(), &served);
    let cache = rocksdb::Cache::new_lru_cache(1 << 20);
    let (stock, families) =
        Options::load_latest(folder.path(), Env::new().unwrap(), false, cache).unwrap();
    assert_eq!(families.len(), 1);
    let db = rocksdb::DB::open_cf_descriptors(&stock, folder.path(), families).unwrap();
    common::check_rows(&db, common::keys());
}

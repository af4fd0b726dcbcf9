//! What RocksDB's options say about compression is kept, and what was done is counted.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may panic"
)]

mod common;

use compressor::{Direction, Format};
use compressor_rocksdb::{Handle, Tickers};
use rocksdb::{ColumnFamilyDescriptor, DB, DBCompressionType, Options};

use common::{TYPES, check, check_rows, fill, key, keys, options, ours, unlogged, value};

/// Operations that compressed to a format, at a level.
fn compressed(handle: &Handle, options: &Options, format: Format, level: i32) -> u64 {
    let report = handle.report(options);
    let of = report
        .served
        .iter()
        .filter(|served| served.spec.format() == format && served.spec.level() == level);
    of.map(|served| served.counters.compress)
        .map(|counters| counters.accelerated.ops + counters.software.ops)
        .sum()
}

#[test]
fn types_per_level_and_levels_of_compression_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(DBCompressionType::Snappy);
    options.set_compression_per_level(&[
        DBCompressionType::None,
        DBCompressionType::Lz4,
        DBCompressionType::Zlib,
    ]);
    options.set_compression_options(-14, 3, 0, 0);
    // Nothing leaves the first level unasked.
    options.set_disable_auto_compactions(true);
    let handle = ours(&mut options);
    let db = DB::open(&options, folder.path()).unwrap();
    for row in 0..keys() {
        db.put_opt(key(row), value(row), &unlogged()).unwrap();
    }
    db.flush().unwrap();
    // The first level is not compressed.
    assert_eq!(handle.report(&options).ops(Direction::Compress), (0, 0));
    db.compact_range(None::<&[u8]>, None::<&[u8]>);
    // With level 3, LZ4 is LZ4HC, as in RocksDB.
    let lz4 = compressed(&handle, &options, Format::Lz4Block, 3);
    let zlib = compressed(&handle, &options, Format::DeflateRaw, 3);
    let all = handle.report(&options).ops(Direction::Compress);
    assert!(lz4 + zlib > 0);
    assert_eq!(lz4 + zlib, all.0 + all.1);
    check_rows(&db, keys());
}

#[test]
fn the_bottommost_level_has_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(DBCompressionType::Lz4);
    options.set_bottommost_compression_type(DBCompressionType::Zstd);
    options.set_bottommost_compression_options(-14, 7, 0, 0, true);
    let handle = ours(&mut options);
    fill(folder.path(), &options);
    assert!(compressed(&handle, &options, Format::Lz4Block, 0) > 0);
    assert!(compressed(&handle, &options, Format::Zstd, 7) > 0);
    check(folder.path(), &options);
}

#[test]
fn what_a_spec_cannot_say_is_left_to_rocksdb() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options(DBCompressionType::Zlib);
    // Z_HUFFMAN_ONLY.
    options.set_compression_options(-14, 6, 2, 0);
    let handle = ours(&mut options);
    fill(folder.path(), &options);
    let report = handle.report(&options);
    assert_eq!(report.ops(Direction::Compress), (0, 0));
    assert!(report.rocksdb.unwrap().compressed > 0);
    check(folder.path(), &options);
}

/// One flush of one memtable, so that the same blocks are made each time.
fn flushed(options: &mut Options, value: impl Fn(u32) -> Vec<u8>) {
    options.set_write_buffer_size(1 << 30);
    options.set_disable_auto_compactions(true);
    let folder = tempfile::tempdir().unwrap();
    let db = DB::open(options, folder.path()).unwrap();
    for row in 0..keys() {
        db.put_opt(key(row), value(row), &unlogged()).unwrap();
    }
    db.flush().unwrap();
}

#[test]
fn what_does_not_shrink_is_declined_as_rocksdb_declines_it() {
    // Bytes of no pattern in every row of two thirds.
    let noisy = |row: u32| {
        if row % 1_000 < 600 {
            (0..2)
                .flat_map(|half| value((row * 2 + half) * 101))
                .collect()
        } else {
            value(row)
        }
    };
    for compression in TYPES {
        let mut stock = options(compression);
        flushed(&mut stock, noisy);
        let mut served = options(compression);
        let handle = ours(&mut served);
        flushed(&mut served, noisy);

        let theirs =
            stock.get_ticker_count(rocksdb::statistics::Ticker::NumberBlockCompressionRejected);
        let Tickers {
            compressed,
            rejected,
            bypassed,
            ..
        } = handle.report(&served).rocksdb.unwrap();
        assert!(rejected > 0 && compressed > 0, "{compression:?}");
        // Different encoders shrink a block at the border differently.
        let near = theirs / 20 + 2;
        assert!(
            rejected.abs_diff(theirs) <= near,
            "{compression:?} {rejected} {theirs}"
        );
        assert_eq!(bypassed, 0, "{compression:?}");
    }
}

#[test]
fn counters_agree_with_those_of_rocksdb_while_it_runs() {
    for compression in TYPES {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(compression);
        common::tables(&mut options, 4 << 10, 7);
        let handle = ours(&mut options);
        let db = DB::open(&options, folder.path()).unwrap();
        for row in 0..keys() {
            db.put_opt(key(row), value(row), &unlogged()).unwrap();
        }
        db.flush().unwrap();
        db.compact_range(None::<&[u8]>, None::<&[u8]>);
        check_rows(&db, keys());

        let report = handle.report(&options);
        let tickers = report.rocksdb.unwrap();
        let (accelerated, software) = report.ops(Direction::Compress);
        assert_eq!(
            accelerated + software,
            tickers.compressed + tickers.rejected,
            "{report}"
        );
        let (accelerated, software) = report.ops(Direction::Decompress);
        assert_eq!(accelerated + software, tickers.decompressed, "{report}");
        if compression == DBCompressionType::Zlib {
            assert_eq!(software, 0, "{report}");
        }
        assert!(report.to_string().contains("RocksDB: "), "{report}");
    }
}

#[test]
fn without_statistics_there_are_only_our_counters() {
    let mut options = Options::default();
    let handle = ours(&mut options);
    assert_eq!(handle.report(&options).rocksdb, None);
}

#[test]
fn column_families_share_what_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = options(DBCompressionType::Zlib);
    first.create_missing_column_families(true);
    let handle = ours(&mut first);
    let mut second = options(DBCompressionType::Zstd);
    handle.install(&mut second).unwrap();
    let families = [
        ColumnFamilyDescriptor::new("default", first.clone()),
        ColumnFamilyDescriptor::new("second", second),
    ];
    let db = DB::open_cf_descriptors(&first, folder.path(), families).unwrap();
    let family = db.cf_handle("second").unwrap();
    for row in 0..keys() {
        db.put_opt(key(row), value(row), &unlogged()).unwrap();
        db.put_cf_opt(family, key(row), value(row), &unlogged())
            .unwrap();
    }
    db.flush().unwrap();
    db.flush_cf(family).unwrap();
    assert!(compressed(&handle, &first, Format::DeflateRaw, 6) > 0);
    assert!(compressed(&handle, &first, Format::Zstd, 3) > 0);
    check_rows(&db, keys());
    for row in 0..keys() {
        assert_eq!(db.get_cf(family, key(row)).unwrap(), Some(value(row)));
    }
}

#[test]
fn a_database_outlives_options_and_handle() {
    let folder = tempfile::tempdir().unwrap();
    let db = {
        let mut options = options(DBCompressionType::Zlib);
        ours(&mut options);
        DB::open(&options, folder.path()).unwrap()
    };
    for row in 0..keys() {
        db.put_opt(key(row), value(row), &unlogged()).unwrap();
    }
    db.flush().unwrap();
    db.compact_range(None::<&[u8]>, None::<&[u8]>);
    check_rows(&db, keys());
}

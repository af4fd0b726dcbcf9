//! Databases to compare, and what goes into them.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use compressor::decorator::{Options as Trust, Verify};
use compressor::{Engine, LINKED, Policy, ProviderClass, ProviderEntry, Registry};
use compressor_benches::data::{Kind, generate};
use compressor_rocksdb::{Handle, Integration};
use rocksdb::{
    BlockBasedOptions, Cache, DB, DBCompressionType, IteratorMode, Options, WriteOptions,
};

/// Every type that is served.
pub const TYPES: [DBCompressionType; 5] = [
    DBCompressionType::Snappy,
    DBCompressionType::Zlib,
    DBCompressionType::Lz4,
    DBCompressionType::Lz4hc,
    DBCompressionType::Zstd,
];

/// Keys in a database: `COMPRESSOR_ROCKSDB_KEYS`, or enough for some flushes.
pub fn keys() -> u32 {
    match std::env::var("COMPRESSOR_ROCKSDB_KEYS") {
        Ok(text) => text.parse().expect("COMPRESSOR_ROCKSDB_KEYS is a number"),
        Err(_) => 3_000,
    }
}

/// The key of a row.
pub fn key(row: u32) -> Vec<u8> {
    format!("machine-{:04}/sensor-{:02}/{row:010}", row % 50, row % 7).into_bytes()
}

/// What a row holds: about 200 bytes that compress well, and now and then some that do not.
pub fn value(row: u32) -> Vec<u8> {
    static TEXT: LazyLock<Vec<u8>> = LazyLock::new(|| generate(Kind::Text, 1, 1 << 20).bytes);
    const OWN: usize = 130;

    // An xorshift, seeded by the row.
    let mut state = u64::from(row).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    if row.is_multiple_of(101) {
        return (0..200).map(|_| next() as u8).collect();
    }
    let (reading, station) = (next() % 100_000, row % 300);
    let mut value =
        format!("{reading};station-{station:03};line=assembly;unit=kPa;quality=good;").into_bytes();
    let at = next() as usize % (TEXT.len() - OWN);
    value.extend_from_slice(&TEXT[at..at + OWN]);
    value
}

/// Small buffers, so that few keys are flushed and compacted several times.
pub fn options(compression: DBCompressionType) -> Options {
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_compression_type(compression);
    options.set_write_buffer_size((keys() as usize * 80).max(64 << 10));
    options.set_paranoid_checks(true);
    options.enable_statistics();
    options
}

/// Blocks of a size, in a version of the table format, and no cache of them.
pub fn tables(options: &mut Options, block_size: usize, format_version: i32) {
    let mut tables = blocks(block_size, format_version);
    tables.disable_cache();
    options.set_block_based_table_factory(&tables);
}

/// The same with a cache that holds all blocks once they were read.
pub fn cached_tables(options: &mut Options, block_size: usize, format_version: i32) {
    let mut tables = blocks(block_size, format_version);
    tables.set_block_cache(&Cache::new_lru_cache(1 << 30));
    options.set_block_based_table_factory(&tables);
}

fn blocks(block_size: usize, format_version: i32) -> BlockBasedOptions {
    let mut tables = BlockBasedOptions::default();
    tables.set_block_size(block_size);
    tables.set_format_version(format_version);
    tables
}

/// Installs this framework with the providers that are linked, accelerated where one serves.
pub fn ours(options: &mut Options) -> Handle {
    let engine = Arc::new(Engine::new().unwrap());
    compressor_rocksdb::install(options, &engine).unwrap()
}

/// Installs this framework with software and one accelerator, all of whose results are verified.
pub fn with_accelerator(
    options: &mut Options,
    accelerator: &'static ProviderEntry,
    policy: Policy,
) -> Handle {
    let software = LINKED
        .iter()
        .filter(|entry| entry.class == ProviderClass::Software);
    let registry = software
        .fold(Registry::builder(), |builder, entry| {
            builder.provider(entry)
        })
        .provider(accelerator)
        .build()
        .unwrap();
    let trust = Trust::new().verify(Verify::Always);
    Integration::from_registry(Arc::new(registry), policy, trust)
        .install(options)
        .unwrap()
}

/// Without the log, for speed.
pub fn unlogged() -> WriteOptions {
    let mut write = WriteOptions::default();
    write.disable_wal(true);
    write
}

/// Fills a new database at `path`, compacts it and closes it.
pub fn fill(path: &Path, options: &Options) {
    let db = DB::open(options, path).unwrap();
    let write = unlogged();
    // Out of order, so that compaction has to merge.
    for row in (0..keys()).step_by(2).chain((1..keys()).step_by(2)) {
        db.put_opt(key(row), value(row), &write).unwrap();
    }
    db.flush().unwrap();
    db.compact_range(None::<&[u8]>, None::<&[u8]>);
}

/// Opens what [`fill`] made, and reads every row twice: by key, and in order.
pub fn check(path: &Path, options: &Options) {
    let db = DB::open(options, path).unwrap();
    check_rows(&db, keys());
}

/// Reads rows `0..rows`, all that there are.
pub fn check_rows(db: &DB, rows: u32) {
    for row in 0..rows {
        assert_eq!(db.get(key(row)).unwrap(), Some(value(row)), "row {row}");
    }
    let mut all = 0;
    for item in db.iterator(IteratorMode::Start) {
        let (found, held) = item.unwrap();
        let row = std::str::from_utf8(&found)
            .unwrap()
            .rsplit('/')
            .next()
            .unwrap();
        assert_eq!(*held, value(row.parse().unwrap()), "row {row}");
        all += 1;
    }
    assert_eq!(all, rows);
}

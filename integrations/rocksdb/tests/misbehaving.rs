//! Accelerators that fail, lie and panic, under a concurrent load: nothing is lost, nothing wrong.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may panic"
)]

mod common;
#[path = "../../../decorator/tests/misbehaving/mod.rs"]
mod misbehaving;
#[path = "../../../compressor-plugin/tests/common/mod.rs"]
mod plugins;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use compressor::{
    CompressorFactory, Direction, ErrorKind, Format, OnFailure, Open, OpenError, Params, Policy,
    ProviderClass, ProviderEntry,
};
use compressor_api::Error;
use compressor_rocksdb::Handle;
use rocksdb::{DB, DBCompressionType, Options};

use common::{check_rows, key, keys, options, tables, unlogged, value, with_accelerator};
use misbehaving::{Codec, Misbehaviour};

/// What a failing operation does.
#[derive(Clone, Copy, Debug)]
enum How {
    /// An error of the next kind that an accelerator may answer with, panics left out.
    Errors,
    /// The result with a bit changed, and OK.
    Lies,
    /// A panic.
    Panics,
}

/// Fails one operation in ten, once it is armed.
#[derive(Debug)]
struct OneInTen {
    how: How,
    armed: AtomicBool,
    calls: AtomicU64,
    failed: AtomicU64,
}

impl OneInTen {
    fn new(how: How) -> Arc<Self> {
        Arc::new(Self {
            how,
            armed: AtomicBool::new(false),
            calls: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        })
    }
}

impl Misbehaviour for OneInTen {
    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        if !self.armed.load(Ordering::Relaxed) {
            return codec(dst);
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if !call.is_multiple_of(10) {
            return codec(dst);
        }
        self.failed.fetch_add(1, Ordering::Relaxed);
        match self.how {
            How::Errors => {
                let kinds = [
                    ErrorKind::Busy,
                    ErrorKind::Timeout,
                    ErrorKind::Device,
                    ErrorKind::Lost,
                    ErrorKind::OutOfMemory,
                    ErrorKind::Poisoned,
                    ErrorKind::CorruptInput,
                ];
                // Something was written before it failed.
                dst.fill(0xA5);
                Err(misbehaving::error(
                    kinds[(call / 10) as usize % kinds.len()],
                ))
            }
            How::Lies => {
                let n = codec(dst)?;
                dst[n / 2] ^= 0x10;
                Ok(n)
            }
            How::Panics => panic!("as it was asked to"),
        }
    }
}

/// Opens a provider that misbehaves around the software codec for Deflate.
struct Around(Arc<dyn Misbehaviour>);

impl Open for Around {
    fn open(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let software = compressor::LINKED
            .iter()
            .find(|entry| {
                entry.class == ProviderClass::Software
                    && entry.formats.contains(&Format::DeflateRaw)
            })
            .unwrap();
        let codec = software.opener.open(params)?;
        Ok(misbehaving::factory(self.0.clone(), codec, None))
    }
}

fn entry(behaviour: Arc<dyn Misbehaviour>) -> &'static ProviderEntry {
    Box::leak(Box::new(ProviderEntry::new(
        misbehaving::ID,
        ProviderClass::Accelerator,
        "Misbehaves",
        &[Format::DeflateRaw],
        Box::leak(Box::new(Around(behaviour))),
    )))
}

fn concurrent() -> Options {
    let mut options = options(DBCompressionType::Zlib);
    options.set_max_background_jobs(4);
    options.set_compression_options_parallel_threads(3);
    options.set_write_buffer_size(128 << 10);
    options.set_target_file_size_base(256 << 10);
    options
}

/// Four threads write, two read what was written, RocksDB flushes and compacts; then all is read,
/// through the framework and by stock RocksDB.
fn work(path: &Path, served: &Options) {
    const WRITERS: u32 = 4;
    let db = DB::open(served, path).unwrap();
    let written: Vec<AtomicU32> = (0..WRITERS).map(|_| AtomicU32::new(0)).collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (db, written) = (&db, &written);
                scope.spawn(move || {
                    for row in (writer..keys()).step_by(WRITERS as usize) {
                        db.put_opt(key(row), value(row), &unlogged()).unwrap();
                        written[writer as usize].store(row + 1, Ordering::Release);
                    }
                })
            })
            .collect();
        for reader in 0..2_u32 {
            let (db, written, done) = (&db, &written, &done);
            scope.spawn(move || {
                let mut round = reader;
                while !done.load(Ordering::Acquire) {
                    round = round.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let writer = round % WRITERS;
                    let until = written[writer as usize].load(Ordering::Acquire);
                    if until > writer {
                        let row = writer + (round / WRITERS) % until.div_ceil(WRITERS) * WRITERS;
                        if row < until {
                            assert_eq!(db.get(key(row)).unwrap(), Some(value(row)), "row {row}");
                        }
                    }
                }
            });
        }
        let results: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        done.store(true, Ordering::Release);
        results.into_iter().for_each(|result| result.unwrap());
    });
    db.flush().unwrap();
    check_rows(&db, keys());
    db.compact_range(None::<&[u8]>, None::<&[u8]>);
    check_rows(&db, keys());
    drop(db);
    check_rows(&DB::open(&concurrent(), path).unwrap(), keys());
}

/// Runs the load over an accelerator that fails one operation in ten.
fn survives(how: How) -> (Arc<OneInTen>, Handle, Options) {
    let folder = tempfile::tempdir().unwrap();
    let behaviour = OneInTen::new(how);
    let mut served = concurrent();
    let handle = with_accelerator(&mut served, entry(behaviour.clone()), Policy::default());
    behaviour.armed.store(true, Ordering::Relaxed);
    work(folder.path(), &served);
    assert!(behaviour.failed.load(Ordering::Relaxed) > 0);
    (behaviour, handle, served)
}

#[test]
fn errors_of_an_accelerator_lose_nothing() {
    let (_, handle, served) = survives(How::Errors);
    let report = handle.report(&served);
    let (accelerated, software) = report.ops(Direction::Compress);
    assert!(accelerated > 0 && software > 0, "{report}");
    assert!(report.ops(Direction::Decompress).0 > 0, "{report}");
}

#[test]
fn lies_of_an_accelerator_are_never_stored_and_never_read() {
    let (_, handle, served) = survives(How::Lies);
    let report = handle.report(&served);
    let caught: u64 = report
        .served
        .iter()
        .map(|served| served.counters.compress.mismatches + served.counters.decompress.mismatches)
        .sum();
    assert!(caught > 0, "{report}");
}

#[test]
fn panics_of_an_accelerator_reach_nobody() {
    let (_, handle, served) = survives(How::Panics);
    assert!(handle.report(&served).ops(Direction::Compress).1 > 0);
}

#[test]
fn a_plugin_serves_the_same_load() {
    let library = plugins::cargo_build(
        "--package",
        "compressor-provider-libdeflate",
        "libcompressor_provider_libdeflate.so",
    );
    let plugin = compressor_plugin::load(&library).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut served = concurrent();
    let handle = with_accelerator(&mut served, plugin, Policy::default());
    work(folder.path(), &served);
    let report = handle.report(&served);
    assert!(report.ops(Direction::Compress).0 > 0, "{report}");
    assert!(report.ops(Direction::Decompress).0 > 0, "{report}");
}

/// Fails every operation once it is armed.
#[derive(Debug, Default)]
struct Dead(AtomicBool);

impl Misbehaviour for Dead {
    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        if self.0.load(Ordering::Relaxed) {
            return Err(misbehaving::error(ErrorKind::Device));
        }
        codec(dst)
    }
}

#[test]
fn where_software_may_not_serve_a_dead_device_is_an_error_and_never_corruption() {
    let folder = tempfile::tempdir().unwrap();
    let device = Arc::new(Dead::default());
    let mut policy = Policy::default();
    policy.on_operation_error = OnFailure::Fail;
    let mut served = options(DBCompressionType::Zlib);
    tables(&mut served, 4 << 10, 7);
    with_accelerator(&mut served, entry(device.clone()), policy);
    {
        let db = DB::open(&served, folder.path()).unwrap();
        for row in 0..1_000 {
            db.put(key(row), value(row)).unwrap();
        }
        db.flush().unwrap();
        check_rows(&db, 1_000);

        device.0.store(true, Ordering::Relaxed);
        let error = db.get(key(7)).unwrap_err();
        assert_eq!(error.kind(), rocksdb::ErrorKind::IOError, "{error}");
        db.put(key(1_000), value(1_000)).unwrap();
        let error = db.flush().unwrap_err();
        assert_eq!(error.kind(), rocksdb::ErrorKind::IOError, "{error}");
    }
    // The row that could not be flushed is in the log.
    let stock = options(DBCompressionType::Zlib);
    check_rows(&DB::open(&stock, folder.path()).unwrap(), 1_001);
}

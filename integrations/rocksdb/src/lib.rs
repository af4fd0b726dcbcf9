//! RocksDB's block compression served by this framework: accelerated, and readable without it.
//!
//! [`install`] gives an [`Options`](rocksdb::Options) a compression manager that serves RocksDB's
//! built-in types (Snappy, zlib, LZ4, LZ4HC, Zstandard) through an [`Engine`](compressor::Engine):
//! at flush, at compaction and on reads. The files are RocksDB's own: same types, same framing, the
//! built-in compatibility name. A stock RocksDB opens them, and this reads its files, with no
//! plugin and no flag.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! let mut options = rocksdb::Options::default();
//! options.create_if_missing(true);
//! options.set_compression_type(rocksdb::DBCompressionType::Zlib);
//!
//! let engine = Arc::new(compressor::Engine::from_env()?); // one for the process
//! let handle = compressor_rocksdb::install(&mut options, &engine)?;
//!
//! let db = rocksdb::DB::open(&options, "data")?;
//! db.put(b"key", b"value")?;
//! println!("{}", handle.report(&options)); // at any time, while the database runs
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What RocksDB's options mean here
//!
//! Types per level and for the bottommost level, levels of compression, `parallel_threads` and the
//! least ratio worth keeping are RocksDB's to say and are kept. A block that does not shrink enough
//! is declined, as the built-in compressors do, and RocksDB stores it raw.
//!
//! A policy's [`Effort`](compressor::Effort) is served beside RocksDB's level: who compresses, and
//! how hard, follows from it, within the loss that it states.
//!
//! Left to RocksDB's own code, so never wrong, and never accelerated:
//!
//! - blocks with a dictionary (`max_dict_bytes`), both ways;
//! - options that this framework's [`Spec`](compressor::Spec) cannot say: a zlib strategy, a window
//!   below 512 bytes or, as a positive number, of another framing, a level out of range;
//! - BZip2, blob files, the write-ahead log and the compressed secondary cache, which do not ask
//!   the compression manager;
//! - reads of tables with `format_version` 6 or less, for RocksDB asks its built-in manager there.
//!   The default is 7 and goes through this.
//!
//! zlib blocks may use the 32 KiB window of Deflate where `window_bits` is −14, the default: every
//! RocksDB reads them, for it inflates a block in one piece. A smaller window is kept.
//!
//! # Errors that RocksDB sees
//!
//! A block that is not intact is `Corruption`, and so is one that declares more than it can hold,
//! with a dictionary or without, before RocksDB allocates it. (A block whose type was damaged, where
//! RocksDB's checksum is not asked for, is what RocksDB's own code makes of it.) A fault of an accelerator is no error at all, for software serves;
//! only where the policy forbids that ([`OnFailure::Fail`](compressor::OnFailure::Fail)) it is an
//! `IOError`, never `Corruption`. No panic and no exception crosses either way.
//!
//! # Formats by another name
//!
//! A policy names formats, not RocksDB's types: its zlib is `deflate-raw`, LZ4 and LZ4HC both are
//! `lz4-block`. BZip2 is not compiled in.
//!
//! # Threads and memory
//!
//! RocksDB compresses and reads on many threads. Each table that is written has a session of its
//! own, as RocksDB's working area; reads, for which RocksDB has none, share 64 of each format.
//! Nothing is allocated per block once warm.
#![deny(unsafe_code)]

mod block;
mod ffi;
mod integration;
mod manager;
mod readers;
mod report;
mod wanted;

pub use integration::{Handle, InstallError, Integration, install};
pub use report::{Report, Served, Tickers};

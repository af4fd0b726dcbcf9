//! Accelerated block compression for storage engines, in one dependency.
//!
//! An [`Engine`] knows the providers that are linked into the program, chooses who compresses and
//! who decompresses, and puts software behind every accelerator. What it writes is what the
//! reference libraries write: nobody who reads it needs this crate.
//!
//! ```
//! use compressor::{Compressor, Engine, Format, Spec};
//!
//! let engine = Engine::new()?;
//! let zlib = engine.compressor(&Spec::new(Format::Zlib))?;
//! let (mut writer, mut reader) = (zlib.compress_session()?, zlib.decompress_session()?);
//!
//! let block = b"what a storage engine keeps".repeat(100);
//! let mut unit = vec![0; zlib.max_compressed_len(block.len()).ok_or("too long for one unit")?];
//! let n = writer.compress(&block, &mut unit)?;
//! let mut back = vec![0; block.len()];
//! reader.decompress_exact(&unit[..n], &mut back)?;
//! assert_eq!(back, block);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! Each links one provider and changes nothing else: no default, no choice among the others.
//!
//! | feature | provider | formats |
//! | --- | --- | --- |
//! | `deflate` | `software.deflate` | `zlib`, `deflate-raw`, `gzip` |
//! | `lz4` | `software.lz4` | `lz4-block`, `lz4-sized` |
//! | `snappy` | `software.snappy` | `snappy` |
//! | `zstd` | `software.zstd` | `zstd` |
//! | `libdeflate` | `libdeflate` | `zlib`, `deflate-raw`, `gzip`, accelerated |
//! | `isal` | `isal` | the same (`deflate-raw` only compressed), faster and longer; serves where ISA-L is installed, and a spec asks for speed or a policy prefers it |
//! | `qat` | `intel.qat` | `zlib`, `deflate-raw`, `gzip`, `lz4-block`, `lz4-sized`, `zstd`, on Intel QAT devices; serves where QATzip is installed and finds a device |
//!
//! `software.none` is always there. A format whose software codec is not linked is still known by
//! name, and asking for it says so.
//!
//! # Effort, measured routing, batches
//!
//! All three are off until they are asked for.
//!
//! - A spec may state an [`Effort`] beside its level: as short as the level, clearly faster for a
//!   little, or as fast as a stated loss of length allows. Who serves, and at which level, follows; by
//!   the length of the content, where one provider keeps to the loss for short content only.
//! - [`Engine::calibrate`] measures on this host, and on a sample of the caller's content, who is
//!   fastest within that loss. An engine that is given the [`Calibration`], or the file that keeps it,
//!   follows it; whatever is wrong with the file, it chooses as without one and says why.
//! - [`EngineBuilder::batch_threads`] spreads `compress_many` and `decompress_many` over threads.
//!
//! ```
//! use compressor::{Compressor, Effort, Engine, Format, Sample, Spec};
//!
//! let spec = Spec::new(Format::Zlib).with_effort(Effort::Speed).with_max_loss(15)?;
//! let measured = Engine::new()?.calibrate(&Sample::rows(), &[spec.clone()])?;
//! let engine = Engine::builder().calibration(measured).batch_threads(2).build()?;
//! let mut session = engine.compressor(&spec)?.compress_session()?;
//! # let mut unit = [0; 100];
//! # session.compress(b"content", &mut unit)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod calibration;
mod config;
mod engine;
mod linked;
mod whole_file;

pub use compressor_api::*;
pub use compressor_decorator as decorator;
pub use compressor_decorator::Accelerated;

pub use calibration::{Calibration, CalibrationError, Candidate, Choice, Measured, Sample, Server};
pub use config::{
    AssignConfig, BatchThreads, Config, ConfigError, EffortName, Fallback, ParamText, VerifyMode,
};
pub use engine::{Engine, EngineBuilder, SetupError};
pub use linked::LINKED;
/// For this project's own command; no part of the interface.
#[doc(hidden)]
pub use whole_file::WholeFile;

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

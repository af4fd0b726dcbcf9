//! The Zstandard software codec: `software.zstd`, over libzstd built from source.
//!
//! A unit is one frame (RFC 8878) with its content size written, and with a checksum unless the
//! [`Spec`](compressor_api::Spec) says otherwise. Every level is served, −131072 to 22; level 0 is
//! the library's default, 3. Raw and trained dictionaries are taken; [`train`] makes one.
//!
//! # Efforts
//!
//! A spec with an [`Effort`](compressor_api::Effort) is served at a lower level whose frames are as
//! short as the effort demands:
//!
//! | level | `balanced`, 7 % | `speed`, 10 % | longer, at most |
//! | --- | --- | --- | --- |
//! | 2, 3 | 1 | 1 | 4 %, 7 % |
//! | 4, 5 | 4 | 1 | 4 %, 10 % |
//! | 6 | 4 | 4 | 7 % |
//! | 7 | 6 | 4 | 3 %, 10 % |
//! | 8, 9 | 6 | 5 | 6 %, 10 % |
//! | 10–12 | 6 | 6 | 7 % |
//! | 16–22 | 15 | 15 | 2 % |
//!
//! All others, and every spec with a dictionary, are served as they are. `effort.rs` has more pairs
//! of levels, for other losses. Longer is the length of all frames through that at the spec's level,
//! at the worst over the data sets `text`, `rows`, `wide-rows` and `logs` of `compressor-benches` in
//! blocks of 1 to 256 KiB.
//!
//! # Writing
//!
//! The bytes depend on the spec and the content alone, never on the room in `dst`: a unit that fits
//! exactly is the one that a larger `dst` would have got. The window in
//! [`effective`](compressor_api::Compressor::effective) is the largest over the content, that of
//! the spec or else of the level; a match may reach beyond it into a dictionary.
//!
//! # Reading
//!
//! libzstd decodes any number of frames in a row and passes over skippable ones. Here `src` is
//! exactly one frame: its header and the chain of its blocks are walked before anything is decoded,
//! a few nanoseconds per 128 KiB. Frames without a content size or without a checksum are read;
//! nothing is ever allocated from what a header declares, since no window is kept.
//!
//! A frame that names a dictionary which the spec does not hold is
//! [`WrongDictionary`](compressor_api::ErrorKind::WrongDictionary). A frame that names none is
//! decoded with the spec's dictionary at hand, as libzstd and zstd-jni do: it is needed if the
//! dictionary is raw, and changes nothing if the frame was written without one.
//!
//! # Memory
//!
//! A session makes its context once and keeps the memory of the largest block it met, so that
//! nothing is allocated afterwards whatever sizes come in what order. Drop the session to have the
//! memory back. How much that is depends on the level: 0.3 MB at level 1 and 0.7 MB at level 3 for
//! 64 KiB blocks; hundreds of megabytes at level 22 for blocks of 128 MiB.

mod cctx;
mod compress;
mod compressor;
mod dctx;
mod decompress;
mod dictionary;
mod effort;
mod error;
mod factory;
mod memory;
mod train;

pub use factory::{PROVIDER, factory};
pub use train::{TrainError, train};

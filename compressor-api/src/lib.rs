//! The contract between storage engines and block compressors.
//!
//! An engine names the bytes it wants with a [`Spec`], a provider makes them, and nobody who reads
//! them later can tell which provider that was. This crate holds the words both sides share and no
//! codec beyond [`stored`], which copies.
//!
//! # The parts
//!
//! | type | what it is |
//! | --- | --- |
//! | [`Format`] | identity of bytes; persisted by callers, never changes meaning |
//! | [`Spec`] | all that the bytes depend on: format, level or effort, window, dictionary, checksum |
//! | [`ProviderEntry`] | a provider as listed: `'static`, costs nothing, loads nothing |
//! | [`CompressorFactory`] | an opened provider |
//! | [`Compressor`] | factory × spec: immutable, shared by `Arc` |
//! | [`CompressSession`], [`DecompressSession`] | exclusive working area for one direction |
//! | [`SessionPool`] | sessions for callers that have only `&self` |
//! | [`Registry`] | the providers of a process, and the choice among them, explained |
//! | [`Error`] | what went wrong, by who is to blame; `Copy`, allocates nothing |
//!
//! # Writing a provider
//!
//! 1. Describe what you can do as [`Capabilities`], one per format and direction. The limits are
//!    promises: within them you may not answer [`ErrorKind::Unsupported`].
//! 2. Implement [`CompressorFactory`], [`Compressor`] and the two session traits. The contract of
//!    each call is written at the trait; [`stored`] is a complete example in one file.
//! 3. Publish a `static` [`ProviderEntry`] whose [`Open`] returns the factory, or says why there
//!    is none: [`OpenError::Absent`] is quiet and normal, [`OpenError::Misconfigured`] stops
//!    start-up.
//! 4. Register it with [`RegistryBuilder::provider`]. [`submit_provider!`] lists it for
//!    [`RegistryBuilder::submitted`] as well, which is sugar for programs that link you anyway: a
//!    crate that nothing references is dropped by the linker, and registers nothing.
//!
//! A provider reads [`inspect`] to learn what a unit says about itself, and [`framed`] to serve
//! `lz4-sized`, `zlib` and `gzip` from a codec of the inner format.
#![forbid(unsafe_code)]

pub mod cassandra;
pub mod framed;
pub mod inspect;
pub mod self_test;
pub mod stored;

mod capability;
mod compressor;
mod contain;
mod dictionary;
mod effort;
mod error;
mod format;
mod health;
mod level;
mod params;
mod policy;
mod pool;
mod provider;
mod registry;
mod selection;
mod spec;
mod spec_error;

pub use capability::{
    Capabilities, DictionarySupport, Direction, Efforts, Loss, OutputNeed, Placement, Shortfall,
};
pub use compressor::{
    CompressSession, Compressor, CompressorFactory, DecompressSession, Effective, EffectiveSide,
    Job,
};
pub use dictionary::{Dictionary, DictionaryKind};
pub use effort::{Effort, LevelCost};
pub use error::{Blame, Error, ErrorKind};
pub use format::Format;
pub use health::Health;
pub use level::LevelRange;
pub use params::{ParamError, ParamKind, ParamSpec, ParamValue, Params};
pub use policy::{Assignment, OnFailure, Policy};
pub use pool::{PooledCompress, PooledDecompress, SessionPool};
pub use provider::{Open, OpenError, ProviderClass, ProviderEntry, ProviderId};
pub use registry::{Registry, RegistryBuilder, RegistryError};
pub use selection::{Considered, SelectError, Selected, Selection, Verdict};
pub use spec::Spec;
pub use spec_error::SpecError;

/// What the macros of this crate need to reach; not part of the contract.
#[doc(hidden)]
pub mod __private {
    pub use crate::provider::Submitted;
    pub use inventory;
}

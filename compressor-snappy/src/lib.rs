//! The Snappy software codec: raw `snappy` blocks over the snap crate, which is all Rust.
//!
//! # Limits
//!
//! | | compress | decompress |
//! | --- | --- | --- |
//! | content | 3,681,400,511 bytes: what snap can still bound | 4,294,967,295 bytes: the format's own limit |
//! | match distance | 65,535 bytes: snap looks for matches within 64 KiB | all of the content |
//!
//! Beyond them the answer is [`Unsupported`](compressor_api::ErrorKind::Unsupported) when
//! compressing, and cannot be said in the format when decompressing.
//!
//! # Levels and efforts
//!
//! There is one way to write a block: every effort gets it.
//!
//! # Memory
//!
//! A session to compress with holds snap's tables: 2 KiB, and 32 KiB more from the first source
//! above 1 KiB on. From the first `dst` below the bound on it also holds scratch for 64 KiB of
//! content, 75 KiB, however long the source is. One to decompress with holds nothing.
//!
//! # What a block cannot tell
//!
//! A block declares its length and carries no checksum: a changed byte of content is not found.
#![forbid(unsafe_code)]

mod block;
mod compress;
mod decompress;
mod factory;
mod limits;

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Format, Open, OpenError, Params, ProviderClass, ProviderEntry, ProviderId,
};

use factory::Factory;

const ID: ProviderId = ProviderId::new("software.snappy");

/// The provider as listed.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ID,
    ProviderClass::Software,
    "the snap crate",
    &[Format::Snappy],
    &Opener,
);

compressor_api::submit_provider!(PROVIDER);

/// The opened provider; it cannot fail to open.
#[must_use]
pub fn factory() -> Arc<dyn CompressorFactory> {
    Arc::new(Factory)
}

#[derive(Debug)]
struct Opener;

impl Open for Opener {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        Ok(factory())
    }
}

//! The Deflate software codec `software.deflate`: `zlib`, `deflate-raw` and `gzip` over zlib, both
//! directions, all levels and windows.
//!
//! It is the reference for these formats: what it writes, every zlib reads; what it reads, stock
//! zlib would read, less whatever is not exactly one intact unit (see
//! [`DecompressSession`](compressor_api::DecompressSession)).
//!
//! # Errors of [`decompress`](compressor_api::DecompressSession::decompress)
//!
//! A unit can be corrupt and too long for `dst` at once. The header is judged first: a malformed
//! one is `CorruptInput`, and a `zlib` header that asks for a preset dictionary is `Unsupported`.
//! After it, what zlib meets first counts: if a byte comes out that `dst` has no room for, the
//! answer is `OutputTooSmall`, whatever follows it; if the stream breaks or ends before that, it is
//! `CorruptInput`.
//!
//! # Efforts
//!
//! A spec with an [`Effort`](compressor_api::Effort) is served at a lower level whose units are as
//! short as the effort demands:
//!
//! | level | `balanced`, 7 % | `speed`, 10 % | longer, at most |
//! | --- | --- | --- | --- |
//! | 2 | 1 | 1 | 6 % |
//! | 3 | 2 | 2 | 6 % |
//! | 4 | 3 | 2 | 5 %, 10 % |
//! | 5 | 4 | 4 | 7 % |
//! | 6 | 5 | 4 | 3 %, 9 % |
//! | 7 | 5 | 5 | 5 % |
//! | 8, 9 | 6 | 5 | 6 %, 8 % |
//!
//! `effort.rs` has all pairs of levels, for other losses. Longer is the length of all units through
//! that at the spec's level, at the worst over the data sets `text`, `rows`, `wide-rows` and `logs`
//! of `compressor-benches` in blocks of 1 to 256 KiB.
//!
//! # Memory
//!
//! A session holds all that zlib needs from the start, and nothing is allocated per operation.
//! Compressing takes about 260 KiB (less for smaller windows), decompressing about 40 KiB.

mod compressor;
mod effort;
mod factory;
mod session;
mod settings;
mod stream;

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Format, Open, OpenError, Params, ProviderClass, ProviderEntry, ProviderId,
};

const ID: ProviderId = ProviderId::new("software.deflate");

/// The provider as listed.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ID,
    ProviderClass::Software,
    "zlib",
    &[Format::Zlib, Format::DeflateRaw, Format::Gzip],
    &Opener,
);

compressor_api::submit_provider!(PROVIDER);

/// The opened provider; it cannot fail to open.
#[must_use]
pub fn factory() -> Arc<dyn CompressorFactory> {
    Arc::new(factory::Factory)
}

struct Opener;

impl Open for Opener {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        Ok(factory())
    }
}

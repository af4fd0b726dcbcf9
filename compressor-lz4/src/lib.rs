//! The LZ4 software codec: `lz4-block` and `lz4-sized` over liblz4.
//!
//! The library is the one that lz4-sys 1.11 builds from source: liblz4 1.10.0.
//!
//! # Levels
//!
//! | level | what liblz4 does |
//! | --- | --- |
//! | −n, 0 | fast, with acceleration n + 1 |
//! | 1, 2 | its medium strategy, which it names 2: that is the effective level of both |
//! | 3–9 | hash chains of increasing depth |
//! | 10–12 | the optimal parser |
//!
//! # Efforts
//!
//! A spec with an [`Effort`](compressor_api::Effort) is served at a lower level whose blocks are as
//! short as the effort demands:
//!
//! | level | `balanced`, 7 % | `speed`, 10 % | longer, at most |
//! | --- | --- | --- | --- |
//! | −2 | −2 | −3 | 10 % |
//! | −1 | −1 | −2 | 9 % |
//! | 0 | 0 | −1 | 10 % |
//! | 1–3 | as they are | as they are | |
//! | 4 | 3 | 3 | 4 % |
//! | 5, 6 | 4 | 3 | 4 %, 8 % |
//! | 7–9 | 4 | 3 | 5 %, 9 % |
//! | 10–12 | 4 | 4 | 7 % |
//!
//! `level.rs` has more pairs of levels, for other losses. Longer is the length of all blocks through
//! that at the spec's level, at the worst over the data sets `text`, `rows`, `wide-rows` and `logs`
//! of `compressor-benches` in blocks of 1 to 256 KiB.
//!
//! # Limits
//!
//! | | compress | decompress |
//! | --- | --- | --- |
//! | `src` | 2,113,929,216 bytes (`LZ4_MAX_INPUT_SIZE`) | 2,147,483,647 bytes (`int`), and the length in front |
//! | content | the same | 2,147,483,647 bytes (`int`) |
//!
//! Beyond them the answer is [`Unsupported`](compressor_api::ErrorKind::Unsupported).
//!
//! # Memory
//!
//! A session to compress with holds 16 KiB (fast) or 256 KiB (levels 1–12), made with the session.
//! One to decompress with holds nothing. Rust allocates nothing per operation; liblz4 itself takes
//! 64 KiB from `malloc` for the duration of each call at levels 10–12, as lz4-sys compiles it
//! (`LZ4HC_HEAPMODE`). When it gets none, a call with room for any result says
//! [`OutOfMemory`](compressor_api::ErrorKind::OutOfMemory); one with less room cannot be told from
//! a result that does not fit.
//!
//! # What a raw block cannot tell
//!
//! A block carries neither length nor checksum. One that was cut off after the literals of a
//! sequence is a block of less content, so whoever keeps the content's length should ask for it
//! with [`decompress_exact`](compressor_api::DecompressSession::decompress_exact); `lz4-sized`
//! always does. A match of distance 0, which no encoder writes, may decompress to zeros: never to
//! bytes that were in `dst` before. A block that ends in a match, against the format's rule that
//! the last 5 bytes are literals, is refused if its content fits `dst` closely and may be read
//! otherwise.

mod block;
mod compress;
mod decompress;
mod factory;
mod ffi;
mod level;
mod limits;
mod state;

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Format, Open, OpenError, Params, ProviderClass, ProviderEntry, ProviderId,
};

use factory::Factory;

const ID: ProviderId = ProviderId::new("software.lz4");

/// The provider as listed.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ID,
    ProviderClass::Software,
    "liblz4, the reference library",
    &[Format::Lz4Block, Format::Lz4Sized],
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

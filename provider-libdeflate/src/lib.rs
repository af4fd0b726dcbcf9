//! The `libdeflate` accelerator: `zlib`, `deflate-raw` and `gzip` on the CPU, both directions.
//!
//! libdeflate works on whole buffers, which is what a storage engine has, and is several times as
//! fast as zlib for it. What it writes, every zlib reads, and the other way round.
//!
//! # Levels
//!
//! A [`Spec`](compressor_api::Spec) names zlib's levels 0–9. Each is served by the fastest
//! libdeflate level whose units are no longer than zlib's, by more than 0.2 %, on any data measured;
//! [`Compressor::effective`](compressor_api::Compressor::effective) says which one that is.
//!
//! | zlib | libdeflate | length, at most | times as fast | session |
//! | --- | --- | --- | --- | --- |
//! | 0 | 0 | 1.000 | | 6 KiB |
//! | 1 | 1 | 0.998 | 2.1 | 198 KiB |
//! | 2 | 2 | 0.986 | 1.6 | 653 KiB |
//! | 3 | 2 | 0.996 | 1.7 | 653 KiB |
//! | 4 | 5 | 0.992 | 1.7 | 653 KiB |
//! | 5 | 5 | 1.000 | 2.0 | 653 KiB |
//! | 6 | 6 | 1.000 | 2.1 | 653 KiB |
//! | 7 | 7 | 1.001 | 2.1 | 653 KiB |
//! | 8 | 8 | 0.998 | 2.0 | 653 KiB |
//! | 9 | 8 | 0.998 | 2.0 | 653 KiB |
//!
//! Length is that of all units through zlib's, at the worst, and speed is by CPU time, the geometric
//! mean, over the data sets `text`, `rows`, `wide-rows` and `logs` of `compressor-benches` in blocks
//! of 4, 16 and 64 KiB. At level 6 it goes from 1.5 for `logs` in blocks of 16 KiB, which come out
//! 5 % shorter, to 2.9 for `rows` in blocks of 64 KiB. Measured with zlib 1.4 and libdeflate 1.26 by
//! `cargo run --release -p provider-libdeflate --example libdeflate_levels`, which prints all pairs of levels.
//!
//! For zlib's level 6, libdeflate's level 5 would be up to a quarter faster, but `rows` come out 0.6 to
//! 1.6 % longer in blocks of 1 to 64 KiB: in no class of lengths are all data as short as zlib's. In
//! blocks of 4 KiB a ninth (`text`) to a fifth (`rows`) of the time sets up hash tables of 192 KiB,
//! whatever the length of the unit; libdeflate built for AVX2 alone saves 2 % there at most.
//!
//! Blocks of some tens of bytes can come out longer than zlib's: libdeflate stores them.
//!
//! # Efforts
//!
//! A spec with an [`Effort`](compressor_api::Effort) is served at a lower level of libdeflate whose
//! units are as short as the effort demands, by the length of the block; [`Effort::Ratio`] as above:
//!
//! | zlib | `balanced`, 7 % | `speed`, 10 % | longer, at most |
//! | --- | --- | --- | --- |
//! | 1, 2, 3 | 1 | 1 | 2 % |
//! | 4 | 1 | 1 | 5 % |
//! | 5 | 3 | 1 | 7 %, 10 % |
//! | 6 | 5 | 1 up to 64 KiB, 2 | 2 %, 10 % |
//! | 7 | 5 | 3 | 3 %, 10 % |
//! | 8 | 5 | 4 | 3 %, 10 % |
//! | 9 | 5 | 4 up to 64 KiB, 5 | 4 %, 10 % |
//!
//! `level.rs` has more pairs of levels, for other losses. Longer is the length of all units through
//! zlib's, as above, in blocks of 1 to 256 KiB. Where two levels serve, a session holds both.
//!
//! [`Effort::Ratio`]: compressor_api::Effort::Ratio
//!
//! # Windows
//!
//! libdeflate always writes for a window of 32 KiB. For a spec with a smaller one this provider
//! decompresses only.
//!
//! # Errors
//!
//! libdeflate stops at the end of a stream and ignores what follows, does not check the header
//! checksum of gzip, and may call a truncated stream too long for its buffer. None of that is
//! passed on: a unit gives the same [`ErrorKind`](compressor_api::ErrorKind) here as it does with
//! zlib. A unit that is corrupt and too long for `dst` at once is judged by what comes first: its
//! header, then its stream up to the first byte beyond `dst`.
//!
//! One difference is left, which only a decoder as slow as zlib could close: libdeflate reads some
//! streams that zlib refuses. They use what no encoder writes, the symbols and numbers of codes that
//! RFC 1951 reserves, or the unused codeword of a code that has only one. What is read from them
//! agrees with their checksum all the same, where the format has one.
//!
//! # Memory
//!
//! A session holds all that libdeflate needs from the start, and nothing is allocated per
//! operation: to compress, what the table says; to decompress, 12 KiB.

mod compressor;
mod factory;
mod level;
mod library;
mod session;

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Format, Open, OpenError, Params, ProviderClass, ProviderEntry, ProviderId,
};

const ID: ProviderId = ProviderId::new("libdeflate");

/// The provider as listed.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ID,
    ProviderClass::Accelerator,
    "libdeflate: whole buffers on the CPU, several times as fast as zlib",
    &[Format::Zlib, Format::DeflateRaw, Format::Gzip],
    &Opener,
);

compressor_api::submit_provider!(PROVIDER);

/// The opened provider; it is linked in, so it cannot fail to open.
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

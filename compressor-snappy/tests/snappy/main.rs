//! The Snappy codec against the contract, where Snappy and snap have corners of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise"
)]

// The same files as for the LZ4 codec.
#[path = "../../../compressor-lz4/tests/shared/content.rs"]
mod content;
#[path = "../../../compressor-lz4/tests/shared/guarded.rs"]
mod guarded;
#[path = "../../../compressor-lz4/tests/shared/providers.rs"]
mod providers;

mod blocks;
mod corrupt;
mod limits;
mod provider;
mod round_trip;
mod vectors;

use std::sync::Arc;

use compressor_api::{Compressor, CompressorFactory, ErrorKind, Format, Spec};
use proptest::prelude::*;

fn factory() -> Arc<dyn CompressorFactory> {
    compressor_snappy::factory()
}

fn compressor() -> Arc<dyn Compressor> {
    factory().compressor(&Spec::new(Format::Snappy)).unwrap()
}

fn decompress(unit: &[u8], room: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut session = compressor().decompress_session().unwrap();
    guarded::decompress(&mut *session, unit, room)
}

fn decompress_exact(unit: &[u8], len: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut session = compressor().decompress_session().unwrap();
    guarded::decompress_exact(&mut *session, unit, len)
}

/// So many cases, or a few where an interpreter runs them.
fn cases(cases: u32) -> ProptestConfig {
    if cfg!(miri) {
        ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(4)
        }
    } else {
        ProptestConfig::with_cases(cases)
    }
}

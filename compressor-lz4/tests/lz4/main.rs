//! The LZ4 codec against the contract, where LZ4 and liblz4 have corners of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "tests stop at the first surprise"
)]

#[path = "../shared/content.rs"]
mod content;
#[path = "../shared/guarded.rs"]
mod guarded;
#[path = "../shared/providers.rs"]
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

const FORMATS: [Format; 2] = [Format::Lz4Block, Format::Lz4Sized];

fn factory() -> Arc<dyn CompressorFactory> {
    compressor_lz4::factory()
}

fn compressor(format: Format, level: i32) -> Arc<dyn Compressor> {
    let spec = Spec::new(format).with_level(level).unwrap();
    factory().compressor(&spec).unwrap()
}

/// Every kind of level, the high ones and the usual accelerations more often.
fn levels() -> impl Strategy<Value = i32> {
    prop_oneof![3 => 1..=12, 2 => -16..=0, 1 => -65_536..=0]
}

fn decompress(format: Format, unit: &[u8], room: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut session = compressor(format, 0).decompress_session().unwrap();
    guarded::decompress(&mut *session, unit, room)
}

fn decompress_exact(format: Format, unit: &[u8], len: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut session = compressor(format, 0).decompress_session().unwrap();
    guarded::decompress_exact(&mut *session, unit, len)
}

//! The tests that every provider of the Deflate formats passes, run on zlib.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use compressor_deflate::factory;

mod shared;

//! The tests that every provider of the Deflate formats passes, run on ISA-L.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use isal::factory;

mod isal;

#[path = "../../compressor-deflate/tests/shared/mod.rs"]
mod shared;

//! Pairs from end to end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

mod cassandra;
mod damage;
mod empty_chunks;
mod misbehaving_accelerator;
mod read_many;
mod reading;
mod support;
mod transfer;
mod writing;

#[path = "../../../decorator/tests/misbehaving/mod.rs"]
mod misbehaving;

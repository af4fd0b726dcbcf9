//! What is particular to this codec: its frames, its strictness, its dictionaries, its sessions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod common;
mod dictionaries;
mod round_trip;
mod sessions;
mod stock;
mod strictness;
mod training;
mod vectors;

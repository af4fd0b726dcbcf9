//! What the benchmarks of this workspace run on.
//!
//! [`data`] makes the data sets: seeded, so that two people who quote a ratio compressed the same
//! bytes, and shaped like what storage engines really hand to a block compressor.

#![forbid(unsafe_code)]

pub mod data;

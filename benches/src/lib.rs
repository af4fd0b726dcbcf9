//! What the benchmarks of this workspace are made of.
//!
//! [`measure`] runs compressors side by side, so that the ratio of two numbers means something on a
//! machine that is never quiet.
//!
//! [`data`] makes the data sets: seeded, so that two people who quote a ratio compressed the same
//! bytes, and shaped like what storage engines really hand to a block compressor.

#![forbid(unsafe_code)]

pub mod data;
pub mod measure;

//! The libraries, called as a program calls them that has only one of them and no framework: what
//! the framework's cost is measured against.
//!
//! Contexts are made once. The calls are those that the providers make, with the same settings; what
//! is left out is what the framework adds: strictness beyond the library's, errors by blame,
//! dynamic dispatch. Anything unexpected panics.

mod copy;
mod libdeflate;
mod lz4;
mod snappy;
mod zlib;
mod zstd;

pub use copy::Copy;
pub use libdeflate::Libdeflate;
pub use lz4::Lz4;
pub use snappy::Snappy;
pub use zlib::Zlib;
pub use zstd::Zstd;

/// A library in use.
pub trait Direct {
    /// Compresses `src` to the start of `dst`, which has room for any result; the unit's length.
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize;

    /// Decompresses `unit` to `dst`, which is as long as the content; the content's length.
    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> usize;
}

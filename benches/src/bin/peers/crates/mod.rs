//! The crates, called as their documentation recommends.

mod flate2_zlib_ng;
#[cfg(feature = "peers-isal")]
mod isal_rs;
mod libdeflater;
mod lz4_flex;
mod snap;
mod zlib_rs;
mod zstd;

pub use flate2_zlib_ng::Flate2ZlibNg;
#[cfg(feature = "peers-isal")]
pub use isal_rs::IsalRs;
pub use libdeflater::Libdeflater;
pub use lz4_flex::Lz4Flex;
pub use snap::Snap;
pub use zlib_rs::ZlibRs;
pub use zstd::Zstd;

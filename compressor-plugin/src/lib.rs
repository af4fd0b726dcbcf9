//! Compressors in shared libraries, loaded at run time over a C ABI.
//!
//! `include/compressor_plugin.h` is the ABI: who owns what, which thread may call what, and what a
//! plugin may never do. A plugin in Rust is an [`export_plugin!`] over a provider; a program that
//! uses plugins calls [`load`] or [`list`] and registers what it gets.
pub mod abi;
#[doc(hidden)]
pub mod guest;

mod codes;
#[cfg(feature = "host")]
mod host;
mod text;

#[cfg(feature = "host")]
pub use host::{
    PluginError, Refusal, SEARCH_PATH, libraries_loaded, list, load, manifest, search_path,
};

//! The host's side: loads plugins, and trusts nothing that comes back.

mod capabilities;
mod compressor;
mod description;
mod directory;
mod elf;
mod error;
mod factory;
mod ffi;
mod file;
mod known;
mod library;
#[cfg(test)]
mod loopback;
mod manifest;
mod needed;
mod quarantine;
mod session;

pub use directory::{SEARCH_PATH, list, search_path};
pub use error::{PluginError, Refusal};
pub use ffi::libraries_loaded;
pub use known::{load, path_of};
pub use manifest::manifest;

//! Every call into a plugin, and every look at what it points to.
//!
//! The only unsafe code of the host's side. It rests on what the header demands of a plugin: that
//! its pointers are valid for the lengths it states, for as long as it says. A plugin shares the
//! host's memory, so no host can check that. What can be checked (null, alignment, sizes, numbers,
//! text) is checked here or by the callers of this module.
//!
//! A handle keeps alive what it was made from, and frees itself, unless the factory is quarantined:
//! then nothing is called any more, and the handle is left to the end of the process.

mod compressor;
mod factory;
mod host_table;
mod load;
mod pointed;
mod session;
mod table;

pub(super) use compressor::Compressor;
pub(super) use factory::{Factory, Listed};
pub(super) use host_table::HostTable;
#[cfg(test)]
pub(super) use load::enter;
pub use load::libraries_loaded;
pub(super) use load::load;
pub(super) use session::{Session, UNTOUCHED};
pub(super) use table::{Table, Value};

/// In place of the status of a function that is not there. Such a table is refused when it is read.
const NO_FUNCTION: i32 = i32::MIN;

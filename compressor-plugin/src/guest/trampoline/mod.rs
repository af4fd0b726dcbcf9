//! The entries of the table: each takes raw pointers, catches panics, and calls the provider.
//!
//! The only unsafe code of the plugin's side. All of it rests on the contract of the header, which
//! the host keeps: pointers are valid for the lengths beside them until the call returns, handles
//! are those that this table made and are freed once, and a session is used by one thread at a time.

mod compressor;
mod factory;
mod guard;
mod left;
mod passed;
mod session;

use std::panic::catch_unwind;
use std::ptr;

use super::{Exported, table};
use crate::abi::{self, ABI_MAJOR, HOST_MAGIC, Head, first};

/// A finished table.
#[derive(Debug)]
pub struct Table(abi::Plugin);

// SAFETY: the table is immutable, and so is all that it points to, which is leaked.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// The body of `compressor_plugin_v1`: the table, or null if this host cannot be worked with.
///
/// # Safety
///
/// `host` is null, or a table that stays valid until the process ends.
pub unsafe extern "C" fn enter<E: Exported>(host: *const abi::Host) -> *const abi::Plugin {
    // SAFETY: not null, so it is a table of the host's, which starts with a head.
    let Some(head) = (unsafe { host.cast::<Head>().as_ref() }) else {
        return ptr::null();
    };
    if head.magic != HOST_MAGIC
        || head.abi_major != ABI_MAJOR
        || (head.struct_size as usize) < first::HOST
    {
        return ptr::null();
    }
    guard::log_to(host);
    let built = catch_unwind(|| {
        if let Some(table) = E::table().get() {
            return Some(table);
        }
        match table::describe(E::entry()) {
            Ok(described) => Some(E::table().get_or_init(|| Table(with_functions::<E>(described)))),
            Err(why) => {
                guard::log(&why);
                None
            }
        }
    });
    match built {
        Ok(Some(table)) => &raw const table.0,
        Ok(None) => ptr::null(),
        Err(payload) => {
            guard::panicked(payload);
            ptr::null()
        }
    }
}

fn with_functions<E: Exported>(described: abi::Plugin) -> abi::Plugin {
    abi::Plugin {
        open: Some(factory::open::<E>),
        close: Some(factory::close),
        capabilities: Some(factory::capabilities),
        health: Some(factory::health),
        self_test: Some(factory::self_test),
        compressor_new: Some(compressor::compressor_new),
        compressor_free: Some(compressor::compressor_free),
        effective: Some(compressor::effective),
        max_compressed_len: Some(compressor::max_compressed_len),
        session_new: Some(session::session_new),
        session_free: Some(session::session_free),
        compress: Some(session::compress),
        decompress: Some(session::decompress),
        compress_many: Some(session::compress_many),
        decompress_many: Some(session::decompress_many),
        ..described
    }
}

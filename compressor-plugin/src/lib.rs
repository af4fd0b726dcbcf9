//! Compressors in shared libraries, loaded at run time over a C ABI.
//!
//! `include/compressor_plugin.h` is the ABI: who owns what, which thread may call what, and what a
//! plugin may never do. The in-process path does not go through it.
//!
//! # For an engine
//!
//! [`load`] takes one plugin by its absolute path, [`list`] all in some directories
//! ([`search_path`]); both give a [`ProviderEntry`](compressor_api::ProviderEntry), which is
//! registered like any other:
//!
//! ```no_run
//! use compressor_api::Registry;
//! use compressor_plugin::{list, load, search_path};
//!
//! let mut builder = Registry::builder().submitted();
//! builder = builder.provider(load("/opt/acme/libacme_lz4.so")?);
//! for plugin in list(search_path()) {
//!     match plugin {
//!         Ok(entry) => builder = builder.provider(entry),
//!         Err(refused) => eprintln!("{refused}"), // one line: which file, and why
//!     }
//! }
//! let registry = builder.build()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A plugin is always an accelerator: software is what everything falls back to, so it is linked.
//! It serves the [efforts](compressor_api::Effort) that its capabilities list; one built before minor
//! version 1 of the ABI lists none. With a [`manifest`](manifest()) beside its library, a plugin is
//! listed without running any of its code. A library is never unloaded.
//!
//! Library, manifest, and the directories in which they lie must belong to root or to the user of
//! the process, and nobody else may write to them: a plugin in `/tmp`, or where the umask lets the
//! group write, is refused. [`load`] says what else holds of a file. Each library that is listed holds
//! one file descriptor: count them in where descriptors are few.
//!
//! ## What a plugin may do to an engine
//!
//! Nothing that comes back is trusted. What is no answer at all quarantines the opened plugin: it is
//! not called again, neither to free what it holds, and every call answers with the error itself.
//!
//! | what comes back | the operation's error | and then |
//! | --- | --- | --- |
//! | a status of the contract | of that kind, with the plugin's native code | |
//! | `CP_POISONED` | `Poisoned` | the session is only freed |
//! | `CP_PANIC` | `Panic`, with the plugin's native code | quarantined |
//! | an unknown status, a length beyond the buffer, success without a handle, a bound below the input, a level on no scale, text that is none | `Panic`, native code `quar` | quarantined |
//! | a unit of 0 bytes for an input that is not empty | `Device` | |
//!
//! The kind is [`Panic`](compressor_api::ErrorKind::Panic) because that is what a decorator
//! quarantines for: the operation ends in software, and no other is tried. A quarantine ends when
//! the plugin is opened again, which is an operator's to decide.
//!
//! What cannot be is found when a plugin is opened, if not before: a list that contradicts itself, a
//! self-test that fails. It is then [`Broken`](compressor_api::OpenError::Broken). A library that
//! the plugin depends on and that is missing is [`Absent`](compressor_api::OpenError::Absent), with
//! the loader's words; an owner, a mode or a manifest that cannot be is
//! [`Misconfigured`](compressor_api::OpenError::Misconfigured), as is a plugin that says so of its
//! parameters. Of one that was found in a directory, rather than named by its path or given
//! parameters, that is logged and `Broken`: software serves, and start-up does not stop.
//!
//! A plugin shares the process: one that writes to wild addresses, aborts, calls `exit`, or never
//! returns is beyond what any host can contain. Panics of a plugin in Rust are caught;
//! a call to [`std::process::exit`], in a self-test as anywhere, is no panic and ends the engine.
//!
//! # For a plugin in Rust
//!
//! [`export_plugin!`] over a provider, in a crate of the type `cdylib`, without this crate's default
//! features; `examples/plugin-rust` is a template. For one in C, see `examples/plugin-c`.

pub mod abi;
#[doc(hidden)]
pub mod guest;

mod codes;
#[cfg(all(unix, feature = "host"))]
mod host;
mod text;

#[cfg(all(unix, feature = "host"))]
pub use host::{
    PluginError, Refusal, SEARCH_PATH, libraries_loaded, list, load, manifest, path_of, search_path,
};

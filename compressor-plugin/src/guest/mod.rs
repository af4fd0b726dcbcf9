//! The plugin's side: a provider in Rust behind the C ABI.
//!
//! [`export_plugin!`](crate::export_plugin) is all that a plugin writes. The rest is public for the
//! macro alone.

mod handle;
mod table;
mod trampoline;

use std::sync::OnceLock;

use compressor_api::ProviderEntry;

pub use trampoline::{Table, enter};

/// What [`export_plugin!`](crate::export_plugin) implements: which provider a library exports.
pub trait Exported: 'static {
    /// The provider.
    fn entry() -> &'static ProviderEntry;

    /// Where its table is kept once it was built.
    fn table() -> &'static OnceLock<Table>;
}

/// Exports a [`ProviderEntry`] as the plugin that this library is.
///
/// Takes the path of a `static`. Once in a crate whose `crate-type` is `cdylib`:
///
/// ```
/// use compressor_api::{ProviderClass, ProviderEntry, ProviderId, stored};
///
/// compressor_plugin::export_plugin!(PROVIDER);
///
/// static PROVIDER: ProviderEntry = ProviderEntry::new(
///     ProviderId::new("example.none"), // "software." at its start is refused
///     ProviderClass::Accelerator,
///     "One line for people",
///     stored::PROVIDER.formats,
///     stored::PROVIDER.opener,
/// );
/// ```
///
/// The host sees the provider's id, description, formats, priority and parameters, and once it is
/// opened its capabilities, efforts included. Whatever its [`class`](ProviderEntry::class), a plugin
/// is an accelerator: software is what a host falls back to when a plugin fails.
///
/// Every entry catches panics and reports them as [`Panic`](compressor_api::ErrorKind::Panic), and
/// the host never calls that factory again. This needs `panic = "unwind"`, Cargo's default. Built
/// with `panic = "abort"`, the first panic ends the host's process: no host can prevent that.
///
/// The standard library's panic hook still writes a panic to the standard error of the process; a
/// plugin that minds sets a hook of its own, which the host does not see.
#[macro_export]
macro_rules! export_plugin {
    ($entry:path) => {
        const _: () = {
            struct Exported;

            impl $crate::guest::Exported for Exported {
                fn entry() -> &'static $crate::guest::private::ProviderEntry {
                    &$entry
                }

                fn table() -> &'static ::std::sync::OnceLock<$crate::guest::Table> {
                    static TABLE: ::std::sync::OnceLock<$crate::guest::Table> =
                        ::std::sync::OnceLock::new();
                    &TABLE
                }
            }

            /// The plugin's one symbol.
            ///
            /// # Safety
            ///
            /// `host` is null, or a table that stays valid until the process ends.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn compressor_plugin_v1(
                host: *const $crate::abi::Host,
            ) -> *const $crate::abi::Plugin {
                // SAFETY: the caller keeps the same contract.
                unsafe { $crate::guest::enter::<Exported>(host) }
            }
        };
    };
}

/// What the macro names that a plugin need not depend on.
#[doc(hidden)]
pub mod private {
    pub use compressor_api::ProviderEntry;
}

use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::{HostTable, Table};
use crate::abi::{self, ABI_MAJOR, SYMBOL};
use crate::host::error::Refusal;

/// Libraries that the loader was asked for.
static LIBRARIES: AtomicUsize = AtomicUsize::new(0);

/// How many times this process has asked the loader for a plugin's library, successfully or not.
///
/// Listing plugins that have a manifest leaves it as it is.
#[must_use]
pub fn libraries_loaded() -> usize {
    LIBRARIES.load(Ordering::Relaxed)
}

/// The entry point's type, spelled once.
macro_rules! entry_point {
    () => { unsafe extern "C" fn(*const abi::Host) -> *const abi::Plugin };
}

/// A library whose initialisers have run. It stays loaded, whatever comes of it: they may have left
/// threads and destructors behind.
pub(in crate::host) struct Running(ManuallyDrop<Library>);

/// Loads a library.
pub(in crate::host) fn load(path: &Path) -> Result<Running, Refusal> {
    LIBRARIES.fetch_add(1, Ordering::Relaxed);
    // SAFETY: this runs the library's initialisers. The operator asked for it by an absolute path
    // that only root or this user could have written.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| Refusal::Loader {
        message: loader_message(path, &error),
    })?;
    Ok(Running(ManuallyDrop::new(library)))
}

impl Running {
    /// Reads the library's table.
    pub(in crate::host) fn table(&self, host: &'static HostTable) -> Result<Table, Refusal> {
        // SAFETY: what has this name has this type.
        let entry = unsafe { self.0.get::<entry_point!()>(SYMBOL) };
        let entry = *entry.map_err(|_| other_major(&self.0))?;
        // SAFETY: the entry point of a library that is never unloaded.
        unsafe { enter(entry, host) }
    }
}

/// Calls an entry point and reads the table that it returns.
///
/// # Safety
///
/// `entry` keeps the contract of the header.
pub(in crate::host) unsafe fn enter(
    entry: entry_point!(),
    host: &'static HostTable,
) -> Result<Table, Refusal> {
    // SAFETY: the caller vouches for `entry`, and the host's table lives until the process ends.
    let table = unsafe { entry(&raw const host.table) };
    // SAFETY: what an entry point returns is null or a table.
    unsafe { Table::read(table) }
}

/// What the loader says, without the path of the library that it was asked for: whoever reports it
/// says that.
fn loader_message(path: &Path, error: &libloading::Error) -> String {
    let message = match error {
        libloading::Error::DlOpen { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    let asked_for = format!("{}: ", path.display());
    message.strip_prefix(&asked_for).unwrap_or(&message).into()
}

/// Why a library has no symbol of this major version.
fn other_major(library: &Library) -> Refusal {
    let exports = |major: &u16| {
        let symbol = format!("compressor_plugin_v{major}\0");
        // SAFETY: the symbol is looked at, not used.
        unsafe { library.get::<*const u8>(symbol.as_bytes()) }.is_ok()
    };
    match (0..32).filter(|major| *major != ABI_MAJOR).find(exports) {
        Some(plugin) => Refusal::OtherMajor { plugin },
        None => Refusal::NoSymbol,
    }
}

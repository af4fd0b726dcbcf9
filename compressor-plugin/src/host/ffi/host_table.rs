use std::ffi::{CStr, c_char};
use std::panic::catch_unwind;
use std::path::Path;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pointed::{one_line, string};
use crate::abi::{
    self, ABI_MAJOR, ABI_MINOR, CP_LOG_DEBUG, CP_LOG_ERROR, CP_LOG_INFO, HOST_MAGIC, Head,
};
use crate::host::error;

/// The host as one plugin sees it: one per plugin, so that log lines carry its path.
#[derive(Debug)]
pub(in crate::host) struct HostTable {
    pub(super) table: abi::Host,
    /// Of the plugin, as it is printed.
    path: String,
}

// SAFETY: immutable, and so is the name that it points to, which is a constant.
unsafe impl Send for HostTable {}
// SAFETY: as above.
unsafe impl Sync for HostTable {}

/// The host tables that plugins were given.
static HOSTS: Mutex<Vec<&'static HostTable>> = Mutex::new(Vec::new());

impl HostTable {
    /// The table for the plugin at `path`: one per path, which lives until the process ends.
    pub(in crate::host) fn of(path: &Path) -> &'static Self {
        const NAME: &CStr = match CStr::from_bytes_with_nul(
            concat!("compressor ", env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
        ) {
            Ok(name) => name,
            Err(_) => c"compressor",
        };
        let path = error::printable(&path.display().to_string());
        let mut hosts = hosts();
        if let Some(known) = hosts.iter().find(|host| host.path == path) {
            return known;
        }
        let host: &'static Self = Box::leak(Box::new(Self {
            table: abi::Host {
                head: Head {
                    // Far fewer bytes than 2³².
                    struct_size: size_of::<abi::Host>() as u32,
                    abi_major: ABI_MAJOR,
                    abi_minor: ABI_MINOR,
                    magic: HOST_MAGIC,
                },
                name: NAME.as_ptr(),
                log: Some(log),
            },
            path,
        }));
        hosts.push(host);
        host
    }
}

fn hosts() -> MutexGuard<'static, Vec<&'static HostTable>> {
    HOSTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `cp_host.log`: from any thread, at any time. A subscriber that panics does not reach the plugin.
unsafe extern "C" fn log(host: *const abi::Host, level: u32, text: *const c_char) {
    let logged = catch_unwind(|| {
        // Looked up, not followed: the address is the plugin's word.
        let known = hosts()
            .iter()
            .copied()
            .find(|known| ptr::eq(&raw const known.table, host));
        // SAFETY: null, or the plugin's string.
        let (Some(host), Ok(text)) = (known, unsafe { string(text, "a log line") }) else {
            return;
        };
        let (plugin, text) = (&host.path, one_line(&text));
        match level {
            ..=CP_LOG_ERROR => tracing::error!(%plugin, "{text}"),
            CP_LOG_INFO => tracing::info!(%plugin, "{text}"),
            CP_LOG_DEBUG.. => tracing::debug!(%plugin, "{text}"),
            _ => tracing::warn!(%plugin, "{text}"),
        }
    });
    if let Err(payload) = logged {
        // Dropping it could panic again.
        std::mem::forget(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_table_however_often_it_is_loaded() {
        let host = HostTable::of(Path::new("/a/x.so"));
        assert!(ptr::eq(HostTable::of(Path::new("/a/x.so")), host));
        assert!(!ptr::eq(HostTable::of(Path::new("/a/y.so")), host));
    }
}

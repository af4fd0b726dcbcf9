//! Ending early, by Ctrl-C or SIGTERM: the database is removed, and what was measured is printed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::failure::Failure;

/// The signal that came; 0 for none.
static SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Lets the first signal end the run in order. A second one ends the process at once, for RocksDB may
/// be in the middle of a long compaction.
pub fn on_signals() -> Result<(), Failure> {
    for signal in [SIGINT, SIGTERM] {
        let came = Arc::new(false.into());
        // Looked at in the order of registration.
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&came))
            .and_then(|_| signal_hook::flag::register(signal, came))
            .and_then(|_| {
                let number = usize::try_from(signal).unwrap_or_default();
                signal_hook::flag::register_usize(signal, Arc::clone(&SIGNAL), number)
            })
            .map_err(Failure::of)?;
    }
    Ok(())
}

/// An error if the run is to end.
pub fn asked() -> Result<(), Failure> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => Ok(()),
        signal => Err(Failure::Stopped(signal)),
    }
}

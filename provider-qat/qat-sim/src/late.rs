//! Writes to buffers after the calls that they were given to have returned, as a device may.

use std::ffi::c_uchar;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::counters::{COUNTING, count};

/// The addresses that are still to be written to.
static PENDING: Mutex<Vec<Range<usize>>> = Mutex::new(Vec::new());

/// How many they are, without the lock.
static HOW_MANY: AtomicUsize = AtomicUsize::new(0);

/// Whether a buffer has bytes that are still to be written to.
pub(crate) fn overlaps(buffer: *const c_uchar, len: usize) -> bool {
    if HOW_MANY.load(Ordering::Acquire) == 0 {
        return false;
    }
    let (start, end) = (buffer.addr(), buffer.addr() + len);
    let pending = pending();
    pending.iter().any(|p| start < p.end && p.start < end)
}

/// Writes to a buffer after `delay`.
///
/// # Safety
///
/// The buffer stays, and nobody uses it, until it was written to.
pub(crate) unsafe fn write(dest: *mut c_uchar, len: usize, delay: Duration) {
    /// For what no thread may send.
    struct Buffer(*mut c_uchar, usize);
    // SAFETY: a number to this thread; the one that writes is the only one that uses it.
    unsafe impl Send for Buffer {}
    let range = dest.addr()..dest.addr() + len;
    pending().push(range.clone());
    HOW_MANY.fetch_add(1, Ordering::Release);
    let buffer = Buffer(dest, len);
    thread::spawn(move || {
        let Buffer(dest, len) = { buffer };
        thread::sleep(delay);
        // SAFETY: says the caller.
        unsafe { dest.write_bytes(0xEE, len) };
        let mut pending = pending();
        if let Some(at) = pending.iter().position(|p| *p == range) {
            pending.swap_remove(at);
            HOW_MANY.fetch_sub(1, Ordering::Release);
        }
        drop(pending);
        count(&COUNTING.late_writes);
    });
}

fn pending() -> MutexGuard<'static, Vec<Range<usize>>> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

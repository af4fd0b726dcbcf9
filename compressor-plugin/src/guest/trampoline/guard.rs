//! Where panics end.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::abi::{self, CP_LOG_ERROR, CP_PANIC};
use crate::text::line;

/// The host that entered last: there is one in a process.
static HOST: AtomicPtr<abi::Host> = AtomicPtr::new(ptr::null_mut());

/// Makes this the host whose log is used.
pub(super) fn log_to(host: *const abi::Host) {
    HOST.store(host.cast_mut(), Ordering::Release);
}

/// Runs the body of an entry. A panic ends here: it is logged, and the host is told.
pub(super) fn guarded(body: impl FnOnce() -> i32) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(status) => status,
        Err(payload) => {
            panicked(payload);
            CP_PANIC
        }
    }
}

/// Logs what a panic said. Its payload is leaked: dropping it could panic again.
pub(super) fn panicked(payload: Box<dyn Any + Send>) {
    let said = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    log(&format!("panicked: {}", said.unwrap_or("(no message)")));
    mem::forget(payload);
}

pub(super) fn log(text: &str) {
    let host = HOST.load(Ordering::Acquire).cast_const();
    // SAFETY: null, or the host's table, which stays valid until the process ends.
    let Some(log) = (unsafe { host.as_ref() }).and_then(|host| host.log) else {
        return;
    };
    let line = line(text);
    // SAFETY: the host's function, with its table and a string of the length that it takes.
    unsafe { log(host, CP_LOG_ERROR, line.as_ptr()) };
}

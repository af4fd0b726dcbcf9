//! What the functions that [`count_mallocs!`](crate::count_mallocs) defines do: count, and hand on to
//! glibc's own, which it keeps under other names.

use std::ffi::{c_int, c_void};

use super::counted;

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(members: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    fn __libc_free(old: *mut c_void);
}

/// Linux's.
const ENOMEM: c_int = 12;
const EINVAL: c_int = 22;

/// C's `malloc`.
#[must_use]
pub fn malloc(size: usize) -> *mut c_void {
    counted(size);
    // SAFETY: any size is legal.
    unsafe { __libc_malloc(size) }
}

/// C's `calloc`.
#[must_use]
pub fn calloc(members: usize, size: usize) -> *mut c_void {
    counted(members.saturating_mul(size));
    // SAFETY: any numbers are legal; the product is checked there.
    unsafe { __libc_calloc(members, size) }
}

/// C's `realloc`.
///
/// # Safety
///
/// As C has it: `old` is null, or came from here and was not given back.
#[must_use]
pub unsafe fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
    counted(size);
    // SAFETY: the caller's promise about `old`.
    unsafe { __libc_realloc(old, size) }
}

/// C's `free`.
///
/// # Safety
///
/// As C has it: `old` is null, or came from here and was not given back.
pub unsafe fn free(old: *mut c_void) {
    // SAFETY: the caller's promise about `old`.
    unsafe { __libc_free(old) }
}

/// C's `memalign`, and `aligned_alloc`.
#[must_use]
pub fn memalign(alignment: usize, size: usize) -> *mut c_void {
    counted(size);
    // SAFETY: an alignment that is none is rounded up or refused there.
    unsafe { __libc_memalign(alignment, size) }
}

/// POSIX's `posix_memalign`.
///
/// # Safety
///
/// `result` may be written to.
pub unsafe fn posix_memalign(result: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return EINVAL;
    }
    let memory = memalign(alignment, size);
    if memory.is_null() {
        return ENOMEM;
    }
    // SAFETY: the caller's promise about `result`.
    unsafe { result.write(memory) };
    0
}

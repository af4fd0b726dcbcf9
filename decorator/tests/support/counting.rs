//! Counts the allocations of the calling thread: Rust's and, where the C library is glibc, those of
//! C code as well.
//!
//! A test binary takes this file in with `#[path = "…/counting.rs"] mod counting;`, and has its
//! allocator replaced by doing so.

use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// What `operation` returns, and how often memory was asked for meanwhile by this thread. Giving
/// memory back is not counted; asking for more of it is.
pub fn allocations<T>(operation: impl FnOnce() -> T) -> (T, u64) {
    let before = ALLOCATIONS.get();
    let result = operation();
    (result, ALLOCATIONS.get() - before)
}

fn count() {
    // No allocator may run into a thread-local that is gone: it then has nobody to count for.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

/// The C library's functions, with a count before them. Rust's default allocator ends in these.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod c_library {
    use std::ffi::{c_int, c_void};

    use super::count;

    unsafe extern "C" {
        fn __libc_malloc(size: usize) -> *mut c_void;
        fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
        fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
        fn __libc_free(old: *mut c_void);
        fn __libc_memalign(alignment: usize, size: usize) -> *mut c_void;
    }

    /// `ENOMEM` and `EINVAL` of Linux.
    const NO_MEMORY: c_int = 12;
    const INVALID: c_int = 22;

    #[unsafe(no_mangle)]
    extern "C" fn malloc(size: usize) -> *mut c_void {
        count();
        // SAFETY: any size is legal.
        unsafe { __libc_malloc(size) }
    }

    #[unsafe(no_mangle)]
    extern "C" fn calloc(members: usize, size: usize) -> *mut c_void {
        count();
        // SAFETY: any numbers are legal; the product is checked by the callee.
        unsafe { __libc_calloc(members, size) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
        count();
        // SAFETY: the caller's promise, that `old` is null or came from this allocator, is passed
        // on.
        unsafe { __libc_realloc(old, size) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn free(old: *mut c_void) {
        // SAFETY: as for `realloc`.
        unsafe { __libc_free(old) }
    }

    #[unsafe(no_mangle)]
    extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
        count();
        // SAFETY: the callee rounds an alignment that is none.
        unsafe { __libc_memalign(alignment, size) }
    }

    #[unsafe(no_mangle)]
    extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
        memalign(alignment, size)
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn posix_memalign(
        result: *mut *mut c_void,
        alignment: usize,
        size: usize,
    ) -> c_int {
        if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
            return INVALID;
        }
        let memory = memalign(alignment, size);
        if memory.is_null() {
            return NO_MEMORY;
        }
        // SAFETY: the caller promises that `result` may be written to.
        unsafe { result.write(memory) };
        0
    }
}

/// Rust's allocator alone.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod rust {
    use std::alloc::{GlobalAlloc, Layout, System};

    use super::count;

    struct Counting;

    // SAFETY: every call is passed on to the system's allocator as it came.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count();
            // SAFETY: the caller's promises are passed on.
            unsafe { System.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            count();
            // SAFETY: the caller's promises are passed on.
            unsafe { System.alloc_zeroed(layout) }
        }

        unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            count();
            // SAFETY: the caller's promises are passed on.
            unsafe { System.realloc(old, layout, size) }
        }

        unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
            // SAFETY: the caller's promises are passed on.
            unsafe { System.dealloc(old, layout) }
        }
    }

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;
}

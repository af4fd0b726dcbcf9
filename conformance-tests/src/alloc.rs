//! Counts heap allocations, so that "allocates nothing" can be tested.
//!
//! A program that wants to know installs [`CountingAllocator`] as its global allocator; the check
//! `allocates-nothing` runs then, and is skipped otherwise. What C code takes from `malloc` is not
//! seen here.
#![expect(unsafe_code, reason = "a global allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

thread_local! {
    // Constant and without a destructor: reading it allocates nothing.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, counting per thread.
///
/// ```
/// use compressor_conformance::alloc::CountingAllocator;
///
/// #[global_allocator]
/// static ALLOCATOR: CountingAllocator = CountingAllocator;
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

/// Allocations and reallocations of the calling thread so far; stays 0 without the allocator.
#[must_use]
pub fn count() -> u64 {
    COUNT.get()
}

/// Whether the program counts.
pub(crate) fn is_counting() -> bool {
    let before = count();
    drop(black_box(Box::new(0_u8)));
    count() != before
}

fn counted() {
    COUNT.set(COUNT.get() + 1);
}

// SAFETY: every call is handed to the system's allocator as it came; counting touches no memory
// but a thread-local number.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        counted();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and `ptr` came from the system.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        counted();
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        counted();
        // SAFETY: the caller keeps the contract of `realloc`, and `ptr` came from the system.
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}

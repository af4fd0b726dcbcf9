//! Counts heap allocations, so that "allocates nothing" can be tested.
//!
//! A program that wants to know says [`count_mallocs!`](crate::count_mallocs), which sees what C
//! code takes as well, or installs [`CountingAllocator`] as its global allocator, which sees what
//! Rust takes. Not both: each allocation of Rust's would count twice. The check `allocates-nothing`
//! runs in such a program, and is skipped in others.
#![expect(unsafe_code, reason = "an allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

#[doc(hidden)]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub mod glibc;

thread_local! {
    // Constant and without a destructor: reading it allocates nothing.
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

/// Counts what the whole process asks of the heap, C libraries and plugins included.
///
/// To be said once in a program, outside of any function. Where the C library is glibc, `malloc` and
/// its kin are put in place of its own and hand every call on to it; Rust's default allocator ends
/// in them too. Elsewhere only [`CountingAllocator`] is installed, which sees Rust alone.
///
/// ```
/// compressor_conformance::count_mallocs!();
///
/// let (made, count) = compressor_conformance::alloc::allocations(|| vec![1, 2, 3]);
/// assert_eq!((made.len(), count), (3, 1));
/// ```
#[macro_export]
macro_rules! count_mallocs {
    () => {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        #[allow(
            unsafe_code,
            reason = "the C library's names cannot be defined without"
        )]
        const _: () = {
            use ::std::ffi::{c_int, c_void};
            use $crate::alloc::glibc;

            #[unsafe(no_mangle)]
            extern "C" fn malloc(size: usize) -> *mut c_void {
                glibc::malloc(size)
            }

            #[unsafe(no_mangle)]
            extern "C" fn calloc(members: usize, size: usize) -> *mut c_void {
                glibc::calloc(members, size)
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn realloc(old: *mut c_void, size: usize) -> *mut c_void {
                // SAFETY: the caller keeps the contract of `realloc`; so do those below of theirs.
                unsafe { glibc::realloc(old, size) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn free(old: *mut c_void) {
                // SAFETY: as above.
                unsafe { glibc::free(old) }
            }

            #[unsafe(no_mangle)]
            extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
                glibc::memalign(alignment, size)
            }

            #[unsafe(no_mangle)]
            extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
                glibc::memalign(alignment, size)
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn posix_memalign(
                result: *mut *mut c_void,
                alignment: usize,
                size: usize,
            ) -> c_int {
                // SAFETY: as above.
                unsafe { glibc::posix_memalign(result, alignment, size) }
            }
        };

        #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
        const _: () = {
            #[global_allocator]
            static ALLOCATOR: $crate::alloc::CountingAllocator = $crate::alloc::CountingAllocator;
        };
    };
}

/// What `operation` returns, and how often this thread asked for memory meanwhile. Giving memory
/// back is not counted; asking for more of it is.
pub fn allocations<T>(operation: impl FnOnce() -> T) -> (T, u64) {
    let before = count();
    let result = operation();
    (result, count() - before)
}

/// Allocations and reallocations of the calling thread so far; stays 0 in a program that does not
/// count.
#[must_use]
pub fn count() -> u64 {
    COUNT.get()
}

/// What `operation` returns, and the most bytes that this thread asked for at a time meanwhile; 0 in a
/// program that does not count.
pub(crate) fn largest<T>(operation: impl FnOnce() -> T) -> (T, usize) {
    let before = LARGEST.replace(0);
    let result = operation();
    let largest = LARGEST.get();
    LARGEST.set(largest.max(before));
    (result, largest)
}

/// Whether the program counts.
pub(crate) fn is_counting() -> bool {
    let before = count();
    drop(black_box(Box::new(0_u8)));
    count() != before
}

fn counted(size: usize) {
    // No destructors, so they are there for as long as their thread is.
    COUNT.set(COUNT.get() + 1);
    LARGEST.set(LARGEST.get().max(size));
}

/// The system's allocator, counting per thread what Rust asks of it.
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

// SAFETY: every call is handed to the system's allocator as it came; counting touches no memory
// but thread-local numbers.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        counted(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, and `ptr` came from the system.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        counted(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        counted(new_size);
        // SAFETY: the caller keeps the contract of `realloc`, and `ptr` came from the system.
        unsafe { System.realloc(ptr, layout, new_size) }
    }
}

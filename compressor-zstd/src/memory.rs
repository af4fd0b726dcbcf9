//! The allocator of one compression context: keeps what the context gives back.
//!
//! Left to itself, libzstd frees a context's workspace and makes a smaller one whenever it served
//! 128 calls and then meets two sources in a row that need a third of it or less; the next large
//! source has it made anew. With blocks of mixed sizes that is two allocations every 130 calls or
//! so, for ever. Here the larger workspace comes back instead.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};

use zstd_sys::ZSTD_customMem;

/// What stands before every block: its length. As large as the alignment, a cache line, so that
/// the block behind it is aligned as well.
#[repr(C, align(64))]
struct Header {
    len: usize,
}

/// At most one block that is in nobody's use: the largest that was given back.
struct Spare(Cell<Option<NonNull<Header>>>);

/// The owner of the spare block. The context must be freed before it is dropped.
pub(crate) struct Memory(NonNull<Spare>);

impl Memory {
    pub(crate) fn new() -> Self {
        let spare = Box::new(Spare(Cell::new(None)));
        Self(NonNull::from(Box::leak(spare)))
    }

    /// What libzstd calls. Whoever holds the result must not outlive `self`, and must not use it
    /// from two threads at a time.
    pub(crate) fn hooks(&self) -> ZSTD_customMem {
        ZSTD_customMem {
            customAlloc: Some(allocate),
            customFree: Some(release),
            opaque: self.0.as_ptr().cast(),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: `new` leaked this box, and nobody else takes it back.
        let spare = unsafe { Box::from_raw(self.0.as_ptr()) };
        if let Some(block) = spare.0.take() {
            free(block);
        }
    }
}

/// # Safety
///
/// `spare` is that of [`Memory::hooks`], whose conditions hold.
unsafe extern "C" fn allocate(spare: *mut c_void, len: usize) -> *mut c_void {
    // SAFETY: by the caller's promise it is there, and only ever shared within one thread.
    let spare = unsafe { &*spare.cast::<Spare>() };
    if let Some(block) = spare.0.take() {
        if block_len(block) >= len {
            return body(block);
        }
        // Before the larger one is made, so that both need not fit at once.
        free(block);
    }
    make(len).map_or(ptr::null_mut(), body)
}

/// # Safety
///
/// As [`allocate`]; `address` came from it and was not released yet, or is null.
unsafe extern "C" fn release(spare: *mut c_void, address: *mut c_void) {
    let Some(address) = NonNull::new(address.cast::<Header>()) else {
        return;
    };
    // SAFETY: as in `allocate`.
    let spare = unsafe { &*spare.cast::<Spare>() };
    // SAFETY: `body` placed it one header behind the start of its block.
    let block = unsafe { address.sub(1) };
    let smaller = match spare.0.take() {
        None => {
            spare.0.set(Some(block));
            return;
        }
        Some(kept) if block_len(kept) >= block_len(block) => {
            spare.0.set(Some(kept));
            block
        }
        Some(kept) => {
            spare.0.set(Some(block));
            kept
        }
    };
    free(smaller);
}

fn layout(len: usize) -> Option<Layout> {
    let size = len.checked_add(size_of::<Header>())?;
    Layout::from_size_align(size, align_of::<Header>()).ok()
}

fn make(len: usize) -> Option<NonNull<Header>> {
    // SAFETY: the layout has at least the size of a header.
    let block = NonNull::new(unsafe { alloc(layout(len)?) })?.cast::<Header>();
    // SAFETY: just made, large enough and aligned for a header.
    unsafe { block.write(Header { len }) };
    Some(block)
}

fn block_len(block: NonNull<Header>) -> usize {
    // SAFETY: every block that is in use or spare has its header.
    unsafe { block.as_ref() }.len
}

fn body(block: NonNull<Header>) -> *mut c_void {
    // SAFETY: a header stands before every block's body.
    unsafe { block.add(1) }.as_ptr().cast()
}

fn free(block: NonNull<Header>) {
    // `make` got a layout for this length, so there is one.
    if let Some(layout) = layout(block_len(block)) {
        // SAFETY: made by `make` with this very layout; the caller gives it up.
        unsafe { dealloc(block.as_ptr().cast(), layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(memory: &Memory, len: usize) -> *mut c_void {
        // SAFETY: one thread, and `memory` is there.
        unsafe { allocate(memory.hooks().opaque, len) }
    }

    fn put(memory: &Memory, address: *mut c_void) {
        // SAFETY: one thread, and the address came from `get`.
        unsafe { release(memory.hooks().opaque, address) };
    }

    #[test]
    fn blocks_are_aligned_and_writable_to_their_end() {
        let memory = Memory::new();
        for len in [1, 63, 64, 5_000] {
            let block = get(&memory, len);
            assert!(!block.is_null() && block.addr().is_multiple_of(64));
            // SAFETY: the block has `len` bytes.
            unsafe { block.write_bytes(0xA5, len) };
            put(&memory, block);
        }
    }

    #[test]
    fn a_smaller_request_gets_the_larger_block_back() {
        let memory = Memory::new();
        let large = get(&memory, 1_000);
        put(&memory, large);
        let small = get(&memory, 10);
        assert_eq!(small, large);
        put(&memory, small);
        assert_eq!(get(&memory, 1_000), large);
        put(&memory, large);
    }

    #[test]
    fn the_larger_of_two_blocks_is_kept() {
        let memory = Memory::new();
        for [first, second] in [[0, 1], [1, 0]] {
            let blocks = [get(&memory, 100), get(&memory, 1_000)];
            put(&memory, blocks[first]);
            put(&memory, blocks[second]);
            assert_eq!(get(&memory, 1_000), blocks[1]);
            put(&memory, blocks[1]);
        }
    }

    #[test]
    fn what_cannot_be_had_is_null() {
        let memory = Memory::new();
        assert!(get(&memory, usize::MAX).is_null());
        assert!(get(&memory, isize::MAX as usize).is_null());
        put(&memory, ptr::null_mut());
    }
}

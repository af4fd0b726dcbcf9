//! No operation allocates, once a session has seen content of that length.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use compressor_api::{Error, ErrorKind, Format, Spec, self_test};
use isal::factory;

mod isal;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    COUNT.with(|count| count.set(count.get() + 1));
}

// SAFETY: the system's allocator does the work. A counter without a destructor is there as long as
// its thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller has it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller has it.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller has it.
        unsafe { System.realloc(at, layout, len) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// ISA-L allocates nothing, with whatever allocator: it asks its caller for all memory.
#[test]
fn no_operation_allocates_after_the_first() {
    let content = self_test::CONTENT.repeat(16);
    for format in [Format::Zlib, Format::DeflateRaw, Format::Gzip] {
        for level in [1, 6] {
            let spec = Spec::new(format).with_level(level).unwrap();
            let compressor = factory().compressor(&spec).unwrap();
            let mut compress = compressor.compress_session().unwrap();
            let mut decompress = compressor.decompress_session().unwrap();
            let bound = compressor.max_compressed_len(content.len()).unwrap();
            let (mut unit, mut back) = (vec![0; bound], vec![0; content.len()]);
            let mut once = || {
                let n = compress.compress(&content, &mut unit).unwrap();
                let shorter = compress.compress(&content, &mut unit[..n]).unwrap();
                let failed = [
                    compress.compress(&content, &mut unit[..n - 1]),
                    compress.compress(&content[1..], &mut unit[..1]),
                ];
                assert_eq!(n, shorter);
                let kinds = failed.map(|result| result.map_err(Error::kind));
                assert_eq!(kinds, [Err(ErrorKind::OutputTooSmall); 2]);

                let n = compress.compress(&content, &mut unit).unwrap();
                assert_eq!(
                    decompress.decompress(&unit[..n], &mut back),
                    Ok(content.len())
                );
                let failed = [
                    decompress.decompress(&unit[..n], &mut back[1..]),
                    decompress.decompress(&unit[..n], &mut []),
                    decompress.decompress(&unit[..n - 1], &mut back),
                    decompress.decompress(b"garbage", &mut back),
                ];
                let kinds = failed.map(|result| result.map_err(Error::kind));
                let (small, corrupt) = (ErrorKind::OutputTooSmall, ErrorKind::CorruptInput);
                assert_eq!(kinds, [Err(small), Err(small), Err(corrupt), Err(corrupt)]);
            };
            once();
            let before = COUNT.get();
            for _ in 0..10 {
                once();
            }
            assert_eq!(COUNT.get(), before, "{format}, level {level}");
        }
    }
}

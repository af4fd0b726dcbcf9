//! The boundary to C++: the functions that `shim/shim.cc` calls, and the one that it offers.
//!
//! `shim/shim.h` has the twin of each declaration here. Nothing unwinds across: a panic becomes
//! [`Outcome::Stock`], and RocksDB's own code serves the block.
#![allow(unsafe_code, reason = "the one module that talks to C++")]

use std::ffi::{c_char, c_void};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;
use std::sync::Arc;

use librocksdb_sys::rocksdb_options_t;
use rocksdb::AsRawPtr;

use crate::block::{self, Outcome};
use crate::manager::{Manager, WorkingArea, Writer};
use crate::wanted::{BlockType, Wanted};

/// Installs a compression manager over `manager` in `options`. Returns `false` if memory could not
/// be had.
pub(crate) fn install(options: &mut rocksdb::Options, manager: Arc<Manager>) -> bool {
    let manager = Arc::into_raw(manager).cast::<c_void>();
    // SAFETY: the options are alive and exclusively borrowed for the call. The callbacks are
    // static. The shim takes the strong count of `manager` over and gives it back through
    // `drop_manager` exactly once, also when it fails.
    let code = unsafe { compressor_rocksdb_install(options.as_raw_ptr(), &CALLBACKS, manager) };
    code == 0
}

unsafe extern "C" {
    fn compressor_rocksdb_install(
        options: *mut rocksdb_options_t,
        callbacks: *const Callbacks,
        manager: *const c_void,
    ) -> i32;
}

const DONE: i32 = 0;
const DECLINED: i32 = 1;
const CORRUPT: i32 = 2;
const STOCK: i32 = 3;
const FAILED: i32 = 4;
const MEMORY: i32 = 5;

/// `crdb_outcome`.
#[repr(C)]
struct RawOutcome {
    code: i32,
    text: *const c_char,
    text_length: usize,
    length: usize,
}

impl From<Outcome> for RawOutcome {
    fn from(outcome: Outcome) -> Self {
        let (code, text, length) = match outcome {
            Outcome::Done(length) => (DONE, "", length),
            Outcome::Declined { tried } => (DECLINED, "", usize::from(tried)),
            Outcome::Corrupt(text) => (CORRUPT, text, 0),
            Outcome::Stock => (STOCK, "", 0),
            Outcome::Failed(text) => (FAILED, text, 0),
            Outcome::OutOfMemory(text) => (MEMORY, text, 0),
        };
        Self {
            code,
            text: text.as_ptr().cast(),
            text_length: text.len(),
            length,
        }
    }
}

/// `crdb_wanted`.
#[repr(C)]
struct RawWanted {
    level: i32,
    window_bits: i32,
    strategy: i32,
    block_type: u8,
    checksum: u8,
}

/// `crdb_callbacks`.
#[repr(C)]
struct Callbacks {
    drop_manager: unsafe extern "C" fn(*const c_void),
    writer: unsafe extern "C" fn(*const c_void, *const RawWanted) -> *const c_void,
    drop_writer: unsafe extern "C" fn(*const c_void),
    session: unsafe extern "C" fn(*const c_void) -> *mut c_void,
    drop_session: unsafe extern "C" fn(*mut c_void),
    compress: unsafe extern "C" fn(
        *const c_void,
        *mut c_void,
        *const c_char,
        usize,
        *mut c_char,
        usize,
    ) -> RawOutcome,
    plausible: unsafe extern "C" fn(u8, *const c_char, usize, u64) -> i32,
    decompress: unsafe extern "C" fn(
        *const c_void,
        u8,
        *const c_char,
        usize,
        *mut c_char,
        usize,
    ) -> RawOutcome,
}

static CALLBACKS: Callbacks = Callbacks {
    drop_manager,
    writer,
    drop_writer,
    session,
    drop_session,
    compress,
    plausible,
    decompress,
};

/// RocksDB calls from any thread, and moves working areas between them.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    fn moved<T: Send>() {}
    shared::<Manager>();
    shared::<Writer>();
    moved::<WorkingArea>();
};

/// What `call` returns, or `otherwise` if it panics.
fn contained<T>(otherwise: T, call: impl FnOnce() -> T) -> T {
    // What a panic may leave half done is a session, which is out of its place while it works.
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| {
        // Its drop may panic again, and so may whoever listens to events.
        mem::forget(payload);
        let told = catch_unwind(|| {
            tracing::error!(
                "the compression of RocksDB blocks panicked; RocksDB's own code serves"
            );
        });
        told.unwrap_or_else(mem::forget);
        otherwise
    })
}

/// # Safety
///
/// `manager` is from [`install`], and is not used after this.
unsafe extern "C" fn drop_manager(manager: *const c_void) {
    contained((), || {
        // SAFETY: from `Arc::into_raw` in `install`, and given back once.
        drop(unsafe { Arc::from_raw(manager.cast::<Manager>()) });
    });
}

/// # Safety
///
/// `manager` is from [`install`] and was not dropped; `wanted` is valid for the call.
unsafe extern "C" fn writer(manager: *const c_void, wanted: *const RawWanted) -> *const c_void {
    // SAFETY: the shim holds the strong count that `install` gave it, and neither reference is kept
    // beyond the call.
    let (manager, wanted) = unsafe { (&*manager.cast::<Manager>(), &*wanted) };
    contained(ptr::null(), || {
        let wanted = BlockType::from_byte(wanted.block_type).map(|block_type| Wanted {
            block_type,
            level: wanted.level,
            window_bits: wanted.window_bits,
            strategy: wanted.strategy,
            checksum: wanted.checksum != 0,
        });
        let writer = wanted.and_then(|wanted| manager.writer(&wanted));
        writer.map_or(ptr::null(), |writer| Arc::into_raw(writer).cast())
    })
}

/// # Safety
///
/// `writer` is from [`writer`], and is not used after this.
unsafe extern "C" fn drop_writer(writer: *const c_void) {
    contained((), || {
        // SAFETY: from `Arc::into_raw` in `writer`, and given back once.
        drop(unsafe { Arc::from_raw(writer.cast::<Writer>()) });
    });
}

/// # Safety
///
/// `writer` is from [`writer`] and was not dropped.
unsafe extern "C" fn session(writer: *const c_void) -> *mut c_void {
    // SAFETY: the shim holds the strong count that `writer` gave it.
    let writer = unsafe { &*writer.cast::<Writer>() };
    contained(ptr::null_mut(), || {
        Box::into_raw(Box::new(writer.working_area())).cast()
    })
}

/// # Safety
///
/// `session` is from [`session`], and is not used after this.
unsafe extern "C" fn drop_session(session: *mut c_void) {
    contained((), || {
        // SAFETY: from `Box::into_raw` in `session`, and given back once.
        drop(unsafe { Box::from_raw(session.cast::<WorkingArea>()) });
    });
}

/// # Safety
///
/// `writer` is from [`writer`] and was not dropped; `area` is null, or from [`session`], was not
/// dropped, and is used by this thread alone. `src` and `dst` are valid for their lengths and do
/// not overlap.
unsafe extern "C" fn compress(
    writer: *const c_void,
    area: *mut c_void,
    src: *const c_char,
    src_length: usize,
    dst: *mut c_char,
    dst_length: usize,
) -> RawOutcome {
    // SAFETY: the caller's promises are those of the three.
    let (writer, area, (src, dst)) = unsafe {
        (
            &*writer.cast::<Writer>(),
            area.cast::<WorkingArea>().as_mut(),
            buffers(src, src_length, dst, dst_length),
        )
    };
    contained(Outcome::Stock, || writer.compress(area, src, dst)).into()
}

/// # Safety
///
/// `src` is valid for its length.
unsafe extern "C" fn plausible(
    block_type: u8,
    src: *const c_char,
    src_length: usize,
    length: u64,
) -> i32 {
    // SAFETY: the caller's promise; an empty destination needs no memory.
    let (src, _) = unsafe { buffers(src, src_length, ptr::null_mut(), 0) };
    i32::from(block::is_plausible(block_type, src, length))
}

/// # Safety
///
/// `manager` is from [`install`] and was not dropped. `src` and `dst` are valid for their lengths
/// and do not overlap.
unsafe extern "C" fn decompress(
    manager: *const c_void,
    block_type: u8,
    src: *const c_char,
    src_length: usize,
    dst: *mut c_char,
    dst_length: usize,
) -> RawOutcome {
    // SAFETY: the caller's promises are those of the two.
    let (manager, (src, dst)) = unsafe {
        (
            &*manager.cast::<Manager>(),
            buffers(src, src_length, dst, dst_length),
        )
    };
    contained(Outcome::Stock, || manager.decompress(block_type, src, dst)).into()
}

/// The buffers of a call.
///
/// # Safety
///
/// Each is valid for its length, or that is 0; they do not overlap; and they outlive the call. What
/// is in `dst` may be undefined to C++, which Rust cannot see across the call: it is memory from
/// another language's allocator, only written to before anything of it is read.
unsafe fn buffers<'a>(
    src: *const c_char,
    src_length: usize,
    dst: *mut c_char,
    dst_length: usize,
) -> (&'a [u8], &'a mut [u8]) {
    let src = if src_length == 0 {
        &[]
    } else {
        // SAFETY: valid for its length, which is not 0.
        unsafe { slice::from_raw_parts(src.cast(), src_length) }
    };
    let dst = if dst_length == 0 {
        &mut []
    } else {
        // SAFETY: valid for its length, which is not 0, and nobody else's during the call.
        unsafe { slice::from_raw_parts_mut(dst.cast(), dst_length) }
    };
    (src, dst)
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;
    use std::sync::Weak;

    use compressor::Engine;
    use rocksdb::{DB, DBCompressionType, Options};

    use super::*;
    use crate::manager::Source;

    /// Gives the options a manager; what is returned tells whether it is still there.
    fn install_new(options: &mut Options) -> Weak<Manager> {
        let engine = Arc::new(Engine::new().unwrap());
        let manager = Arc::new(Manager::new(Source::Engine(engine)).unwrap());
        let weak = Arc::downgrade(&manager);
        assert!(install(options, manager));
        weak
    }

    #[test]
    fn who_uses_a_manager_keeps_it_and_the_last_drops_it_and_its_writers() {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_compression_type(DBCompressionType::Zlib);
        let manager = install_new(&mut options);
        let same = options.clone();
        drop(options);
        let db = DB::open(&same, folder.path()).unwrap();
        drop(same);
        db.put(b"key", [7; 10_000]).unwrap();
        db.flush().unwrap();
        assert_eq!(db.get(b"key").unwrap(), Some(vec![7; 10_000]));
        let writer = {
            let manager = manager.upgrade().unwrap();
            let writer = manager.writer(&Wanted::usual(BlockType::Zlib)).unwrap();
            Arc::downgrade(&writer)
        };
        assert!(writer.upgrade().is_some());
        drop(db);
        assert!(manager.upgrade().is_none());
        assert!(writer.upgrade().is_none());
    }

    #[test]
    fn what_is_replaced_is_dropped() {
        let mut options = Options::default();
        let first = install_new(&mut options);
        let second = install_new(&mut options);
        assert!(first.upgrade().is_none());
        assert!(second.upgrade().is_some());
        drop(options);
        assert!(second.upgrade().is_none());
    }

    #[test]
    fn a_panic_ends_here() {
        assert_eq!(contained(7, || panic!("caught")), 7);
        assert_eq!(contained(7, || 8), 8);
    }

    #[test]
    fn so_does_one_of_what_was_thrown() {
        struct PanicsInDrop;

        impl Drop for PanicsInDrop {
            fn drop(&mut self) {
                panic!("again");
            }
        }

        assert_eq!(contained(7, || panic_any(PanicsInDrop)), 7);
    }

    #[test]
    fn null_buffers_of_no_length_are_empty() {
        // SAFETY: both lengths are 0.
        let (src, dst) = unsafe { buffers(ptr::null(), 0, ptr::null_mut(), 0) };
        assert!(src.is_empty() && dst.is_empty());
    }
}

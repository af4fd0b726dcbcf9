//! Intel's sequence producer for zstd: the other way to sequences, if it is installed.

use std::ffi::{c_int, c_void};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;

use libloading::Library;
use zstd_sys::ZSTD_Sequence;

use super::Process;

/// What the system's loader is asked for.
const NAME: &str = "libqatseqprod.so";

/// `ZSTD_SEQUENCE_PRODUCER_ERROR`, a macro with a cast.
const PRODUCER_ERROR: usize = usize::MAX;

/// `QZSTD_OK`.
const STARTED: c_int = 0;

type Produce = unsafe extern "C" fn(
    state: *mut c_void,
    sequences: *mut ZSTD_Sequence,
    capacity: usize,
    src: *const c_void,
    src_len: usize,
    dictionary: *const c_void,
    dictionary_len: usize,
    level: c_int,
    window: usize,
) -> usize;

/// The library, loaded and its device started; it stays for the life of the process.
#[derive(Debug)]
pub(crate) struct Producer {
    create: unsafe extern "C" fn() -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    produce: Produce,
}

impl Producer {
    /// The producer of this process, if it is installed and its device starts. Asks once. To be
    /// called only where there is a device.
    pub(crate) fn of_process() -> Option<&'static Self> {
        static PRODUCER: OnceLock<Option<Producer>> = OnceLock::new();
        PRODUCER.get_or_init(Self::start).as_ref()
    }

    fn start() -> Option<Self> {
        // SAFETY: the loader's name vouches for what it is, and whoever installed it answers for
        // what it runs.
        let library = unsafe { Library::new(NAME) }.ok()?;
        // SAFETY: the types are those of its header (version 0.1 to 1.0), where they never changed.
        unsafe {
            let start = *library
                .get::<unsafe extern "C" fn() -> c_int>(b"QZSTD_startQatDevice\0")
                .ok()?;
            let producer = Self {
                create: *library.get(b"QZSTD_createSeqProdState\0").ok()?,
                free: *library.get(b"QZSTD_freeSeqProdState\0").ok()?,
                produce: *library.get(b"qatSequenceProducer\0").ok()?,
            };
            // It stays: it has threads and devices of its own.
            std::mem::forget(library);
            (start() == STARTED).then_some(producer)
        }
    }

    /// A state for one user at a time.
    pub(crate) fn state(&'static self) -> Option<ProducerState> {
        // SAFETY: the device was started.
        let state = unsafe { (self.create)() };
        Some(ProducerState {
            producer: self,
            state: NonNull::new(state)?,
            process: Process::this(),
        })
    }
}

/// What the producer keeps between calls.
#[derive(Debug)]
pub(crate) struct ProducerState {
    producer: &'static Producer,
    state: NonNull<c_void>,
    process: Process,
}

// SAFETY: the state is tied to no thread, and one at a time holds this.
unsafe impl Send for ProducerState {}

impl ProducerState {
    /// The process that made it.
    pub(crate) const fn process(&self) -> Process {
        self.process
    }

    /// Finds sequences for `src`, which is one block, and writes them to `sequences`; returns how
    /// many. `None` if it could not, and then the device may still be reading `src`: the caller's care.
    pub(crate) fn produce(
        &mut self,
        src: &[u8],
        sequences: &mut [ZSTD_Sequence],
        level: u32,
        window: usize,
    ) -> Option<usize> {
        let level = c_int::try_from(level).ok()?;
        // SAFETY: the state was made by the same library. It reads `src_len` bytes of `src` and
        // writes `capacity` sequences at most, whose lengths they are.
        let count = unsafe {
            (self.producer.produce)(
                self.state.as_ptr(),
                sequences.as_mut_ptr(),
                sequences.len(),
                src.as_ptr().cast(),
                src.len(),
                ptr::null(),
                0,
                level,
                window,
            )
        };
        (count != PRODUCER_ERROR && count <= sequences.len()).then_some(count)
    }
}

impl Drop for ProducerState {
    fn drop(&mut self) {
        if self.process.is_this() {
            // SAFETY: made by `create`, freed once.
            unsafe { (self.producer.free)(self.state.as_ptr()) };
        }
    }
}

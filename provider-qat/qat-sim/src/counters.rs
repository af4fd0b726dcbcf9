//! What the device did, for whoever tests with it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Counts since the library was loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Counters {
    /// Calls that were compressed, and decompressed, on the device.
    pub compressed: u64,
    /// As above.
    pub decompressed: u64,
    /// Calls that were done on the CPU, with success.
    pub software: u64,
    /// Calls that a fault struck.
    pub faults: u64,
    /// Calls that found no instance free (−103).
    pub busy: u64,
    /// Calls that are ruled out.
    pub misuses: u64,
    /// Sessions that are set up and not torn down.
    pub sessions: u64,
    /// Writes to a buffer after the call that it was given to timed out.
    pub late_writes: u64,
    /// The most calls that were on the device at once.
    pub peak: u64,
}

/// One for each field of [`Counters`].
#[derive(Debug)]
pub(crate) struct Counting {
    pub(crate) compressed: AtomicU64,
    pub(crate) decompressed: AtomicU64,
    pub(crate) software: AtomicU64,
    pub(crate) faults: AtomicU64,
    pub(crate) busy: AtomicU64,
    pub(crate) misuses: AtomicU64,
    pub(crate) sessions: AtomicU64,
    pub(crate) late_writes: AtomicU64,
    pub(crate) peak: AtomicU32,
}

pub(crate) static COUNTING: Counting = Counting {
    compressed: AtomicU64::new(0),
    decompressed: AtomicU64::new(0),
    software: AtomicU64::new(0),
    faults: AtomicU64::new(0),
    busy: AtomicU64::new(0),
    misuses: AtomicU64::new(0),
    sessions: AtomicU64::new(0),
    late_writes: AtomicU64::new(0),
    peak: AtomicU32::new(0),
};

/// One more. Whoever reads the count sees what was done before it, such as a late write.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Release);
}

/// What was counted so far.
#[must_use]
pub fn counters() -> Counters {
    let read = |counter: &AtomicU64| counter.load(Ordering::Acquire);
    Counters {
        compressed: read(&COUNTING.compressed),
        decompressed: read(&COUNTING.decompressed),
        software: read(&COUNTING.software),
        faults: read(&COUNTING.faults),
        busy: read(&COUNTING.busy),
        misuses: read(&COUNTING.misuses),
        sessions: read(&COUNTING.sessions),
        late_writes: read(&COUNTING.late_writes),
        peak: COUNTING.peak.load(Ordering::Relaxed).into(),
    }
}

//! Counts without contention: each session adds to a block that it alone writes.

use std::iter;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use compressor_api::{Direction, ErrorKind};

use crate::Reason;

/// What both directions of an [`Accelerated`](crate::Accelerated) did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Compressing.
    pub compress: Counters,
    /// Decompressing.
    pub decompress: Counters,
}

impl Snapshot {
    /// The counters of one direction.
    #[must_use]
    pub const fn direction(&self, direction: Direction) -> &Counters {
        match direction {
            Direction::Compress => &self.compress,
            Direction::Decompress => &self.decompress,
        }
    }
}

/// Operations that were answered by one side, accelerator or software.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Served {
    /// Operations, those included that ended in an error.
    pub ops: u64,
    /// Bytes given to them.
    pub bytes_in: u64,
    /// Bytes that came of them.
    pub bytes_out: u64,
}

/// What one direction did so far. Every operation is in exactly one of `accelerated`, `software`
/// and `failed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Operations whose answer is the accelerator's.
    pub accelerated: Served,
    /// Operations whose answer is software's; the reasons are in [`software_ops`](Self::software_ops).
    pub software: Served,
    /// Operations that [`OnFailure::Fail`](compressor_api::OnFailure::Fail) kept from software.
    pub failed: u64,
    /// Results that were decoded in software and compared.
    pub verified: u64,
    /// Verified results that were wrong.
    pub mismatches: u64,
    /// Results that no such operation can have: 0 bytes, more than fit, another length than
    /// declared.
    pub implausible: u64,
    reasons: [u64; Reason::COUNT],
    errors: [u64; ErrorKind::ALL.len()],
}

impl Counters {
    /// Operations that ran in software for this reason.
    #[must_use]
    pub fn software_ops(&self, reason: Reason) -> u64 {
        self.reasons.get(reason.index()).copied().unwrap_or(0)
    }

    /// The reasons for which operations ran in software, with how many did.
    pub fn reasons(&self) -> impl Iterator<Item = (Reason, u64)> + use<> {
        Reason::ALL
            .into_iter()
            .zip(self.reasons)
            .filter(|(_, ops)| *ops != 0)
    }

    /// Errors of this kind that the accelerator answered with, whether software could do better
    /// or not.
    #[must_use]
    pub fn accelerator_errors(&self, kind: ErrorKind) -> u64 {
        self.errors.get(place(kind)).copied().unwrap_or(0)
    }

    /// Every number with its place: the one list that reading and adding go by.
    fn cells(&mut self) -> impl Iterator<Item = &mut u64> {
        let Self {
            accelerated,
            software,
            failed,
            verified,
            mismatches,
            implausible,
            reasons,
            errors,
        } = self;
        let served = [accelerated, software]
            .into_iter()
            .flat_map(|side| [&mut side.ops, &mut side.bytes_in, &mut side.bytes_out]);
        served
            .chain([failed, verified, mismatches, implausible])
            .chain(reasons)
            .chain(errors)
    }
}

/// Where a kind is in [`ErrorKind::ALL`].
fn place(kind: ErrorKind) -> usize {
    // The kinds are numbered from 1 in that order.
    kind as usize - 1
}

/// The counters of one session.
///
/// On cache lines of its own, two at a time as some CPUs fetch them.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Block {
    accelerated: ServedCells,
    software: ServedCells,
    failed: Cell,
    verified: Cell,
    mismatches: Cell,
    implausible: Cell,
    reasons: [Cell; Reason::COUNT],
    errors: [Cell; ErrorKind::ALL.len()],
}

#[derive(Debug, Default)]
struct ServedCells {
    ops: Cell,
    bytes_in: Cell,
    bytes_out: Cell,
}

impl ServedCells {
    fn add(&self, bytes_in: usize, bytes_out: usize) {
        self.ops.add(1);
        self.bytes_in.add(bytes_in as u64);
        self.bytes_out.add(bytes_out as u64);
    }
}

/// A number that one thread writes and others read.
#[derive(Debug, Default)]
struct Cell(AtomicU64);

impl Cell {
    /// A load and a store instead of a locked addition: there is one writer.
    fn add(&self, more: u64) {
        let sum = self.0.load(Ordering::Relaxed).wrapping_add(more);
        self.0.store(sum, Ordering::Relaxed);
    }
}

impl Block {
    fn cells(&self) -> impl Iterator<Item = &Cell> {
        let served = [&self.accelerated, &self.software]
            .into_iter()
            .flat_map(|side| [&side.ops, &side.bytes_in, &side.bytes_out]);
        served
            .chain([
                &self.failed,
                &self.verified,
                &self.mismatches,
                &self.implausible,
            ])
            .chain(&self.reasons)
            .chain(&self.errors)
    }

    fn add_to(&self, counters: &mut Counters) {
        for (sum, cell) in counters.cells().zip(self.cells()) {
            *sum = sum.wrapping_add(cell.0.load(Ordering::Relaxed));
        }
    }
}

/// The counters of one direction: what ended sessions left, and the blocks of those at work.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Locked when a session begins or ends and when somebody reads, never during an operation.
    books: Mutex<Books>,
    /// The last who wanted the books waited in vain: the next does not wait as long.
    lost: AtomicBool,
}

#[derive(Debug, Default)]
struct Books {
    ended: Counters,
    at_work: Vec<Arc<Block>>,
}

/// Tries for a lock that is held, the CPU left to others between: mostly the first few do.
const TRIES: usize = 100;

/// Further tries, 1 ms apart: far more than any holder needs, who only adds up.
const SLOW_TRIES: usize = 100;

impl Ledger {
    /// Nothing, if the books cannot be had.
    pub(crate) fn total(&self) -> Counters {
        let Some(books) = self.open() else {
            return Counters::default();
        };
        let mut total = books.ended;
        books
            .at_work
            .iter()
            .for_each(|block| block.add_to(&mut total));
        total
    }

    /// The books. `None` if whoever holds them does not give them back: a process that was forked
    /// while another thread held the lock has a copy that nobody will ever unlock. It loses counts,
    /// and does not hang.
    fn open(&self) -> Option<MutexGuard<'_, Books>> {
        let slow_tries = if self.lost.load(Ordering::Relaxed) {
            0
        } else {
            SLOW_TRIES
        };
        let slow = iter::repeat_n(Some(Duration::from_millis(1)), slow_tries);
        for pause in iter::repeat_n(None, TRIES).chain(slow) {
            let books = match self.books.try_lock() {
                Ok(books) => Some(books),
                Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            if books.is_some() {
                self.lost.store(false, Ordering::Relaxed);
                return books;
            }
            match pause {
                None => thread::yield_now(),
                Some(time) => thread::sleep(time),
            }
        }
        self.lost.store(true, Ordering::Relaxed);
        None
    }
}

/// A session's hold on its counters. What it counted stays when it is dropped.
#[derive(Debug)]
pub(crate) struct Tally {
    block: Arc<Block>,
    ledger: Arc<Ledger>,
}

impl Tally {
    pub(crate) fn new(ledger: Arc<Ledger>) -> Self {
        let block = Arc::new(Block::default());
        // What is not in the books while it works is added to them when it ends.
        if let Some(mut books) = ledger.open() {
            books.at_work.push(block.clone());
        }
        Self { block, ledger }
    }

    #[inline]
    pub(crate) fn accelerated(&self, bytes_in: usize, bytes_out: usize) {
        self.block.accelerated.add(bytes_in, bytes_out);
    }

    #[inline]
    pub(crate) fn software(&self, reason: Reason, bytes_in: usize, bytes_out: usize) {
        self.block.software.add(bytes_in, bytes_out);
        if let Some(ops) = self.block.reasons.get(reason.index()) {
            ops.add(1);
        }
    }

    pub(crate) fn failed(&self) {
        self.block.failed.add(1);
    }

    pub(crate) fn verified(&self) {
        self.block.verified.add(1);
    }

    pub(crate) fn mismatch(&self) {
        self.block.mismatches.add(1);
    }

    pub(crate) fn implausible(&self) {
        self.block.implausible.add(1);
    }

    pub(crate) fn error(&self, kind: ErrorKind) {
        if let Some(errors) = self.block.errors.get(place(kind)) {
            errors.add(1);
        }
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        // Where the books cannot be had, the block stays in them, if it is there, and goes on to be
        // counted.
        let Some(mut books) = self.ledger.open() else {
            return;
        };
        self.block.add_to(&mut books.ended);
        books
            .at_work
            .retain(|block| !Arc::ptr_eq(block, &self.block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_in_their_order() {
        for (at, kind) in ErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(place(kind), at);
        }
    }

    #[test]
    fn each_number_is_read_where_it_was_counted() {
        let ledger = Arc::new(Ledger::default());
        let tally = Tally::new(ledger.clone());
        tally.accelerated(10, 4);
        tally.accelerated(20, 5);
        for (times, reason) in Reason::ALL.into_iter().enumerate() {
            (0..times).for_each(|_| tally.software(reason, 100, 50));
        }
        for (times, kind) in ErrorKind::ALL.into_iter().enumerate() {
            (0..times).for_each(|_| tally.error(kind));
        }
        tally.failed();
        (0..2).for_each(|_| tally.verified());
        (0..3).for_each(|_| tally.mismatch());
        (0..4).for_each(|_| tally.implausible());

        let total = ledger.total();
        let accelerated = total.accelerated;
        assert_eq!(
            (accelerated.ops, accelerated.bytes_in, accelerated.bytes_out),
            (2, 30, 9)
        );
        let ops = (0..Reason::COUNT as u64).sum::<u64>();
        assert_eq!(total.software.ops, ops);
        assert_eq!(total.software.bytes_in, 100 * ops);
        assert_eq!(total.software.bytes_out, 50 * ops);
        for (times, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(total.software_ops(reason), times as u64);
        }
        for (times, kind) in ErrorKind::ALL.into_iter().enumerate() {
            assert_eq!(total.accelerator_errors(kind), times as u64);
        }
        assert_eq!(total.reasons().count(), Reason::COUNT - 1);
        assert_eq!(
            (
                total.failed,
                total.verified,
                total.mismatches,
                total.implausible
            ),
            (1, 2, 3, 4)
        );
    }

    #[test]
    fn what_a_session_counted_stays_when_it_ends() {
        let ledger = Arc::new(Ledger::default());
        let (first, second) = (Tally::new(ledger.clone()), Tally::new(ledger.clone()));
        first.accelerated(1, 1);
        second.accelerated(1, 1);
        let before = ledger.total();
        drop(first);
        assert_eq!(ledger.total(), before);
        drop(second);
        assert_eq!(ledger.total(), before);
        assert!(ledger.open().unwrap().at_work.is_empty());
    }

    #[test]
    fn books_that_are_never_given_back_cost_counts_and_no_hang() {
        let ledger = Arc::new(Ledger::default());
        let before = Tally::new(ledger.clone());
        before.accelerated(1, 1);
        // As in a child that was forked meanwhile.
        let held = ledger.books.lock().unwrap();
        let during = Tally::new(ledger.clone());
        during.accelerated(1, 1);
        for _ in 0..20 {
            drop(Tally::new(ledger.clone()));
        }
        assert_eq!(ledger.total(), Counters::default());
        // Whoever comes next does not wait as long.
        assert!(ledger.lost.load(Ordering::Relaxed));
        drop(before);
        drop(held);
        assert_eq!(ledger.total().accelerated.ops, 1);
        assert!(!ledger.lost.load(Ordering::Relaxed));
        drop(during);
        assert_eq!(ledger.total().accelerated.ops, 2);
    }

    #[test]
    fn nothing_is_lost_where_many_sessions_begin_and_end_at_once() {
        let ledger = Arc::new(Ledger::default());
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        Tally::new(ledger.clone()).accelerated(1, 1);
                    }
                });
            }
        });
        assert_eq!(ledger.total().accelerated.ops, 8 * 500);
    }
}

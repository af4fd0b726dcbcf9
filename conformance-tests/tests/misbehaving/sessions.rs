//! Sessions that remember, that have something in common, or that cannot be moved.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use compressor_api::{Capabilities, Direction, Error, ErrorKind, Format};
use compressor_conformance::{Options, Subject, run};

use crate::wrapper::{Compress, Decompress, Memory, Misbehaves, Wrapped, fail, misbehaving};

/// Content of the same length is taken for the same content.
#[derive(Debug)]
struct KeepsState;

impl Misbehaves for KeepsState {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        if memory.calls > 1 && src.len() > 50 && dst.len() >= memory.bytes.len() {
            dst[..memory.bytes.len()].copy_from_slice(&memory.bytes);
            return Ok(memory.bytes.len());
        }
        let n = base.compress(src, dst)?;
        memory.bytes = dst[..n].to_vec();
        Ok(n)
    }
}

/// A unit cut short goes on where the last one ended: garbage after success, as QATzip does.
#[derive(Debug)]
struct GoesOnWithLastUnit;

impl Misbehaves for GoesOnWithLastUnit {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress {
            memory,
            base,
            src,
            dst,
        } = call;
        match base.decompress(src, dst) {
            Ok(n) => {
                memory.bytes = dst[..n].to_vec();
                Ok(n)
            }
            Err(error) if memory.bytes.is_empty() || src.is_empty() => Err(error),
            Err(error) => {
                let n = memory.bytes.len();
                dst.get_mut(..n)
                    .ok_or(error)?
                    .copy_from_slice(&memory.bytes);
                Ok(n)
            }
        }
    }
}

/// After one failure nothing works any more, and it never says Poisoned.
#[derive(Debug)]
struct FailsForEver;

impl Misbehaves for FailsForEver {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        if memory.failed {
            return Err(fail(ErrorKind::Device));
        }
        base.compress(src, dst)
            .inspect_err(|_| memory.failed = true)
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress {
            memory,
            base,
            src,
            dst,
        } = call;
        if memory.failed {
            return Err(fail(ErrorKind::CorruptInput));
        }
        base.decompress(src, dst)
            .inspect_err(|_| memory.failed = true)
    }
}

/// All sessions share one buffer, which holds what was compressed last.
#[derive(Debug, Default)]
struct SharesSession(Mutex<Vec<u8>>);

impl Misbehaves for SharesSession {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        let mut shared = self.0.lock().unwrap();
        if memory.calls == 1 {
            *shared = src.to_vec();
        }
        base.compress(&shared, dst)
    }
}

/// A buffer of the provider's is filled, and read again without a lock in between.
#[derive(Debug, Default)]
struct RacesBetweenThreads(Mutex<Vec<u8>>);

impl Misbehaves for RacesBetweenThreads {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        *self.0.lock().unwrap() = src.to_vec();
        thread::yield_now();
        let shared = self.0.lock().unwrap().clone();
        base.compress(&shared, dst)
    }
}

/// Serves on the thread that it was made on.
#[derive(Debug)]
struct StaysOnItsThread;

impl Misbehaves for StaysOnItsThread {
    fn open(&self, _: Direction, _: &Arc<Wrapped>) -> Result<Memory, Error> {
        Ok(Memory {
            thread: Some(thread::current().id()),
            ..Memory::default()
        })
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        match memory.thread == Some(thread::current().id()) {
            true => base.compress(src, dst),
            false => Err(fail(ErrorKind::Lost)),
        }
    }
}

/// A session needs its compressor to be alive, and does not keep it so.
#[derive(Debug)]
struct NeedsItsCompressor;

impl Misbehaves for NeedsItsCompressor {
    fn open(&self, _: Direction, compressor: &Arc<Wrapped>) -> Result<Memory, Error> {
        Ok(Memory {
            compressor: Some(Arc::downgrade(compressor)),
            ..Memory::default()
        })
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress {
            memory,
            base,
            src,
            dst,
        } = call;
        match memory.compressor.as_ref().and_then(|weak| weak.upgrade()) {
            Some(_) => base.decompress(src, dst),
            None => Err(fail(ErrorKind::Lost)),
        }
    }
}

/// A session that is used by a second thread is mixed up with that thread's own.
#[derive(Debug)]
struct LosesPooledSessions;

impl Misbehaves for LosesPooledSessions {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        match memory.calls {
            ..8 => base.compress(src, dst),
            _ => base.compress(&src[..src.len() / 2], dst),
        }
    }
}

/// What the providers below list.
const LISTED: u32 = 16;

fn listing_sixteen(listed: Vec<Capabilities>) -> Vec<Capabilities> {
    let limit = NonZeroU32::new(LISTED).unwrap();
    listed
        .into_iter()
        .map(|entry| entry.with_in_flight(limit))
        .collect()
}

/// Sixteen contexts are listed; there are as many as this, and one more session is an error.
#[derive(Debug)]
struct Contexts {
    open: Arc<AtomicUsize>,
    most: usize,
    beyond: ErrorKind,
}

impl Contexts {
    fn at_most(most: usize, beyond: ErrorKind) -> Self {
        let open = Arc::default();
        Self { open, most, beyond }
    }
}

impl Misbehaves for Contexts {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing_sixteen(listed)
    }

    fn open(&self, _: Direction, _: &Arc<Wrapped>) -> Result<Memory, Error> {
        let held = Context::open(&self.open);
        match self.open.load(Ordering::SeqCst) > self.most {
            true => Err(fail(self.beyond)),
            false => Ok(Memory {
                _held: Some(Box::new(held)),
                ..Memory::default()
            }),
        }
    }
}

#[test]
fn as_many_contexts_as_are_listed_suffice() {
    let sixteen = Contexts::at_most(LISTED as usize, ErrorKind::Busy);
    let subject = Subject::new(misbehaving(crate::plain(Format::Lz4Block), sixteen));
    let report = run(&subject, &Options::quick().only("in-flight-limit"), |_| {});
    assert_eq!(report.counts(), [2, 0, 0], "{report}");
}

/// Sixteen operations at once are listed; the fifth finds no capacity.
#[derive(Debug, Default)]
struct FourAtOnce {
    open: Arc<AtomicUsize>,
    at_work: AtomicUsize,
    refused: AtomicBool,
}

impl Misbehaves for FourAtOnce {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing_sixteen(listed)
    }

    fn open(&self, _: Direction, _: &Arc<Wrapped>) -> Result<Memory, Error> {
        Ok(Memory {
            _held: Some(Box::new(Context::open(&self.open))),
            ..Memory::default()
        })
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        if self.at_work.fetch_add(1, Ordering::SeqCst) >= 4 {
            self.refused.store(true, Ordering::SeqCst);
            self.at_work.fetch_sub(1, Ordering::SeqCst);
            return Err(fail(ErrorKind::Busy));
        }
        // With all contexts open a fifth operation comes, however slow the host is.
        while self.open.load(Ordering::SeqCst) == LISTED as usize
            && !self.refused.load(Ordering::SeqCst)
        {
            thread::yield_now();
        }
        let result = base.compress(src, dst);
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        result
    }
}

/// A context that was used once is never free again: after sixteen all are busy.
#[derive(Debug, Default)]
struct NeverFrees(AtomicUsize);

impl Misbehaves for NeverFrees {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing_sixteen(listed)
    }

    fn open(&self, direction: Direction, _: &Arc<Wrapped>) -> Result<Memory, Error> {
        let compresses = direction == Direction::Compress;
        let opened = self.0.fetch_add(usize::from(compresses), Ordering::SeqCst);
        match compresses && opened >= LISTED as usize {
            true => Err(fail(ErrorKind::Busy)),
            false => Ok(Memory::default()),
        }
    }
}

/// A context, counted while it is held.
struct Context(Arc<AtomicUsize>);

impl Context {
    fn open(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// While another session is open, long content is mixed up; short content fits into a buffer that
/// each session has for itself.
#[derive(Debug, Default)]
struct MixesUpLongContent {
    open: Arc<AtomicUsize>,
}

impl Misbehaves for MixesUpLongContent {
    fn open(&self, _: Direction, _: &Arc<Wrapped>) -> Result<Memory, Error> {
        Ok(Memory {
            _held: Some(Box::new(Context::open(&self.open))),
            ..Memory::default()
        })
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        let mixed = src.len() > 5_000 && self.open.load(Ordering::SeqCst) > 1;
        base.compress(&src[..src.len() - usize::from(mixed)], dst)
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let n = base.decompress(src, dst)?;
        if n > 5_000 && self.open.load(Ordering::SeqCst) > 1 {
            dst[n - 1] ^= 1;
        }
        Ok(n)
    }
}

/// While one session is closed, the others fail.
#[derive(Debug, Default)]
struct ClosesAll(AtomicBool);

impl Misbehaves for ClosesAll {
    fn drop_session(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress {
            memory,
            base,
            src,
            dst,
        } = call;
        if memory.calls > 1 && self.0.swap(false, Ordering::SeqCst) {
            return Err(fail(ErrorKind::Lost));
        }
        base.decompress(src, dst)
    }
}

/// What a process does that is not the one in which the provider was opened.
#[derive(Debug)]
struct AfterFork {
    opened_in: u32,
    does: Inherited,
}

#[derive(Clone, Copy, Debug)]
enum Inherited {
    /// Asks the parent's device, and what comes back is somebody else's.
    Wrong,
    /// Fails with an error that does not say that the session is lost.
    Corrupt,
    /// Touches memory that is no longer mapped.
    Crashes,
    /// Waits for a device that answers the parent.
    Waits,
}

impl AfterFork {
    fn that(does: Inherited) -> Self {
        let opened_in = std::process::id();
        Self { opened_in, does }
    }

    fn result(&self, right: Result<usize, Error>, dst: &mut [u8]) -> Result<usize, Error> {
        if std::process::id() == self.opened_in {
            return right;
        }
        match self.does {
            Inherited::Wrong => dst[right? / 2] ^= 1,
            Inherited::Corrupt => return Err(fail(ErrorKind::CorruptInput)),
            Inherited::Crashes => std::process::abort(),
            Inherited::Waits => loop {
                thread::sleep(std::time::Duration::from_secs(1));
            },
        }
        right
    }
}

impl Misbehaves for AfterFork {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        self.result(base.compress(src, dst), dst)
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        self.result(base.decompress(src, dst), dst)
    }
}

crate::each_caught! {
    wrong_bytes_after_fork: AfterFork::that(Inherited::Wrong), Zlib => "survives-fork";
    corrupt_after_fork: AfterFork::that(Inherited::Corrupt), Lz4Sized => "survives-fork";
    crashes_after_fork: AfterFork::that(Inherited::Crashes), Snappy => "survives-fork";
    waits_after_fork: AfterFork::that(Inherited::Waits), Lz4Block => "survives-fork";
    keeps_state: KeepsState, Lz4Block => "no-trace";
    goes_on_with_last_unit: GoesOnWithLastUnit, Zlib => "no-trace";
    fails_for_ever: FailsForEver, Zlib => "reusable-after-failure";
    shares_session: SharesSession::default(), Lz4Block => "sessions-independent";
    mixes_up_long_content: MixesUpLongContent::default(), Lz4Block => "sessions-independent";
    closes_all: ClosesAll::default(), Lz4Sized => "sessions-independent";
    races_between_threads: RacesBetweenThreads::default(), Lz4Block => "many-threads";
    stays_on_its_thread: StaysOnItsThread, Snappy => "moves-between-threads";
    needs_its_compressor: NeedsItsCompressor, Snappy => "outlives-compressor";
    loses_pooled_sessions: LosesPooledSessions, Snappy => "pools";
    four_contexts: Contexts::at_most(4, ErrorKind::Device), Lz4Block => "in-flight-limit";
    one_context_past_the_limit_is_an_error: Contexts::at_most(LISTED as usize, ErrorKind::Device), Lz4Block => "in-flight-limit";
    four_at_once: FourAtOnce::default(), Lz4Block => "in-flight-limit";
    never_frees: NeverFrees::default(), Lz4Block => "in-flight-limit";
}

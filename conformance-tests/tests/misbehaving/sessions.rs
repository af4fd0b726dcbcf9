//! Sessions that remember, that have something in common, or that cannot be moved.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use compressor_api::{Capabilities, Direction, Error, ErrorKind};

use crate::wrapper::{Compress, Decompress, Memory, Misbehaves, Wrapped, fail};

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

/// Sixteen contexts are listed; there are four, and a fifth session is an error.
#[derive(Debug, Default)]
struct FourContexts {
    open: Arc<AtomicUsize>,
}

impl Misbehaves for FourContexts {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        let limit = NonZeroU32::new(16).unwrap();
        listed
            .into_iter()
            .map(|entry| entry.with_in_flight(limit))
            .collect()
    }

    fn open(&self, _: Direction, _: &Arc<Wrapped>) -> Result<Memory, Error> {
        let held = Context::open(&self.open);
        match self.open.load(Ordering::SeqCst) > 4 {
            true => Err(fail(ErrorKind::Device)),
            false => Ok(Memory {
                _held: Some(Box::new(held)),
                ..Memory::default()
            }),
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
    four_contexts: FourContexts::default(), Lz4Block => "in-flight-limit";
}

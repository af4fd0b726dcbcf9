//! The provider, decorated, over a simulated device on which everything goes wrong at once, from as many
//! threads as an engine has: not one wrong byte, no deadlock, and no memory lost.
//!
//! `COMPRESSOR_STORM_BLOCKS` sets how many blocks there are; they are few unless told otherwise, and a
//! million take some minutes. A program of its own, since it counts what the whole process holds.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise; an allocator cannot be written without unsafe"
)]

mod sim;
mod storm;

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use compressor_api::Direction;
use compressor_decorator::{BreakerState, Verify};

use sim::APIS;
use storm::{Chance, FORMATS, Host, Rig, counters, text};

/// All that goes wrong, each now and then.
///
/// −2 that is no unit's fault comes seldom, and [`GIVEN_UP`] times at most: it keeps its buffers for a
/// minute, and a device that does so more than 64 times a minute is left alone.
const STORM: &str = "instances=16; \
    fault code=-2 rate=0.02 times=12; fault scribbles rate=0.005 times=8; \
    fault late-write rate=0.001 times=6 delay=1ms; \
    fault late-write code=-5 rate=0.001 times=6 delay=1ms; \
    fault code=-4 rate=0.01; fault code=-103 rate=0.02; \
    fault code=-3 rate=0.01; fault code=-104 rate=0.005; fault code=-100 rate=0.01; \
    fault code=11 rate=0.01; fault code=-117 rate=0.005; fault code=-105 rate=0.005; \
    fault consumes-less rate=0.005; fault ok-with-zero rate=0.005; fault truncates rate=0.005; \
    fault multi-stream rate=0.005; fault wrong-checksum rate=0.005; \
    fault no-checksum rate=0.005; fault silent-software rate=0.005; \
    fault frame-for-block rate=0.005; fault zero-offset rate=0.005; fault far-offset rate=0.005; \
    fault wrong-sum rate=0.005; fault flips-bit rate=0.001; \
    fault code=-1 on=setup rate=0.05; \
    fault lost code=-102 every=2000 back=60calls; fault lost every=3001 code=-103 back=1ms";

/// How many requests the device may still be at, as [`STORM`] has it.
const GIVEN_UP: usize = 12 + 8 + 6 + 6;

/// What a session may hold, in bytes: an input and an output of 16 KiB with what QATzip's bound adds,
/// and a page or two around each.
const BUFFERS: usize = 2 * (16 << 10) + (8 << 10) + 4 * 4_096;

/// Bytes that this process has of its allocator.
static LIVE: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: says the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: says the caller.
        unsafe { System.dealloc(at, layout) }
    }
}

/// How many blocks there are, of both versions of the API together.
fn blocks() -> usize {
    std::env::var("COMPRESSOR_STORM_BLOCKS")
        .ok()
        .map_or(4_000, |blocks| blocks.parse().unwrap())
}

#[test]
fn a_long_storm_leaves_right_bytes_and_no_traces() {
    const THREADS: usize = 64;
    for api in APIS {
        // More at once than there are instances, so that some find none.
        let params = [("hw_buffer_size", "16KiB"), ("max_in_flight", "24")];
        let host = Host::new("storm", api, &params, Verify::Always);
        let compressors = FORMATS.map(|format| (format, host.compressor(format)));
        // What is made once and stays, such as a thread's own, is there before it counts.
        let barrier = Barrier::new(THREADS + 1);
        let total = blocks() / 2;
        let left = AtomicUsize::new(total);
        let mut before = 0;
        thread::scope(|scope| {
            for n in 0..THREADS {
                let (compressors, left, host, barrier) = (&compressors, &left, &host, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    barrier.wait();
                    let mut chance = Chance(n as u64);
                    let mut rigs: Vec<Rig> = compressors
                        .iter()
                        .map(|(format, compressor)| Rig::new(compressor.clone(), *format))
                        .collect();
                    barrier.wait();
                    barrier.wait();
                    let one_less = |left: usize| left.checked_sub(1);
                    while left
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
                        .is_ok()
                    {
                        let pick = chance.below(FORMATS.len() as u64) as usize;
                        let len = 300 + chance.below(9_000) as usize;
                        let content = text(chance.next(), len);
                        rigs[pick].write(&content);
                        rigs[pick].read(&content);
                        if chance.below(16) == 0 {
                            // An operator looks after what was found, and the clock goes on by more
                            // than a breaker waits, so that the device is tried again and again.
                            host.clock.turn(Duration::from_secs(600));
                            for direction in [Direction::Compress, Direction::Decompress] {
                                if host.state(direction) == BreakerState::Quarantined {
                                    host.guard(direction).reset();
                                }
                            }
                        }
                    }
                    drop(rigs);
                    barrier.wait();
                    barrier.wait();
                });
            }
            barrier.wait();
            before = LIVE.load(Ordering::Relaxed);
            barrier.wait();
            // Nothing goes wrong while the first sessions are made.
            barrier.wait();
            host.sim.configure(STORM);
            barrier.wait();
            barrier.wait();
            let grown = LIVE.load(Ordering::Relaxed).saturating_sub(before);
            // Hundreds of sessions were lost, and made anew.
            assert!(grown <= GIVEN_UP * BUFFERS, "{api:?}: {grown} bytes");
            barrier.wait();
        });
        let counted = counters(&host.sim);
        assert_eq!((counted.sessions, counted.misuses), (0, 0));
        let (mut accelerated, mut all) = (0, 0);
        let mut why: BTreeMap<String, u64> = BTreeMap::new();
        for (_, compressor) in &compressors {
            let snapshot = compressor.counters();
            for direction in [Direction::Compress, Direction::Decompress] {
                let counted = snapshot.direction(direction);
                accelerated += counted.accelerated.ops;
                all += counted.accelerated.ops + counted.software.ops;
                assert_eq!(counted.failed, 0);
                for (reason, ops) in counted.reasons() {
                    *why.entry(reason.to_string()).or_default() += ops;
                }
            }
        }
        assert_eq!(all, 2 * total as u64);
        println!("{api:?}: {accelerated} of {all} operations on the simulated device; {counted:?}");
        println!("the others in software: {why:?}");
        // How much it is depends on how many are there at once; but what the storm leaves to the device
        // is done there.
        assert!(accelerated > all / 20, "{accelerated} of {all}: {why:?}");
    }
}

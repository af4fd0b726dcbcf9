//! Threads at work: as fast as they can, or at a fixed rate.

use std::io;
use std::thread::{Builder, ScopedJoinHandle};
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rustix::time::{ClockId, clock_gettime};

use crate::failure::Failure;
use crate::stop;
use crate::table::Worker;

/// How long before an operation is due a thread stops sleeping: more than a timer is late.
const AWAKE: Duration = Duration::from_micros(200);

/// What was spent on something.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    pub seconds: f64,
    pub cpu_seconds: f64,
}

/// Measures `work`, the CPU time of all threads of the process included.
pub fn spent(work: impl FnOnce() -> Result<(), Failure>) -> Result<Spent, Failure> {
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    work()?;
    Ok(Spent {
        seconds: begun.elapsed().as_secs_f64(),
        cpu_seconds: cpu_seconds() - cpu,
    })
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Does `ops` operations on `threads` threads, as fast as they can. `op` gets the thread's number.
pub fn at_full_speed(
    threads: usize,
    ops: u64,
    seed: u64,
    op: impl Fn(usize, &mut Worker) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    on_threads(threads, seed, |thread, worker| {
        let share =
            ops * (thread as u64 + 1) / threads as u64 - ops * thread as u64 / threads as u64;
        (0..share).try_for_each(|_| {
            stop::asked()?;
            op(thread, worker)
        })
    })
    .map(|_| ())
}

/// Latencies, in nanoseconds, of operations at `rate` a second over all threads for `time`.
///
/// Ends when twice that time is over, and a second at least, with fewer operations if the rate is
/// out of reach.
///
/// Counted from the moment at which an operation was due, whether or not its thread was free then.
pub fn at_rate(
    threads: usize,
    rate: f64,
    time: Duration,
    seed: u64,
    op: impl Fn(usize, &mut Worker) -> Result<(), Failure> + Sync,
) -> Result<Histogram<u64>, Failure> {
    let interval = Duration::try_from_secs_f64(threads as f64 / rate).map_err(Failure::of)?;
    // All are there by then; who is not has operations that are due.
    let begun = Instant::now() + Duration::from_millis(10 + threads as u64);
    let histograms = on_threads(threads, seed, |thread, worker| {
        // 1 ns to 100 s, to three digits.
        let mut histogram =
            Histogram::new_with_bounds(1, 100_000_000_000, 3).map_err(Failure::of)?;
        // Threads take turns.
        let mut due = interval.mul_f64(thread as f64 / threads as f64);
        let end = time + time.max(Duration::from_secs(1));
        while due < time && begun.elapsed() < end {
            wait_until(begun + due);
            stop::asked()?;
            op(thread, worker)?;
            let latency = begun.elapsed().saturating_sub(due);
            histogram.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
            due += interval;
        }
        Ok(histogram)
    })?;
    let mut all = Histogram::new_with_bounds(1, 100_000_000_000, 3).map_err(Failure::of)?;
    for histogram in &histograms {
        all.add(histogram).map_err(Failure::of)?;
    }
    Ok(all)
}

fn wait_until(due: Instant) {
    loop {
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        match left.checked_sub(AWAKE) {
            Some(sleep) if !sleep.is_zero() => std::thread::sleep(sleep),
            _ => std::thread::yield_now(),
        }
    }
}

fn on_threads<T: Send>(
    threads: usize,
    seed: u64,
    work: impl Fn(usize, &mut Worker) -> Result<T, Failure> + Sync,
) -> Result<Vec<T>, Failure> {
    std::thread::scope(|scope| {
        let handles: Vec<io::Result<_>> = (0..threads)
            .map(|thread| {
                let work = &work;
                Builder::new().spawn_scoped(scope, move || {
                    let mut rng = ChaCha8Rng::seed_from_u64(seed);
                    rng.set_stream(thread as u64);
                    work(thread, &mut Worker::new(rng))
                })
            })
            .collect();
        handles
            .into_iter()
            .map(|handle| match handle.map(ScopedJoinHandle::join) {
                Ok(Ok(result)) => result,
                Ok(Err(_)) => Err(Failure::of("a thread of the workload panicked")),
                Err(error) => Err(Failure::of(format!("cannot start a thread: {error}"))),
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn every_operation_is_done_once() {
        for (threads, ops) in [(1, 10), (3, 10), (4, 2), (2, 0)] {
            let done = AtomicU64::new(0);
            at_full_speed(threads, ops, 1, |_, _| {
                done.fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
            .unwrap();
            assert_eq!(done.into_inner(), ops);
        }
    }

    #[test]
    fn who_had_to_wait_is_counted_with_the_wait() {
        // The first operation of one thread takes as long as all that are due.
        let time = Duration::from_millis(50);
        let first = AtomicU64::new(0);
        let latencies = at_rate(1, 1_000.0, time, 1, |_, _| {
            if first.fetch_add(1, Ordering::Relaxed) == 0 {
                std::thread::sleep(time);
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(latencies.len(), 50);
        let median = Duration::from_nanos(latencies.value_at_quantile(0.5));
        assert!(median >= time / 3, "{median:?}");
    }

    #[test]
    fn a_failure_ends_the_run() {
        assert!(at_full_speed(2, 10, 1, |_, _| Err(Failure::of("no"))).is_err());
    }
}

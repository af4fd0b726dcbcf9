//! Wall time, and what the system knows of the calling thread: its CPU time, and how often it was
//! interrupted.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use rustix::time::{ClockId, clock_gettime};

/// How long a piece of work took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lap {
    /// By the clock on the wall.
    pub wall: Duration,
    /// On the CPU of the thread that ran it: what other threads, other processes and devices do
    /// meanwhile is not in it.
    pub cpu: Duration,
    /// How often the system took the CPU away in favour of somebody else, which is in `wall` and
    /// has nothing to do with the work. Waiting of its own accord, for a device, is not counted.
    pub interruptions: u64,
}

impl AddAssign for Lap {
    fn add_assign(&mut self, other: Self) {
        self.wall += other.wall;
        self.cpu += other.cpu;
        self.interruptions += other.interruptions;
    }
}

/// Runs `work` and times it.
///
/// # Errors
///
/// The error of `work`.
pub(super) fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Lap, E> {
    // Asking the system stays outside of what the wall clock sees.
    let interruptions = thread_interruptions();
    let cpu = thread_cpu_time();
    let wall = Instant::now();
    work()?;
    Ok(Lap {
        wall: wall.elapsed(),
        cpu: thread_cpu_time().saturating_sub(cpu),
        interruptions: thread_interruptions().saturating_sub(interruptions),
    })
}

/// CPU time that this thread has used since it started.
fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
}

/// How often this thread was interrupted since it started; all threads together where the system
/// does not tell them apart, 0 where it does not tell at all.
fn thread_interruptions() -> u64 {
    #[cfg(any(target_os = "linux", target_os = "freebsd", target_os = "openbsd"))]
    let who = UsageWho::RUSAGE_THREAD;
    #[cfg(not(any(target_os = "linux", target_os = "freebsd", target_os = "openbsd")))]
    let who = UsageWho::RUSAGE_SELF;
    getrusage(who).map_or(0, |usage| {
        u64::try_from(usage.involuntary_context_switches()).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn sleeping_takes_wall_time_only() {
        let lap = timed(|| {
            std::thread::sleep(Duration::from_millis(30));
            Ok::<(), ()>(())
        });
        let lap = lap.unwrap();
        assert!(lap.wall >= Duration::from_millis(30), "{lap:?}");
        assert!(lap.cpu < Duration::from_millis(15), "{lap:?}");
    }

    #[test]
    fn computing_takes_both() {
        let lap = timed(|| {
            let start = Instant::now();
            // In terms of CPU time, for a busy machine may not run this thread at all for a while.
            let used = thread_cpu_time();
            while thread_cpu_time() - used < Duration::from_millis(5) {
                black_box(start.elapsed());
            }
            Ok::<(), ()>(())
        });
        let lap = lap.unwrap();
        assert!(lap.cpu >= Duration::from_millis(5), "{lap:?}");
        assert!(lap.wall >= Duration::from_millis(4), "{lap:?}");
    }

    /// More threads that want a CPU than there are CPUs.
    #[test]
    fn who_competes_for_a_cpu_is_interrupted() {
        let threads = 4 * std::thread::available_parallelism().unwrap().get();
        let spin = || {
            let used = thread_cpu_time();
            while thread_cpu_time() - used < Duration::from_millis(50) {}
            Ok::<(), ()>(())
        };
        let interruptions: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| timed(spin))).collect();
            threads
                .into_iter()
                .map(|t| t.join().unwrap().unwrap().interruptions)
                .sum()
        });
        assert!(interruptions > 0);
    }

    #[test]
    fn an_error_passes_through() {
        assert_eq!(timed(|| Err("broken")), Err("broken"));
    }
}

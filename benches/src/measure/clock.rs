//! Wall time and the CPU time of the calling thread, together.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// How long a piece of work took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lap {
    /// By the clock on the wall.
    pub wall: Duration,
    /// On the CPU of the thread that ran it: what other threads, other processes and devices do
    /// meanwhile is not in it.
    pub cpu: Duration,
}

impl AddAssign for Lap {
    fn add_assign(&mut self, other: Self) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

/// Runs `work` and times it.
///
/// # Errors
///
/// The error of `work`.
pub(super) fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Lap, E> {
    // The CPU clock is a system call, so it stays outside of what the wall clock sees.
    let cpu = thread_cpu_time();
    let wall = Instant::now();
    work()?;
    let wall = wall.elapsed();
    let cpu = thread_cpu_time().saturating_sub(cpu);
    Ok(Lap { wall, cpu })
}

/// CPU time that this thread has used since it started.
fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(seconds, nanoseconds)
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

    #[test]
    fn an_error_passes_through() {
        assert_eq!(timed(|| Err("broken")), Err("broken"));
    }
}

//! How long a call took, as exactly as its deadline needs it.

use std::time::{Duration, Instant};

/// From this deadline on a tick of the kernel, which is 10 ms at most, makes no difference that
/// matters.
#[cfg(target_os = "linux")]
const LONG: Duration = Duration::from_millis(100);

/// A call that is under way.
///
/// On Linux one with a long deadline is timed by the clock that the kernel's ticks move: it is wrong by
/// a tick, and costs a quarter of what the exact one does, of which every operation pays two looks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stopwatch {
    Exact(Instant),
    #[cfg(target_os = "linux")]
    Coarse(Duration),
}

impl Stopwatch {
    /// From now on, for a call that should be back after `deadline`.
    pub(crate) fn start(deadline: Duration) -> Self {
        #[cfg(target_os = "linux")]
        if deadline >= LONG {
            return Self::Coarse(ticks());
        }
        Self::Exact(Instant::now())
    }

    /// The time since it was started.
    pub(crate) fn elapsed(&self) -> Duration {
        match self {
            Self::Exact(start) => start.elapsed(),
            #[cfg(target_os = "linux")]
            Self::Coarse(start) => ticks().saturating_sub(*start),
        }
    }
}

/// The time at the last tick, since some moment in the past.
#[cfg(target_os = "linux")]
fn ticks() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::MonotonicCoarse);
    // Neither is ever negative.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_deadlines_see_time_pass() {
        let generous = Duration::from_secs(60);
        for deadline in [Duration::from_millis(1), Duration::from_secs(2)] {
            let (start, stopwatch) = (Instant::now(), Stopwatch::start(deadline));
            assert!(stopwatch.elapsed() < generous);
            while stopwatch.elapsed() < Duration::from_millis(30) {
                assert!(
                    start.elapsed() < generous,
                    "time stands still: {stopwatch:?}"
                );
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

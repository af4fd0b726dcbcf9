use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time that a breaker waits by.
///
/// Read when [`Guards`](crate::Guards) are made, when a breaker opens, and now and then while it is
/// open; never on the accelerated path.
pub trait Clock: Send + Sync + Debug {
    /// Time since a fixed moment, whichever; never goes back.
    fn now(&self) -> Duration;
}

/// A clock that stands still until it is turned: for tests of waits, which take no time by it.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use compressor_decorator::{Clock, Guards, ManualClock};
///
/// let clock = Arc::new(ManualClock::new());
/// let guards = Guards::with_clock(clock.clone());
/// clock.turn(Duration::from_secs(30));
/// assert_eq!(clock.now(), Duration::from_secs(30));
/// ```
#[derive(Debug, Default)]
pub struct ManualClock {
    millis: AtomicU64,
}

impl ManualClock {
    /// At its fixed moment.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets so many whole milliseconds pass.
    pub fn turn(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.millis.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.millis.load(Ordering::Relaxed))
    }
}

/// The clock of the operating system, from the moment this was made.
#[derive(Debug)]
pub(crate) struct Monotonic(Instant);

impl Monotonic {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A clock as seen from the moment this was made, however long that is after its fixed moment.
#[derive(Debug)]
pub(crate) struct SinceNow {
    clock: Arc<dyn Clock>,
    began: Duration,
}

impl SinceNow {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let began = clock.now();
        Self { clock, began }
    }
}

impl Clock for SinceNow {
    fn now(&self) -> Duration {
        self.clock.now().saturating_sub(self.began)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn the_systems_clock_goes_on_by_itself_and_the_manual_one_when_it_is_turned() {
        let pause = Duration::from_millis(1);
        let (system, manual) = (Monotonic::new(), ManualClock::default());
        thread::sleep(pause);
        assert!(system.now() >= pause);
        assert_eq!(manual.now(), Duration::ZERO);
        manual.turn(pause);
        assert_eq!(manual.now(), pause);
    }
}

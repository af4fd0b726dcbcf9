use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time that a breaker waits by.
///
/// Read when [`Guards`](crate::Guards) are made, when a breaker opens, and now and then while it is
/// open; never on the accelerated path.
pub trait Clock: Send + Sync + Debug {
    /// Time since a fixed moment, whichever; never goes back.
    fn now(&self) -> Duration;
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

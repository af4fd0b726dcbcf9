use std::fmt::Debug;
use std::time::{Duration, Instant};

/// The time that a breaker waits by.
///
/// Read when a breaker opens, and now and then while it is open; never on the accelerated path.
pub trait Clock: Send + Sync + Debug {
    /// Time since a fixed moment; never goes back.
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

//! Buffers of requests that were given up.
//!
//! On systems with shared virtual memory a device reads and writes the very buffers that QATzip was
//! called with, and a request that was given up may still be under way. Its buffers are ours, so that
//! it never writes into a caller's; they are kept until the request cannot be under way any more.

use std::any::Any;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long buffers are kept: far longer than a device takes, or than the driver waits before it
/// resets one that does not answer.
const KEPT: Duration = Duration::from_secs(60);

/// The most that are kept: with buffers of 64 KiB, 9 MiB. A device that fails that often within
/// a minute is not to be used.
const MOST: usize = 64;

/// What a request was made with.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) input: Vec<u8>,
    pub(crate) output: Vec<u8>,
}

/// What is kept, the oldest first: [`Buffers`], or what else a request had.
#[derive(Debug, Default)]
pub(crate) struct Parked {
    kept: VecDeque<(Instant, Box<dyn Any + Send>)>,
}

impl Parked {
    /// Keeps what a request had from now on. Beyond the most it is never freed.
    pub(crate) fn park(&mut self, had: Box<dyn Any + Send>, now: Instant) {
        self.clear(now);
        if self.kept.len() < MOST {
            self.kept.push_back((now, had));
        } else {
            // Sessions that were at work when the last place was taken: a few, once.
            std::mem::forget(had);
        }
    }

    /// Whether there is no place for more.
    pub(crate) fn is_full(&mut self, now: Instant) -> bool {
        self.clear(now);
        self.kept.len() >= MOST
    }

    /// Frees what was kept long enough.
    fn clear(&mut self, now: Instant) {
        while let Some((since, _)) = self.kept.front()
            && now.saturating_duration_since(*since) >= KEPT
        {
            self.kept.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_kept_for_their_time_and_no_longer() {
        let mut parked = Parked::default();
        let start = Instant::now();
        for at in 0..MOST {
            assert!(!parked.is_full(start));
            parked.park(
                Box::new(Buffers::default()),
                start + Duration::from_secs(at as u64 % 2),
            );
        }
        let just_before = start + KEPT - Duration::from_nanos(1);
        assert!(parked.is_full(just_before));
        parked.park(Box::new(Buffers::default()), just_before);
        assert_eq!(parked.kept.len(), MOST);
        assert!(!parked.is_full(start + KEPT));
        assert!(!parked.is_full(start + KEPT + Duration::from_secs(1)));
        assert!(parked.kept.is_empty());
    }
}

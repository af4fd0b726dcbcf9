//! How many operations are under way at once.

use crate::sync::{AtomicU32, Ordering};

/// Counts operations at once, against a limit. Nobody waits: without room there is no permit.
#[derive(Debug)]
pub struct Permits {
    in_use: AtomicU32,
}

impl Permits {
    /// None in use.
    #[must_use]
    pub fn new() -> Self {
        Self {
            in_use: AtomicU32::new(0),
        }
    }

    /// `count` permits, if no more than `limit` are in use with them; they return when dropped.
    #[must_use]
    pub fn acquire(&self, count: u32, limit: u32) -> Option<Permit<'_>> {
        // Acquire and Release: what the last holder did happened before what the next one does.
        self.in_use
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, |in_use| {
                in_use.checked_add(count).filter(|sum| *sum <= limit)
            })
            .ok()
            .map(|_| Permit {
                permits: self,
                count,
            })
    }

    /// How many are in use.
    #[must_use]
    pub fn in_use(&self) -> u32 {
        self.in_use.load(Ordering::Relaxed)
    }
}

/// Permits of [`Permits::acquire`].
#[derive(Debug)]
pub struct Permit<'a> {
    permits: &'a Permits,
    count: u32,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.permits.in_use.fetch_sub(self.count, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_limit_are_given_and_each_comes_back() {
        let permits = Permits::new();
        let two: Vec<_> = (0..2).map(|_| permits.acquire(1, 2).unwrap()).collect();
        assert!(permits.acquire(1, 2).is_none());
        // A limit belongs to who asks: formats of one provider may have several.
        assert!(permits.acquire(1, 3).is_some());
        drop(two);
        assert_eq!(permits.in_use(), 0);
    }

    #[test]
    fn a_batch_gets_all_it_needs_or_nothing() {
        let permits = Permits::new();
        let held = permits.acquire(3, 4).unwrap();
        assert!(permits.acquire(2, 4).is_none());
        assert_eq!(permits.in_use(), 3);
        drop(held);
        assert!(permits.acquire(5, 4).is_none());
        assert!(permits.acquire(u32::MAX, 4).is_none());
        assert_eq!(permits.in_use(), 0);
    }

    #[test]
    fn a_panic_returns_the_permit() {
        let permits = Permits::new();
        let caught = std::panic::catch_unwind(|| {
            let _permit = permits.acquire(1, 1).unwrap();
            panic!("in the middle of the operation");
        });
        assert!(caught.is_err());
        assert!(permits.acquire(1, 1).is_some());
    }
}

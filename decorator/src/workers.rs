use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::process;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Threads that the batches of an engine are spread over, of a number that the caller chose.
///
/// Shared by all sessions that are given it; clones are the same threads. They sleep between batches
/// and end with the last clone.
#[derive(Clone)]
pub struct Workers {
    inner: Arc<Inner>,
}

struct Inner {
    pool: ThreadPool,
    count: usize,
    /// The process that has the threads: one that was forked from it has none.
    process: u32,
}

impl Workers {
    /// Starts `count` threads.
    ///
    /// # Errors
    ///
    /// The system's, if it has no more threads to give.
    pub fn new(count: NonZeroUsize) -> io::Result<Self> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(count.get())
            .thread_name(|at| format!("compressor-{at}"))
            .build()
            .map_err(io::Error::other)?;
        Ok(Self {
            inner: Arc::new(Inner {
                pool,
                count: count.get(),
                process: process::id(),
            }),
        })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.inner.count
    }

    /// The threads, if this process has them. In a forked child nobody would ever answer.
    pub(crate) fn pool(&self) -> Option<&ThreadPool> {
        (process::id() == self.inner.process).then_some(&self.inner.pool)
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("count", &self.inner.count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_was_forked_has_no_threads() {
        let workers = Workers::new(NonZeroUsize::MIN).unwrap();
        assert!(workers.pool().is_some());
        assert_eq!(format!("{workers:?}"), "Workers { count: 1, .. }");
        let mut inner = Arc::into_inner(workers.inner).unwrap();
        inner.process ^= 1;
        let workers = Workers {
            inner: Arc::new(inner),
        };
        assert!(workers.pool().is_none());
        // Its threads are this process's, and end here.
        assert_eq!(workers.count(), 1);
    }
}

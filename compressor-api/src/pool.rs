use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use crate::{CompressSession, Compressor, DecompressSession, Error, ErrorKind, Job, ProviderId};

/// Sessions for callers that have only `&self`.
///
/// Keeps idle sessions for reuse, a bounded number per direction, spread over shards so that
/// threads seldom meet. A caller never waits for another: when no session is idle one is made, and
/// when enough are idle the returned one is dropped. So at most `idle` sessions rest here, and at
/// most one per concurrent call exists beyond them.
///
/// A session that was [`Poisoned`](ErrorKind::Poisoned) is dropped, never reused.
pub struct SessionPool {
    compressor: Arc<dyn Compressor>,
    compress: Shelf<Box<dyn CompressSession>>,
    decompress: Shelf<Box<dyn DecompressSession>>,
}

impl SessionPool {
    /// A pool that keeps up to `idle` sessions per direction; rounded up to a multiple of the
    /// number of shards, which is the number of CPUs (16 at most).
    #[must_use]
    pub fn new(compressor: Arc<dyn Compressor>, idle: usize) -> Self {
        let shards = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(16);
        Self {
            compressor,
            compress: Shelf::new(shards, idle),
            decompress: Shelf::new(shards, idle),
        }
    }

    /// What the sessions are made from.
    #[must_use]
    pub fn compressor(&self) -> &Arc<dyn Compressor> {
        &self.compressor
    }

    /// A session to compress with; it comes back to the pool when dropped.
    ///
    /// # Errors
    ///
    /// As [`Compressor::compress_session`].
    pub fn compress_session(&self) -> Result<PooledCompress<'_>, Error> {
        let session = match self.compress.take() {
            Some(session) => session,
            None => self.compressor.compress_session()?,
        };
        Ok(PooledCompress {
            lease: Lease {
                session: Some(session),
                shelf: &self.compress,
            },
        })
    }

    /// A session to decompress with; it comes back to the pool when dropped.
    ///
    /// # Errors
    ///
    /// As [`Compressor::decompress_session`].
    pub fn decompress_session(&self) -> Result<PooledDecompress<'_>, Error> {
        let session = match self.decompress.take() {
            Some(session) => session,
            None => self.compressor.decompress_session()?,
        };
        let provider = session.provider();
        let lease = Lease {
            session: Some(session),
            shelf: &self.decompress,
        };
        Ok(PooledDecompress { lease, provider })
    }

    /// Compresses with a session of the pool.
    ///
    /// # Errors
    ///
    /// As [`CompressSession::compress`] and [`Compressor::compress_session`].
    pub fn compress(&self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.compress_session()?.compress(src, dst)
    }

    /// Decompresses with a session of the pool.
    ///
    /// # Errors
    ///
    /// As [`DecompressSession::decompress`] and [`Compressor::decompress_session`].
    pub fn decompress(&self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.decompress_session()?.decompress(src, dst)
    }

    /// Decompresses content of known length with a session of the pool.
    ///
    /// # Errors
    ///
    /// As [`DecompressSession::decompress_exact`] and [`Compressor::decompress_session`].
    pub fn decompress_exact(&self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        self.decompress_session()?.decompress_exact(src, dst)
    }
}

impl fmt::Debug for SessionPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionPool")
            .field("compressor", &self.compressor)
            .field("idle_compress", &self.compress.len())
            .field("idle_decompress", &self.decompress.len())
            .finish()
    }
}

/// A session on loan from a [`SessionPool`].
pub struct PooledCompress<'a> {
    lease: Lease<'a, Box<dyn CompressSession>>,
}

impl fmt::Debug for PooledCompress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledCompress").finish_non_exhaustive()
    }
}

impl CompressSession for PooledCompress<'_> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.lease.run(|session| session.compress(src, dst))
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.lease
            .run_many(jobs, |session, jobs| session.compress_many(jobs));
    }
}

/// A session on loan from a [`SessionPool`].
pub struct PooledDecompress<'a> {
    lease: Lease<'a, Box<dyn DecompressSession>>,
    provider: ProviderId,
}

impl fmt::Debug for PooledDecompress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PooledDecompress").finish_non_exhaustive()
    }
}

impl DecompressSession for PooledDecompress<'_> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.lease.run(|session| session.decompress(src, dst))
    }

    fn decompress_exact(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        self.lease.run(|session| session.decompress_exact(src, dst))
    }

    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.lease
            .run_many(jobs, |session, jobs| session.decompress_many(jobs));
    }

    fn provider(&self) -> ProviderId {
        self.provider
    }
}

/// A session that returns to its shelf when dropped, unless it was poisoned.
struct Lease<'a, S> {
    session: Option<S>,
    shelf: &'a Shelf<S>,
}

impl<S> Lease<'_, S> {
    fn run<T>(&mut self, call: impl FnOnce(&mut S) -> Result<T, Error>) -> Result<T, Error> {
        // Out of the lease while it runs: should it panic, the session is not used again.
        let Some(mut session) = self.session.take() else {
            return Err(Error::new(
                ErrorKind::Poisoned,
                ProviderId::new("session-pool"),
            ));
        };
        let result = call(&mut session);
        if !poisoned(&result) {
            self.session = Some(session);
        }
        result
    }

    fn run_many(&mut self, jobs: &mut [Job<'_>], call: impl FnOnce(&mut S, &mut [Job<'_>])) {
        let Some(mut session) = self.session.take() else {
            let error = Error::new(ErrorKind::Poisoned, ProviderId::new("session-pool"));
            jobs.iter_mut().for_each(|job| job.result = Err(error));
            return;
        };
        call(&mut session, jobs);
        if !jobs.iter().any(|job| poisoned(&job.result)) {
            self.session = Some(session);
        }
    }
}

fn poisoned<T>(result: &Result<T, Error>) -> bool {
    matches!(result, Err(error) if error.kind() == ErrorKind::Poisoned)
}

impl<S> Drop for Lease<'_, S> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            self.shelf.put(session);
        }
    }
}

/// Places that a shard has from the start; more are made when so many sessions rest.
const PREPARED: usize = 64;

/// Idle sessions, a few to a lock.
struct Shelf<S> {
    shards: Box<[Mutex<Vec<S>>]>,
    per_shard: usize,
}

impl<S> Shelf<S> {
    fn new(shards: usize, idle: usize) -> Self {
        let per_shard = idle.div_ceil(shards);
        let shard = || Mutex::new(Vec::with_capacity(per_shard.min(PREPARED)));
        Self {
            shards: std::iter::repeat_with(shard).take(shards).collect(),
            per_shard,
        }
    }

    /// The shards, the calling thread's own first.
    fn own_shard_first(&self) -> impl Iterator<Item = &Mutex<Vec<S>>> {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let own = hasher.hash_one(std::thread::current().id()) as usize % self.shards.len();
        let (before, after) = self.shards.split_at(own);
        after.iter().chain(before)
    }

    fn take(&self) -> Option<S> {
        self.own_shard_first()
            .find_map(|shard| match shard.try_lock() {
                Ok(mut idle) => idle.pop(),
                Err(TryLockError::Poisoned(poison)) => poison.into_inner().pop(),
                Err(TryLockError::WouldBlock) => None,
            })
    }

    fn put(&self, session: S) {
        for shard in self.own_shard_first() {
            let mut idle = match shard.try_lock() {
                Ok(idle) => idle,
                Err(TryLockError::Poisoned(poison)) => poison.into_inner(),
                Err(TryLockError::WouldBlock) => continue,
            };
            if idle.len() < self.per_shard {
                idle.push(session);
                return;
            }
        }
    }

    fn len(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner).len())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Spec, stored};

    fn pool(idle: usize) -> SessionPool {
        let factory = stored::factory();
        SessionPool::new(factory.compressor(&Spec::new(Format::None)).unwrap(), idle)
    }

    #[test]
    fn sessions_come_back_and_are_used_again() {
        let pool = pool(1);
        let mut out = [0; 8];
        for _ in 0..3 {
            assert_eq!(pool.compress(b"abc", &mut out), Ok(3));
            assert_eq!(pool.decompress(b"abc", &mut out), Ok(3));
            assert_eq!(pool.compress.len(), 1);
            assert_eq!(pool.decompress.len(), 1);
        }
    }

    #[test]
    fn no_more_rest_than_were_allowed() {
        let pool = pool(2);
        let many: Vec<_> = (0..100).map(|_| pool.compress_session().unwrap()).collect();
        drop(many);
        assert!(pool.compress.len() <= pool.compress.per_shard * pool.compress.shards.len());
        assert!(pool.compress.len() >= 2);
    }

    #[test]
    fn a_pool_that_keeps_all_prepares_for_a_few() {
        let pool = pool(usize::MAX);
        assert_eq!(pool.compress(b"abc", &mut [0; 3]), Ok(3));
        assert_eq!(pool.compress.len(), 1);
    }

    #[test]
    fn a_pool_that_keeps_none_still_serves() {
        let pool = pool(0);
        assert_eq!(pool.compress(b"abc", &mut [0; 3]), Ok(3));
        assert_eq!(pool.compress.len(), 0);
    }

    #[test]
    fn a_poisoned_session_is_dropped() {
        let shelf: Shelf<u8> = Shelf::new(1, 4);
        let mut lease = Lease {
            session: Some(1),
            shelf: &shelf,
        };
        let poison = Error::new(ErrorKind::Poisoned, ProviderId::new("x"));
        assert_eq!(lease.run(|_| Err::<(), _>(poison)), Err(poison));
        assert_eq!(
            lease.run(|_| Ok(())).unwrap_err().kind(),
            ErrorKind::Poisoned
        );
        drop(lease);
        assert_eq!(shelf.len(), 0);
    }

    #[test]
    fn threads_share_a_pool() {
        let pool = pool(4);
        std::thread::scope(|scope| {
            for thread in 0..8_u8 {
                let pool = &pool;
                scope.spawn(move || {
                    for round in 0..200_u8 {
                        let src = [thread, round, 7];
                        let mut dst = [0; 3];
                        assert_eq!(pool.compress(&src, &mut dst), Ok(3));
                        assert_eq!(dst, src);
                    }
                });
            }
        });
    }
}

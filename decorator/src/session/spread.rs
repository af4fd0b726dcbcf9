//! Batches that are spread over worker threads.

use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind, Job, ProviderId};

use super::op::Side;
use crate::Workers;
use crate::contain::contain;

/// Bytes of content that are worth a thread: less is done before another one is awake.
const SHARE: usize = 32 << 10;

/// Makes one more session like the first.
pub(crate) type Open<S> = Box<dyn Fn() -> Result<Box<S>, Error> + Send>;

/// A session, and one for each further worker from the first batch on that is long enough.
///
/// The jobs of a batch stay where they are: each worker gets some that lie in a row, about as many
/// bytes as every other.
pub(crate) struct Spread<S: Side + ?Sized> {
    /// One for each worker. The first is there from the start, the others once they are needed; one
    /// that panicked is gone, and made anew.
    sessions: Vec<Option<Box<S>>>,
    open: Open<S>,
    workers: Workers,
    /// Who is named in errors.
    provider: ProviderId,
}

/// Runs jobs on a session.
type Run<S> = fn(&mut S, &mut [Job<'_>]);

impl<S: Side + ?Sized> Spread<S> {
    /// # Errors
    ///
    /// What `open` says.
    pub(crate) fn new(
        open: Open<S>,
        workers: Workers,
        provider: ProviderId,
    ) -> Result<Self, Error> {
        let mut sessions = vec![Some(open()?)];
        sessions.resize_with(workers.count(), || None);
        Ok(Self {
            sessions,
            open,
            workers,
            provider,
        })
    }

    /// The session of calls that are no batch.
    #[inline]
    fn own(&mut self) -> Result<&mut S, Error> {
        match self.sessions.first_mut() {
            Some(Some(session)) => Ok(session),
            Some(gone) => Ok(gone.insert((self.open)()?)),
            None => Err(Error::new(ErrorKind::Poisoned, self.provider)),
        }
    }

    fn run_many(&mut self, jobs: &mut [Job<'_>], run: Run<S>) {
        let content: usize = jobs.iter().map(weight).fold(0, usize::saturating_add);
        let shares = (content / SHARE).min(jobs.len());
        if shares > 1
            && let Some(pool) = self.workers.pool()
        {
            let sessions = made(&mut self.sessions, &self.open, shares);
            if sessions.len() > 1 {
                let panicked = Error::new(ErrorKind::Panic, self.provider);
                return pool.install(|| share(sessions, jobs, run, panicked));
            }
        }
        match self.own() {
            Ok(session) => run(session, jobs),
            Err(error) => jobs.iter_mut().for_each(|job| job.result = Err(error)),
        }
    }
}

/// What a job counts for, in bytes: the longer of its buffers is that of the content, or nearly.
fn weight(job: &Job<'_>) -> usize {
    job.src.len().max(job.dst.len())
}

/// The first sessions, `count` of them where that many can be made.
fn made<'a, S: Side + ?Sized>(
    sessions: &'a mut [Option<Box<S>>],
    open: &Open<S>,
    count: usize,
) -> &'a mut [Option<Box<S>>] {
    let mut there = 0;
    for session in sessions.iter_mut().take(count) {
        if session.is_none() {
            *session = open().ok();
        }
        if session.is_none() {
            break;
        }
        there += 1;
    }
    sessions.get_mut(..there).unwrap_or_default()
}

/// Halves sessions and jobs until one session is left, which runs what is left with it.
fn share<S: Side + ?Sized>(
    sessions: &mut [Option<Box<S>>],
    jobs: &mut [Job<'_>],
    run: Run<S>,
    panicked: Error,
) {
    if let [session] = sessions {
        // Whoever panics leaves the jobs that it did not come to with this, and is not used again.
        jobs.iter_mut().for_each(|job| job.result = Err(panicked));
        if let Some(mut taken) = session.take()
            && contain(|| run(&mut taken, jobs)).is_some()
        {
            *session = Some(taken);
        }
        return;
    }
    let (of, middle) = (sessions.len(), sessions.len() / 2);
    let (left, right) = sessions.split_at_mut(middle);
    let (before, after) = split(jobs, middle, of);
    rayon::join(
        || share(left, before, run, panicked),
        || share(right, after, run, panicked),
    );
}

/// The jobs in two, the first with about `part` of `of` parts of the bytes.
fn split<'a, 'j>(
    jobs: &'a mut [Job<'j>],
    part: usize,
    of: usize,
) -> (&'a mut [Job<'j>], &'a mut [Job<'j>]) {
    let all: u128 = jobs.iter().map(|job| weight(job) as u128).sum();
    let wanted = all * part as u128 / of as u128;
    let mut so_far = 0;
    let at = jobs
        .iter()
        .take_while(|job| {
            // A job belongs where the most of it is.
            let half = weight(job) as u128 / 2;
            let first = so_far + half < wanted;
            so_far += weight(job) as u128;
            first
        })
        .count();
    jobs.split_at_mut(at)
}

#[deny(clippy::missing_trait_methods)]
impl CompressSession for Spread<dyn CompressSession> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.own()?.compress(src, dst)
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.run_many(jobs, |session, jobs| session.compress_many(jobs));
    }
}

#[deny(clippy::missing_trait_methods)]
impl DecompressSession for Spread<dyn DecompressSession> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.own()?.decompress(src, dst)
    }

    fn decompress_exact(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        self.own()?.decompress_exact(src, dst)
    }

    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.run_many(jobs, |session, jobs| session.decompress_many(jobs));
    }

    fn provider(&self) -> ProviderId {
        self.provider
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::thread::{self, ThreadId};

    use super::*;

    const PROVIDER: ProviderId = ProviderId::new("test");

    /// The threads that jobs ran on.
    type Ran = Arc<Mutex<Vec<ThreadId>>>;

    struct Notes(Ran);

    impl CompressSession for Notes {
        fn compress(&mut self, _: &[u8], _: &mut [u8]) -> Result<usize, Error> {
            self.0.lock().unwrap().push(thread::current().id());
            Ok(0)
        }
    }

    /// Over 8 workers, with `sessions` at most.
    fn spread(sessions: usize) -> (Spread<dyn CompressSession>, Arc<AtomicUsize>, Ran) {
        let (opened, ran) = (Arc::<AtomicUsize>::default(), Ran::default());
        let open: Open<dyn CompressSession> = {
            let (opened, ran) = (opened.clone(), ran.clone());
            Box::new(move || {
                if opened.load(Ordering::Relaxed) == sessions {
                    return Err(Error::new(ErrorKind::OutOfMemory, PROVIDER));
                }
                opened.fetch_add(1, Ordering::Relaxed);
                Ok(Box::new(Notes(ran.clone())))
            })
        };
        let workers = Workers::new(NonZeroUsize::new(8).unwrap()).unwrap();
        (Spread::new(open, workers, PROVIDER).unwrap(), opened, ran)
    }

    /// Runs a batch of `len` bytes in ten jobs; how many ran on the caller's thread.
    fn run(spread: &mut Spread<dyn CompressSession>, ran: &Ran, len: usize) -> usize {
        let content = vec![0; len];
        let (first, rest) = content.split_at(len / 2);
        let mut jobs: Vec<Job<'_>> = [first, rest]
            .into_iter()
            .chain([&[][..]; 8])
            .map(|src| Job::new(src, &mut []))
            .collect();
        spread.compress_many(&mut jobs);
        assert!(jobs.iter().all(|job| job.result == Ok(0)));
        let ran = std::mem::take(&mut *ran.lock().unwrap());
        assert_eq!(ran.len(), 10);
        let own = thread::current().id();
        ran.into_iter().filter(|id| *id == own).count()
    }

    #[test]
    fn each_share_of_a_batch_has_a_session_and_less_than_two_stay_with_the_caller() {
        let (mut spread, opened, ran) = spread(usize::MAX);
        for (len, on_own_thread, sessions) in [
            (0, 10, 1),
            (2 * SHARE - 1, 10, 1),
            (2 * SHARE, 0, 2),
            (4 * SHARE - 1, 0, 3),
            (20 * SHARE, 0, 8),
        ] {
            assert_eq!(run(&mut spread, &ran, len), on_own_thread, "{len}");
            assert_eq!(opened.load(Ordering::Relaxed), sessions, "{len}");
        }
    }

    #[test]
    fn a_batch_stays_with_the_caller_where_no_second_session_can_be_made() {
        let (mut spread, _, ran) = spread(1);
        assert_eq!(run(&mut spread, &ran, 20 * SHARE), 10);
    }

    #[test]
    fn jobs_are_split_by_their_bytes() {
        for (lens, part, of, before) in [
            (&[10; 4][..], 1, 2, 2),
            (&[10; 4], 1, 4, 1),
            (&[10; 4], 3, 4, 3),
            (&[100, 1, 1, 98], 1, 2, 1),
            (&[1, 1, 100, 1], 1, 2, 2),
            // The most of the second is in the first half, then in the second, or as much in each.
            (&[4, 10, 8], 1, 2, 2),
            (&[4, 10, 2], 1, 2, 1),
            (&[4, 10, 4], 1, 2, 1),
            (&[], 1, 2, 0),
        ] {
            let content = [0; 100];
            let mut jobs: Vec<Job<'_>> = lens
                .iter()
                .map(|len| Job::new(&content[..*len], &mut []))
                .collect();
            let (first, rest) = split(&mut jobs, part, of);
            assert_eq!(first.len(), before, "{lens:?} {part}/{of}");
            assert_eq!(rest.len(), lens.len() - before);
        }
    }
}

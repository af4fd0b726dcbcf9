//! A session for each route of a direction, and the length of an input decides.

use compressor_api::{CompressSession, DecompressSession, Error, Job, ProviderId};

use super::Session;
use super::op::Side;
use crate::route::Lanes;

/// The sessions of all routes, made together.
pub(crate) struct Routed<S: Side + ?Sized> {
    first: Session<S>,
    /// With the length that inputs are longer than, ascending.
    longer: Vec<(usize, Session<S>)>,
}

impl<S: Side + ?Sized> Routed<S> {
    /// # Errors
    ///
    /// As [`Session::new`].
    pub(crate) fn new(lanes: &Lanes) -> Result<Self, Error> {
        let mut longer = Vec::new();
        let mut before = None;
        for (max_len, lane) in lanes.iter() {
            if let Some(from) = before {
                longer.push((from, Session::new(lane.clone())?));
            }
            before = Some(max_len);
        }
        Ok(Self {
            first: Session::new(lanes.first().clone())?,
            longer,
        })
    }

    /// Which session is for inputs of this length.
    #[inline]
    fn at(&self, len: usize) -> usize {
        self.longer
            .iter()
            .take_while(|(from, _)| len > *from)
            .count()
    }

    #[inline]
    fn session(&mut self, at: usize) -> &mut Session<S> {
        match at.checked_sub(1).and_then(|at| self.longer.get_mut(at)) {
            Some((_, session)) => session,
            None => &mut self.first,
        }
    }

    /// Runs jobs in a row that have one route in one call.
    fn run_many(
        &mut self,
        jobs: &mut [Job<'_>],
        len: impl Fn(&Job<'_>) -> usize,
        run: impl Fn(&mut Session<S>, &mut [Job<'_>]),
    ) {
        let mut rest = jobs;
        while let Some(first) = rest.first() {
            let at = self.at(len(first));
            let count = rest
                .iter()
                .take_while(|job| self.at(len(job)) == at)
                .count();
            let Some((run_now, later)) = rest.split_at_mut_checked(count) else {
                return;
            };
            run(self.session(at), run_now);
            rest = later;
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl CompressSession for Routed<dyn CompressSession> {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let at = self.at(src.len());
        self.session(at).compress(src, dst)
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        let run = |session: &mut Session<_>, jobs: &mut [Job<'_>]| session.compress_many(jobs);
        self.run_many(jobs, |job| job.src.len(), run);
    }
}

#[deny(clippy::missing_trait_methods)]
impl DecompressSession for Routed<dyn DecompressSession> {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let at = self.at(dst.len());
        self.session(at).decompress(src, dst)
    }

    fn decompress_exact(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), Error> {
        let at = self.at(dst.len());
        self.session(at).decompress_exact(src, dst)
    }

    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        let run = |session: &mut Session<_>, jobs: &mut [Job<'_>]| session.decompress_many(jobs);
        self.run_many(jobs, |job| job.dst.len(), run);
    }

    fn provider(&self) -> ProviderId {
        self.first.provider()
    }
}

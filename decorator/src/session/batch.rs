//! Several operations handed to the accelerator in one call.

use std::array;

use compressor_api::{Error, Job};

use super::attempt::Attempt;
use super::op::{BatchOp, Side};
use crate::contain::contain;

/// Jobs in one call at most: what fits on the stack without a thought (56 bytes each).
const BATCH: usize = 32;

impl<S: Side + ?Sized> Attempt<'_, S> {
    /// Runs each job, as many at a time as the accelerator takes.
    pub fn run_many<O: BatchOp<Session = S>>(&mut self, jobs: &mut [Job<'_>]) {
        for jobs in jobs.chunks_mut(BATCH) {
            if self.run_batch::<O>(jobs).is_none() {
                for job in jobs {
                    job.result = self.run::<O>(job.src, job.dst);
                }
            }
        }
    }

    /// Runs up to [`BATCH`] jobs: those that pass the gates in one call, the others in software.
    /// `None`, and nothing was run, if they are better run one by one: when the breaker looks
    /// closely, a session is to be made, permits are short, or there are not two to put together.
    fn run_batch<O: BatchOp<Session = S>>(&mut self, jobs: &mut [Job<'_>]) -> Option<()> {
        let accelerator = self.accelerator;
        let mut pass = accelerator.guard.admit_if_closed()?;
        if !self.device.is_clear(accelerator) {
            return None;
        }
        let session = self.device.session()?;

        let mut gates = [None; BATCH];
        for (gate, job) in gates.iter_mut().zip(&*jobs) {
            *gate = Some(O::gate(accelerator, job.src, job.dst.len()));
        }
        let eligible = |gate: &Option<Result<_, _>>| matches!(gate, Some(Ok(_)));
        let count = gates.iter().filter(|gate| eligible(gate)).count();
        if count < 2 {
            return None;
        }
        let permit = accelerator.permit(count as u32).ok()?;

        let mut results = [None; BATCH];
        {
            // The accelerator gets jobs of its own: whatever it does to them, each of the caller's
            // keeps its buffers and its place.
            let mut offered = jobs
                .iter_mut()
                .zip(&gates)
                .filter(|(_, gate)| eligible(gate))
                .map(|(job, _)| Job::new(job.src, &mut *job.dst));
            let mut batch: [Job<'_>; BATCH] =
                array::from_fn(|_| offered.next().unwrap_or_else(|| Job::new(&[], &mut [])));
            let batch = batch.get_mut(..count).unwrap_or_default();
            if contain(|| O::run_many(session, batch)).is_some() {
                for (result, job) in results.iter_mut().zip(batch) {
                    *result = Some(job.result);
                }
            }
        }
        drop(permit);

        let mut results = results.into_iter();
        for (job, gate) in jobs.iter_mut().zip(gates) {
            job.result = match gate {
                Some(Ok(declared)) => {
                    let answer: Option<Result<usize, Error>> = results.next().flatten();
                    self.settle::<O>(&mut pass, declared, answer, job.src, job.dst)
                }
                Some(Err(reason)) => self.decline::<O>(reason, job.src, job.dst),
                None => continue,
            };
        }
        Some(())
    }
}

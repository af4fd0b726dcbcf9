//! Several operations handed to the accelerator in one call.

use std::{array, mem};

use compressor_api::{Error, ErrorKind, Job};

use super::attempt::Attempt;
use super::fault::{Charge, Fault};
use super::op::{BatchOp, Side};
use crate::breaker::Pass;
use crate::contain::contain;
use crate::{BreakerState, Reason};

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

        self.settle_all::<O>(&mut pass, jobs, gates, results);
        Some(())
    }

    /// Makes of the accelerator's answers, those of the jobs that passed the gates in order, each
    /// job's result.
    ///
    /// An accelerator that lies about one job is believed in none: results are handed out only
    /// after all were looked at.
    fn settle_all<O: BatchOp<Session = S>>(
        &mut self,
        pass: &mut Pass<'_>,
        jobs: &mut [Job<'_>],
        gates: [Option<Result<Option<u64>, Reason>>; BATCH],
        results: [Option<Result<usize, Error>>; BATCH],
    ) {
        let mut results = results.into_iter();
        let mut states = [State::Settled; BATCH];
        for ((job, gate), state) in jobs.iter_mut().zip(gates).zip(&mut states) {
            *state = match gate {
                Some(Ok(declared)) => match results.next().flatten() {
                    Some(Ok(n)) => match self.check::<O>(pass, declared, job.src, job.dst, n) {
                        Ok(()) => State::Good(n),
                        Err(fault) => State::Faulty(fault),
                    },
                    answer => State::Failed(answer),
                },
                Some(Err(reason)) => State::Declined(reason),
                None => State::Settled,
            };
        }
        // What quarantines comes first, so that nothing is handed out before; the others in their
        // order, which the breaker counts by.
        for (job, state) in jobs.iter_mut().zip(&mut states) {
            if state.is_grave() {
                let state = mem::replace(state, State::Settled);
                self.settle_one::<O>(pass, job, state);
            }
        }
        for (job, state) in jobs.iter_mut().zip(states) {
            self.settle_one::<O>(pass, job, state);
        }
    }

    fn settle_one<O: BatchOp<Session = S>>(
        &mut self,
        pass: &mut Pass<'_>,
        job: &mut Job<'_>,
        state: State,
    ) {
        job.result = match state {
            State::Settled => return,
            State::Declined(reason) => self.decline::<O>(reason, job.src, job.dst),
            State::Good(_) if self.accelerator.guard.state() == BreakerState::Quarantined => {
                self.decline::<O>(Reason::Quarantined, job.src, job.dst)
            }
            State::Good(n) => {
                self.accept(pass, job.src.len(), n);
                Ok(n)
            }
            State::Faulty(fault) => self.redo::<O>(pass, fault, job.src, job.dst),
            State::Failed(answer) => self.settle::<O>(pass, None, answer, job.src, job.dst),
        };
    }
}

/// A job on its way from the accelerator's answer to its result.
#[derive(Clone, Copy)]
enum State {
    /// Has its result, or is none.
    Settled,
    /// Was not offered.
    Declined(Reason),
    /// Done, and so far nothing is wrong with it.
    Good(usize),
    /// Said to be done, and wrong.
    Faulty(Fault),
    /// Answered with an error or, if there is no answer, with a panic.
    Failed(Option<Result<usize, Error>>),
}

impl State {
    /// Whether the accelerator is not to be believed again if this is its fault.
    fn is_grave(&self) -> bool {
        match self {
            Self::Faulty(fault) => matches!(fault.charge, Charge::Quarantine(_)),
            Self::Failed(Some(Err(error))) => error.kind() == ErrorKind::Panic,
            Self::Failed(_) => true,
            Self::Settled | Self::Declined(_) | Self::Good(_) => false,
        }
    }
}

//! Batches that are not what single calls would be.

use compressor_api::{ErrorKind, Format, Job};
use compressor_conformance::{Options, Subject, run};

use crate::wrapper::{Misbehaves, fail, misbehaving};

/// The last job was never run.
#[derive(Debug)]
struct ForgetsJob;

impl Misbehaves for ForgetsJob {
    fn batch(&self, jobs: &mut [Job<'_>]) {
        if let Some(job) = jobs.last_mut() {
            job.result = Err(fail(ErrorKind::InvalidArgument));
        }
    }
}

/// One job's failure is everybody's.
#[derive(Debug)]
struct FailsTogether;

impl Misbehaves for FailsTogether {
    fn batch(&self, jobs: &mut [Job<'_>]) {
        if let Some(error) = jobs.iter().find_map(|job| job.result.err()) {
            jobs.iter_mut().for_each(|job| job.result = Err(error));
        }
    }
}

/// Results are in another order than the jobs.
#[derive(Debug)]
struct MixesJobs;

impl Misbehaves for MixesJobs {
    fn batch(&self, jobs: &mut [Job<'_>]) {
        let results: Vec<_> = jobs.iter().rev().map(|job| job.result).collect();
        jobs.iter_mut()
            .zip(results)
            .for_each(|(job, result)| job.result = result);
    }
}

/// Wrong bytes in one job of a long batch, and nowhere else.
#[derive(Debug)]
struct WrongInALongBatch {
    at: usize,
    of: usize,
}

impl Misbehaves for WrongInALongBatch {
    fn batch(&self, jobs: &mut [Job<'_>]) {
        if jobs.len() < self.of {
            return;
        }
        let job = &mut jobs[self.at];
        if let Ok(n) = job.result {
            job.dst[n / 2] ^= 1;
        }
    }
}

/// Says of a long batch that nothing was wrong with it: jobs that failed are OK.
#[derive(Debug)]
struct ForgivesALongBatch;

impl Misbehaves for ForgivesALongBatch {
    fn batch(&self, jobs: &mut [Job<'_>]) {
        if jobs.len() > 32 {
            for job in jobs.iter_mut().filter(|job| job.result.is_err()) {
                job.result = Ok(job.dst.len());
            }
        }
    }
}

/// One job of each batch finds no capacity, for ever.
#[derive(Debug)]
struct BusyForOneJob;

impl Misbehaves for BusyForOneJob {
    fn batch(&self, jobs: &mut [Job<'_>]) {
        if let Some(job) = jobs.last_mut() {
            job.result = Err(fail(ErrorKind::Busy));
        }
    }
}

/// Nine jobs at once find capacity, and the rest when they come again.
#[derive(Debug)]
struct NineAtOnce;

impl Misbehaves for NineAtOnce {
    fn batch(&self, jobs: &mut [Job<'_>]) {
        for job in jobs.iter_mut().skip(9) {
            job.result = Err(fail(ErrorKind::Busy));
        }
    }
}

#[test]
fn a_batch_that_finds_capacity_in_the_end_is_served() {
    let subject = Subject::new(misbehaving(crate::plain(Format::Snappy), NineAtOnce));
    let report = run(
        &subject,
        &Options::quick().only("batch-equals-singles"),
        |_| {},
    );
    assert!(report.conforms(), "{report}");
}

crate::each_caught! {
    busy_for_one_job: BusyForOneJob, Lz4Block => "batch-equals-singles";
    wrong_in_job_19_of_20: WrongInALongBatch { at: 18, of: 20 }, Lz4Block => "batch-equals-singles";
    wrong_in_the_last_job_of_64: WrongInALongBatch { at: 63, of: 64 }, Snappy => "batch-equals-singles";
    forgives_a_long_batch: ForgivesALongBatch, Zlib => "batch-equals-singles";
    forgets_job: ForgetsJob, Lz4Block => "batch-equals-singles";
    fails_together: FailsTogether, Lz4Block => "batch-equals-singles";
    mixes_jobs: MixesJobs, Snappy => "batch-equals-singles";
}

//! Batches that are not what single calls would be.

use compressor_api::{ErrorKind, Job};

use crate::wrapper::{Misbehaves, fail};

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

crate::each_caught! {
    wrong_in_job_19_of_20: WrongInALongBatch { at: 18, of: 20 }, Lz4Block => "batch-equals-singles";
    wrong_in_the_last_job_of_64: WrongInALongBatch { at: 63, of: 64 }, Snappy => "batch-equals-singles";
    forgives_a_long_batch: ForgivesALongBatch, Zlib => "batch-equals-singles";
    forgets_job: ForgetsJob, Lz4Block => "batch-equals-singles";
    fails_together: FailsTogether, Lz4Block => "batch-equals-singles";
    mixes_jobs: MixesJobs, Snappy => "batch-equals-singles";
}

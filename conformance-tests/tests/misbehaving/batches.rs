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

crate::each_caught! {
    forgets_job: ForgetsJob, Lz4Block => "batch-equals-singles";
    fails_together: FailsTogether, Lz4Block => "batch-equals-singles";
    mixes_jobs: MixesJobs, Snappy => "batch-equals-singles";
}

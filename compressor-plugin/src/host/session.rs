use compressor_api::{
    Capabilities, CompressSession, DecompressSession, Direction, Error, ErrorKind, Job, ProviderId,
};

use super::error::Violation;
use super::ffi;
use super::quarantine::Quarantine;
use crate::abi::{CP_OK, OpResult};

/// A working area of a plugin: what both directions have in common.
pub(super) struct PluginSession {
    side: Side,
    min_input: usize,
    max_input: usize,
    /// The plugin said that the session can never be used again.
    poisoned: bool,
    raw: ffi::Session,
}

/// Whose session it is, and which way it goes.
#[derive(Clone, Copy)]
struct Side {
    id: ProviderId,
    direction: Direction,
}

impl PluginSession {
    pub(super) fn new(id: ProviderId, capabilities: &Capabilities, raw: ffi::Session) -> Self {
        Self {
            side: Side {
                id,
                direction: capabilities.direction,
            },
            min_input: capabilities.min_input,
            max_input: capabilities.max_input,
            poisoned: false,
            raw,
        }
    }

    fn run(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.may_run(src.len())?;
        let mut result = ffi::UNTOUCHED;
        let status = self.raw.run(self.side.direction, src, dst, &mut result);
        let quarantine = self.raw.quarantine();
        let outcome = self
            .side
            .outcome(quarantine, status, &result, src.len(), dst.len());
        self.poisoned |= is_poisoned(&outcome);
        outcome
    }

    fn run_many(&mut self, jobs: &mut [Job<'_>]) {
        // A job that the plugin may not see keeps its neighbours out of the batch as well: they run
        // one by one.
        let side = self.side;
        let together = jobs.iter().all(|job| self.may_run(job.src.len()).is_ok())
            && self
                .raw
                .run_many(side.direction, jobs, |quarantine, status, result, job| {
                    let (src_len, dst_len) = (job.src.len(), job.dst.len());
                    job.result = side.outcome(quarantine, status, result, src_len, dst_len);
                });
        if together {
            self.poisoned |= jobs.iter().any(|job| is_poisoned(&job.result));
            return;
        }
        for job in jobs {
            job.result = self.run(job.src, job.dst);
        }
    }

    /// Whether the plugin may be called with so much input.
    fn may_run(&self, src_len: usize) -> Result<(), Error> {
        self.raw.quarantine().enter()?;
        if self.poisoned {
            return Err(Error::new(ErrorKind::Poisoned, self.side.id));
        }
        if src_len < self.min_input || src_len > self.max_input {
            return Err(Error::new(ErrorKind::Unsupported, self.side.id));
        }
        Ok(())
    }
}

fn is_poisoned(outcome: &Result<usize, Error>) -> bool {
    matches!(outcome, Err(error) if error.kind() == ErrorKind::Poisoned)
}

impl Side {
    /// What a plugin's answer to an operation is worth.
    #[inline]
    fn outcome(
        self,
        quarantine: &Quarantine,
        status: i32,
        result: &OpResult,
        src_len: usize,
        dst_len: usize,
    ) -> Result<usize, Error> {
        if status != CP_OK {
            return Err(quarantine.failed(self.direction.name(), status, result.native));
        }
        if result.len > dst_len {
            let what = format!("claims {} bytes in a buffer of {dst_len}", result.len);
            return Err(quarantine.violated(self.direction.name(), Violation(what)));
        }
        if result.len == 0 && src_len > 0 && self.direction == Direction::Compress {
            // Libraries are known to do this now and then: a failure, but not a lie about memory.
            return Err(Error::with_native(
                ErrorKind::Device,
                self.id,
                result.native,
            ));
        }
        Ok(result.len)
    }
}

/// A session that compresses.
pub(super) struct PluginCompress(pub(super) PluginSession);

impl CompressSession for PluginCompress {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.0.run(src, dst)
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.0.run_many(jobs);
    }
}

/// A session that decompresses.
pub(super) struct PluginDecompress(pub(super) PluginSession);

impl DecompressSession for PluginDecompress {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.0.run(src, dst)
    }

    fn decompress_many(&mut self, jobs: &mut [Job<'_>]) {
        self.0.run_many(jobs);
    }

    fn provider(&self) -> ProviderId {
        self.0.side.id
    }
}

use compressor_api::{
    Capabilities, CompressSession, DecompressSession, Direction, Error, ErrorKind, Job, ProviderId,
};

use super::error::Violation;
use super::ffi;
use crate::abi::{CP_OK, OpResult};

/// A working area of a plugin: what both directions have in common.
pub(super) struct PluginSession {
    id: ProviderId,
    direction: Direction,
    min_input: usize,
    max_input: usize,
    /// The plugin said that the session can never be used again.
    poisoned: bool,
    raw: ffi::Session,
}

impl PluginSession {
    pub(super) fn new(id: ProviderId, capabilities: &Capabilities, raw: ffi::Session) -> Self {
        Self {
            id,
            direction: capabilities.direction,
            min_input: capabilities.min_input,
            max_input: capabilities.max_input,
            poisoned: false,
            raw,
        }
    }

    fn run(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.may_run(src.len())?;
        let (status, result) = self.raw.run(self.direction, src, dst);
        self.outcome(status, result, src.len(), dst.len())
    }

    fn run_many(&mut self, jobs: &mut [Job<'_>]) {
        for batch in jobs.chunks_mut(ffi::BATCH) {
            let all_may_run = batch.iter().all(|job| self.may_run(job.src.len()).is_ok());
            // A job that the plugin may not see keeps its neighbours out of the batch as well: they
            // run one by one.
            let ran = all_may_run
                .then(|| self.raw.run_many(self.direction, batch))
                .flatten();
            let Some((status, done)) = ran else {
                for job in batch {
                    job.result = self.run(job.src, job.dst);
                }
                continue;
            };
            for (job, done) in batch.iter_mut().zip(&done) {
                let status = if status == CP_OK { done.status } else { status };
                job.result = self.outcome(status, done.result, job.src.len(), job.dst.len());
            }
        }
    }

    /// Whether the plugin may be called with so much input.
    fn may_run(&self, src_len: usize) -> Result<(), Error> {
        self.raw.quarantine().enter()?;
        if self.poisoned {
            return Err(Error::new(ErrorKind::Poisoned, self.id));
        }
        if src_len < self.min_input || src_len > self.max_input {
            return Err(Error::new(ErrorKind::Unsupported, self.id));
        }
        Ok(())
    }

    /// What the plugin's answer is worth.
    fn outcome(
        &mut self,
        status: i32,
        result: OpResult,
        src_len: usize,
        dst_len: usize,
    ) -> Result<usize, Error> {
        if status != CP_OK {
            let call = self.direction.name();
            let error = self.raw.quarantine().failed(call, status, result.native);
            self.poisoned |= error.kind() == ErrorKind::Poisoned;
            return Err(error);
        }
        if result.len > dst_len {
            let what = format!("claims {} bytes in a buffer of {dst_len}", result.len);
            let call = self.direction.name();
            return Err(self.raw.quarantine().violated(call, Violation(what)));
        }
        if result.len == 0 && src_len > 0 && self.direction == Direction::Compress {
            // Libraries are known to do this now and then; it is a failure, not a lie about memory.
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
        self.0.id
    }
}

use std::ptr::NonNull;
use std::sync::Arc;

use compressor_api::{Direction, Job};

use super::{Compressor, NO_FUNCTION};
use crate::abi::{self, CP_OK};
use crate::host::quarantine::Quarantine;

/// The status of a job that the plugin did not touch.
const NOT_RUN: i32 = -1;

/// A `cp_session`.
#[derive(Debug)]
pub(in crate::host) struct Session {
    pub(super) compressor: Arc<Compressor>,
    pub(super) handle: NonNull<abi::Session>,
    /// Room for a batch, empty between calls.
    pub(super) jobs: Vec<abi::Job>,
}

// SAFETY: the header demands that sessions can move between threads.
unsafe impl Send for Session {}

impl Session {
    pub(in crate::host) fn quarantine(&self) -> &Quarantine {
        self.compressor.quarantine()
    }

    /// One operation: its status. What it leaves in `result` is the plugin's word.
    #[inline]
    pub(in crate::host) fn run(
        &mut self,
        direction: Direction,
        src: &[u8],
        dst: &mut [u8],
        result: &mut abi::OpResult,
    ) -> i32 {
        let table = &self.compressor.factory.table.0;
        let operation = match direction {
            Direction::Compress => table.compress,
            Direction::Decompress => table.decompress,
        };
        let Some(operation) = operation else {
            return NO_FUNCTION;
        };
        // SAFETY: a live handle of this table that this thread has alone, and buffers that are
        // valid for their lengths until the call returns.
        unsafe {
            operation(
                self.handle.as_ptr(),
                src.as_ptr(),
                src.len(),
                dst.as_mut_ptr(),
                dst.len(),
                result,
            )
        }
    }

    /// Many operations at once; `each` gets the answer to each job: status, and what it left.
    ///
    /// `false` if nothing was run: the plugin takes one at a time only, or there is no memory to
    /// list the jobs in.
    pub(in crate::host) fn run_many(
        &mut self,
        direction: Direction,
        jobs: &mut [Job<'_>],
        mut each: impl FnMut(&Quarantine, i32, &abi::OpResult, &mut Job<'_>),
    ) -> bool {
        let table = &self.compressor.factory.table.0;
        let operation = match direction {
            Direction::Compress => table.compress_many,
            Direction::Decompress => table.decompress_many,
        };
        let Some(operation) = operation.filter(|_| self.jobs.try_reserve(jobs.len()).is_ok())
        else {
            return false;
        };
        self.jobs.extend(jobs.iter_mut().map(|job| abi::Job {
            src: job.src.as_ptr(),
            src_len: job.src.len(),
            dst: job.dst.as_mut_ptr(),
            dst_capacity: job.dst.len(),
            result: UNTOUCHED,
            status: NOT_RUN,
            reserved: 0,
        }));
        // SAFETY: a live handle of this table that this thread has alone, and jobs whose buffers
        // are valid for their lengths until the call returns.
        let status = unsafe {
            operation(
                self.handle.as_ptr(),
                self.jobs.as_mut_ptr(),
                self.jobs.len(),
            )
        };
        for (done, job) in self.jobs.iter().zip(jobs) {
            let status = if status == CP_OK { done.status } else { status };
            each(self.compressor.quarantine(), status, &done.result, job);
        }
        self.jobs.clear();
        true
    }
}

/// What an operation starts from, so that a plugin which leaves no length is noticed.
pub(in crate::host) const UNTOUCHED: abi::OpResult = abi::OpResult {
    len: usize::MAX,
    native: 0,
    reserved: 0,
};

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(session_free) = self.compressor.factory.table.0.session_free
            && !self.quarantine().is_closed()
        {
            // SAFETY: a live handle of this table, which nobody uses any more.
            let status = unsafe { session_free(self.handle.as_ptr()) };
            self.quarantine().freed("session_free", status);
        }
    }
}

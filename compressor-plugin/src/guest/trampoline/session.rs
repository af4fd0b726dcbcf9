use std::mem;
use std::slice;

use compressor_api::{Direction, Job};

use super::guard::guarded;
use super::left::{failed, finish};
use super::passed::{bytes, bytes_mut};
use crate::abi::{self, CP_INVALID_ARGUMENT, CP_OK, CP_OUT_OF_MEMORY};
use crate::codes;
use crate::guest::handle::{CompressorHandle, SessionHandle, SessionInner};

pub(super) unsafe extern "C" fn session_new(
    compressor: *mut abi::Compressor,
    direction: u32,
    session: *mut *mut abi::Session,
    native: *mut i32,
) -> i32 {
    guarded(|| {
        // SAFETY: `compressor_new` made it.
        let compressor = unsafe { &*compressor.cast::<CompressorHandle>() };
        let made = match codes::direction(direction) {
            Some(Direction::Compress) => compressor
                .inner
                .compress_session()
                .map(SessionInner::Compress),
            Some(Direction::Decompress) => compressor
                .inner
                .decompress_session()
                .map(SessionInner::Decompress),
            None => return CP_INVALID_ARGUMENT,
        };
        match made {
            Ok(inner) => {
                let handle = Box::new(SessionHandle {
                    inner,
                    jobs: Vec::new(),
                });
                // SAFETY: `session` is where the host wants the handle.
                unsafe { session.write(Box::into_raw(handle).cast()) };
                CP_OK
            }
            // SAFETY: `native` is the host's.
            Err(error) => unsafe { failed(error, native) },
        }
    })
}

pub(super) unsafe extern "C" fn session_free(session: *mut abi::Session) -> i32 {
    guarded(|| {
        // SAFETY: `session_new` made it, and nobody uses it any more.
        drop(unsafe { Box::from_raw(session.cast::<SessionHandle>()) });
        CP_OK
    })
}

pub(super) unsafe extern "C" fn compress(
    session: *mut abi::Session,
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_capacity: usize,
    result: *mut abi::OpResult,
) -> i32 {
    let (src, dst) = ((src, src_len), (dst, dst_capacity));
    // SAFETY: the host passes what the header says.
    unsafe { operate(Direction::Compress, session, src, dst, result) }
}

pub(super) unsafe extern "C" fn decompress(
    session: *mut abi::Session,
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_capacity: usize,
    result: *mut abi::OpResult,
) -> i32 {
    let (src, dst) = ((src, src_len), (dst, dst_capacity));
    // SAFETY: the host passes what the header says.
    unsafe { operate(Direction::Decompress, session, src, dst, result) }
}

pub(super) unsafe extern "C" fn compress_many(
    session: *mut abi::Session,
    jobs: *mut abi::Job,
    count: usize,
) -> i32 {
    // SAFETY: the host passes what the header says.
    unsafe { operate_many(Direction::Compress, session, jobs, count) }
}

pub(super) unsafe extern "C" fn decompress_many(
    session: *mut abi::Session,
    jobs: *mut abi::Job,
    count: usize,
) -> i32 {
    // SAFETY: the host passes what the header says.
    unsafe { operate_many(Direction::Decompress, session, jobs, count) }
}

/// Runs one operation.
///
/// # Safety
///
/// As the header has it: `session_new` made the session, and this call has it alone; both buffers
/// are valid for their lengths and do not overlap; `result` is filled, and valid for writes.
#[inline]
unsafe fn operate(
    direction: Direction,
    session: *mut abi::Session,
    src: (*const u8, usize),
    dst: (*mut u8, usize),
    result: *mut abi::OpResult,
) -> i32 {
    guarded(|| {
        // SAFETY: the caller says so.
        let (handle, src, dst, result) = unsafe {
            (
                &mut *session.cast::<SessionHandle>(),
                bytes(src.0, src.1),
                bytes_mut(dst.0, dst.1),
                &mut *result,
            )
        };
        let outcome = match (direction, &mut handle.inner) {
            (Direction::Compress, SessionInner::Compress(session)) => session.compress(src, dst),
            (Direction::Decompress, SessionInner::Decompress(session)) => {
                session.decompress(src, dst)
            }
            _ => return CP_INVALID_ARGUMENT,
        };
        finish(outcome, result)
    })
}

/// Runs many operations: after a first time, without allocating.
///
/// # Safety
///
/// As in [`operate`], for each of `count` jobs.
unsafe fn operate_many(
    direction: Direction,
    session: *mut abi::Session,
    jobs: *mut abi::Job,
    count: usize,
) -> i32 {
    guarded(|| {
        if count == 0 {
            return CP_OK;
        }
        // SAFETY: the caller says so.
        let (handle, jobs) = unsafe {
            (
                &mut *session.cast::<SessionHandle>(),
                slice::from_raw_parts_mut(jobs, count),
            )
        };
        // Out of the session while it holds the host's buffers: should the provider panic, it is
        // gone.
        let mut batch: Vec<Job<'static>> = mem::take(&mut handle.jobs);
        if batch.try_reserve(count).is_err() {
            return CP_OUT_OF_MEMORY;
        }
        batch.extend(jobs.iter().map(|job| {
            // SAFETY: the caller says so, until this returns; and then the batch is empty.
            unsafe {
                Job::new(
                    bytes(job.src, job.src_len),
                    bytes_mut(job.dst, job.dst_capacity),
                )
            }
        }));
        match (direction, &mut handle.inner) {
            (Direction::Compress, SessionInner::Compress(session)) => {
                session.compress_many(&mut batch);
            }
            (Direction::Decompress, SessionInner::Decompress(session)) => {
                session.decompress_many(&mut batch);
            }
            _ => return CP_INVALID_ARGUMENT,
        }
        for (job, done) in jobs.iter_mut().zip(&batch) {
            job.status = finish(done.result, &mut job.result);
        }
        batch.clear();
        handle.jobs = batch;
        CP_OK
    })
}

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
    guarded(|| {
        // SAFETY: `session_new` made it, and this call has it alone.
        let handle = unsafe { &mut *session.cast::<SessionHandle>() };
        let SessionInner::Compress(session) = &mut handle.inner else {
            return CP_INVALID_ARGUMENT;
        };
        // SAFETY: the host passes both buffers with their lengths, and they do not overlap.
        let (src, dst) = unsafe { (bytes(src, src_len), bytes_mut(dst, dst_capacity)) };
        // SAFETY: `result` is the host's, filled, and nobody else's during the call.
        finish(session.compress(src, dst), unsafe { &mut *result })
    })
}

pub(super) unsafe extern "C" fn decompress(
    session: *mut abi::Session,
    src: *const u8,
    src_len: usize,
    dst: *mut u8,
    dst_capacity: usize,
    result: *mut abi::OpResult,
) -> i32 {
    guarded(|| {
        // SAFETY: `session_new` made it, and this call has it alone.
        let handle = unsafe { &mut *session.cast::<SessionHandle>() };
        let SessionInner::Decompress(session) = &mut handle.inner else {
            return CP_INVALID_ARGUMENT;
        };
        // SAFETY: the host passes both buffers with their lengths, and they do not overlap.
        let (src, dst) = unsafe { (bytes(src, src_len), bytes_mut(dst, dst_capacity)) };
        // SAFETY: `result` is the host's, filled, and nobody else's during the call.
        finish(session.decompress(src, dst), unsafe { &mut *result })
    })
}

pub(super) unsafe extern "C" fn compress_many(
    session: *mut abi::Session,
    jobs: *mut abi::Job,
    count: usize,
) -> i32 {
    guarded(|| {
        // SAFETY: `session_new` made it, and this call has it alone.
        let handle = unsafe { &mut *session.cast::<SessionHandle>() };
        let SessionInner::Compress(session) = &mut handle.inner else {
            return CP_INVALID_ARGUMENT;
        };
        // SAFETY: the host passes `count` jobs with their buffers.
        unsafe {
            operate_many(&mut handle.jobs, jobs, count, |jobs| {
                session.compress_many(jobs)
            })
        }
    })
}

pub(super) unsafe extern "C" fn decompress_many(
    session: *mut abi::Session,
    jobs: *mut abi::Job,
    count: usize,
) -> i32 {
    guarded(|| {
        // SAFETY: `session_new` made it, and this call has it alone.
        let handle = unsafe { &mut *session.cast::<SessionHandle>() };
        let SessionInner::Decompress(session) = &mut handle.inner else {
            return CP_INVALID_ARGUMENT;
        };
        // SAFETY: the host passes `count` jobs with their buffers.
        unsafe {
            operate_many(&mut handle.jobs, jobs, count, |jobs| {
                session.decompress_many(jobs)
            })
        }
    })
}

/// Runs the host's jobs, listed in `room`, which is left empty: after a first time, without
/// allocating.
///
/// # Safety
///
/// `jobs` is valid for `count` jobs, and each job's buffers for their lengths; none overlap.
unsafe fn operate_many(
    room: &mut Vec<Job<'static>>,
    jobs: *mut abi::Job,
    count: usize,
    run: impl FnOnce(&mut [Job<'static>]),
) -> i32 {
    if count == 0 {
        return CP_OK;
    }
    // SAFETY: the caller says so.
    let jobs = unsafe { slice::from_raw_parts_mut(jobs, count) };
    // Out of the session while it holds the host's buffers: should the provider panic, it is gone.
    let mut batch = mem::take(room);
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
    run(&mut batch);
    for (job, done) in jobs.iter_mut().zip(&batch) {
        job.status = finish(done.result, &mut job.result);
    }
    batch.clear();
    *room = batch;
    CP_OK
}

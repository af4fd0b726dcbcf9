//! What entries leave where the host wants it.

use std::ptr;

use compressor_api::Error;

use crate::abi::{self, CP_OK};
use crate::codes;

/// Leaves text for the host, as much as there is room for.
///
/// # Safety
///
/// `why` is valid for writes, and so are the `capacity` bytes behind its `data`.
pub(super) unsafe fn say(why: *mut abi::Text, text: &str) {
    // SAFETY: the caller says so.
    let why = unsafe { &mut *why };
    let mut len = text.len().min(why.capacity);
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    // SAFETY: `len` bytes are in `text`, and there is room for them behind `data`.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr(), why.data.cast(), len) };
    why.len = len;
}

/// Leaves the native code of an error, and returns its status.
///
/// # Safety
///
/// `native` is valid for writes.
pub(super) unsafe fn failed(error: Error, native: *mut i32) -> i32 {
    // SAFETY: the caller says so.
    unsafe { native.write(error.native()) };
    codes::status(error.kind())
}

/// Leaves the outcome of an operation, and returns its status.
pub(super) fn finish(outcome: Result<usize, Error>, result: &mut abi::OpResult) -> i32 {
    // Field by field: whoever reads them next waits for what was stored as they are read.
    let (len, native, status) = match outcome {
        Ok(len) => (len, 0, CP_OK),
        Err(error) => (0, error.native(), codes::status(error.kind())),
    };
    result.len = len;
    result.native = native;
    status
}

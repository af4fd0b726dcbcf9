//! What API 2.6 adds, for the library that exports it.

use std::ffi::c_int;

use qatzip_sys as qz;

use crate::api::{put, set_up, with_algorithm};
use crate::setup::{Setup, Stream};

/// `qzGetDefaultsLZ4Block`.
///
/// # Safety
///
/// `defaults` is null, or points to a struct that may be written.
pub unsafe fn defaults_lz4_block(defaults: *mut qz::QzSessionParamsLZ4_T) -> c_int {
    let params = qz::QzSessionParamsLZ4_S {
        common_params: with_algorithm(qz::QZ_LZ4_BLOCK),
    };
    // SAFETY: says the caller.
    unsafe { put(defaults, params) }
}

/// `qzGetDefaultsZstd`.
///
/// # Safety
///
/// `defaults` is null, or points to a struct that may be written.
pub unsafe fn defaults_zstd(defaults: *mut qz::QzSessionParamsZstd_T) -> c_int {
    let params = qz::QzSessionParamsZstd_S {
        common_params: with_algorithm(qz::QZ_ZSTD),
        historyBuffer: 0,
        blockSize: 0,
        reserved: [0; 7],
    };
    // SAFETY: says the caller.
    unsafe { put(defaults, params) }
}

/// `qzSetupSessionLZ4Block`.
///
/// # Safety
///
/// Each pointer is null, or points to its struct, which nobody else uses during the call.
pub unsafe fn set_up_lz4_block(
    session: *mut qz::QzSession_T,
    params: *mut qz::QzSessionParamsLZ4_T,
) -> c_int {
    let setup = |params: &qz::QzSessionParamsLZ4_T| {
        Setup::new(Stream::Lz4Block, &params.common_params, qz::QZ_LZ4_BLOCK)
    };
    // SAFETY: says the caller.
    unsafe { set_up(session, params, None, setup) }
}

/// `qzSetupSessionZstd`.
///
/// # Safety
///
/// As [`set_up_lz4_block`].
pub unsafe fn set_up_zstd(
    session: *mut qz::QzSession_T,
    params: *mut qz::QzSessionParamsZstd_T,
) -> c_int {
    let setup = |params: &qz::QzSessionParamsZstd_T| {
        Setup::new(Stream::Zstd, &params.common_params, qz::QZ_ZSTD)
    };
    // SAFETY: says the caller.
    unsafe { set_up(session, params, None, setup) }
}

//! The simulated device of `qat-sim` behind QATzip's API 2.6: what that exports, and with it raw LZ4
//! blocks and Zstandard.
//!
//! A library of its own, for whoever loads QATzip tells its version by the symbols that are there.

#![allow(non_snake_case, reason = "the names are QATzip's")]

use std::ffi::c_int;

use qatzip_sys::{QzSession_T, QzSessionParamsLZ4_T, QzSessionParamsZstd_T};

/// The parameters that an LZ4 block session has unless told otherwise.
///
/// # Safety
///
/// `defaults` is null, or points to a struct that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzGetDefaultsLZ4Block(defaults: *mut QzSessionParamsLZ4_T) -> c_int {
    // SAFETY: says the caller.
    unsafe { qat_sim::api_2_6::defaults_lz4_block(defaults) }
}

/// The parameters that a Zstandard session has unless told otherwise.
///
/// # Safety
///
/// `defaults` is null, or points to a struct that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzGetDefaultsZstd(defaults: *mut QzSessionParamsZstd_T) -> c_int {
    // SAFETY: says the caller.
    unsafe { qat_sim::api_2_6::defaults_zstd(defaults) }
}

/// Sets a session up for raw LZ4 blocks.
///
/// # Safety
///
/// Each pointer is null, or points to its struct, which nobody else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzSetupSessionLZ4Block(
    session: *mut QzSession_T,
    params: *mut QzSessionParamsLZ4_T,
) -> c_int {
    // SAFETY: says the caller.
    unsafe { qat_sim::api_2_6::set_up_lz4_block(session, params) }
}

/// Sets a session up for Zstandard.
///
/// # Safety
///
/// As [`qzSetupSessionLZ4Block`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzSetupSessionZstd(
    session: *mut QzSession_T,
    params: *mut QzSessionParamsZstd_T,
) -> c_int {
    // SAFETY: says the caller.
    unsafe { qat_sim::api_2_6::set_up_zstd(session, params) }
}

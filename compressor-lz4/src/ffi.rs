//! What liblz4 has and lz4-sys does not declare: compression in memory of the caller's.
//!
//! Signatures from lz4.h and lz4hc.h of liblz4 1.10.0. lz4-sys links the library statically, which
//! is what makes the `fastReset` functions callable: they are no part of the shared one.

use std::ffi::{c_char, c_int, c_void};

// The declarations below are found in the archive that this crate links.
use lz4_sys as _;

unsafe extern "C" {
    /// Size of a state for fast compression, in bytes.
    pub(crate) safe fn LZ4_sizeofState() -> c_int;

    /// Size of a state for high compression, in bytes.
    pub(crate) safe fn LZ4_sizeofStateHC() -> c_int;

    /// Initialises a state for fast compression; null if `size` or the alignment is too small.
    pub(crate) fn LZ4_initStream(buffer: *mut c_void, size: usize) -> *mut c_void;

    /// Initialises a state for high compression; null if `size` or the alignment is too small.
    pub(crate) fn LZ4_initStreamHC(buffer: *mut c_void, size: usize) -> *mut c_void;

    /// Initialises a state, and compresses with it. 0: does not fit.
    pub(crate) fn LZ4_compress_fast_extState(
        state: *mut c_void,
        src: *const c_char,
        dst: *mut c_char,
        src_size: c_int,
        dst_capacity: c_int,
        acceleration: c_int,
    ) -> c_int;

    /// Compresses with a state that was initialised once. 0: does not fit.
    pub(crate) fn LZ4_compress_fast_extState_fastReset(
        state: *mut c_void,
        src: *const c_char,
        dst: *mut c_char,
        src_size: c_int,
        dst_capacity: c_int,
        acceleration: c_int,
    ) -> c_int;

    /// Compresses with a state that was initialised once. 0: does not fit, or no memory.
    pub(crate) fn LZ4_compress_HC_extStateHC_fastReset(
        state: *mut c_void,
        src: *const c_char,
        dst: *mut c_char,
        src_size: c_int,
        dst_capacity: c_int,
        compression_level: c_int,
    ) -> c_int;
}

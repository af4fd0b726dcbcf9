//! The functions that QATzip exports, as far as they are used: the one place that takes what C
//! hands over.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_void};
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, Ordering};

use qatzip_sys as qz;

use crate::counters::{Counters, counters};
use crate::device::{self, Device};
use crate::fault::{Kind, On};
use crate::late;
use crate::session::{Outcome, Session};
use crate::setup::{COMMON, Setup, Stream, max_compressed_len};

/// What `qzInit` answered: not called yet, initialised, or why there is no device.
static INIT: AtomicI32 = AtomicI32::new(NOT_CALLED);
const NOT_CALLED: i32 = qz::QZ_NONE;

/// What `internal` of a session points to once it is set up.
struct Handle {
    /// Locked for the length of a call, which nobody else may make meanwhile.
    session: Mutex<Session>,
    callback: Option<Callback>,
}

/// What is to be called with LZ4s.
#[derive(Clone, Copy)]
pub(crate) struct Callback {
    function: unsafe extern "C" fn(
        *mut c_void,
        *const c_uchar,
        *mut c_uint,
        *mut c_uchar,
        *mut c_uint,
        *mut c_int,
    ) -> c_int,
    external: *mut c_void,
}

/// Initialises the process.
///
/// # Safety
///
/// `session` is null, or points to a session that nobody else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzInit(session: *mut qz::QzSession_T, sw_backup: c_uchar) -> c_int {
    // SAFETY: says the caller.
    let Some(session) = (unsafe { session.as_mut() }) else {
        return qz::QZ_PARAMS;
    };
    let device = device::current();
    if let Some(code) = after_absent(&device) {
        return code;
    }
    if sw_backup != 0 {
        return qz::QZ_NO_SW_AVAIL;
    }
    if session.internal.is_null() {
        session.hw_session_stat = qz::QZ_NONE.into();
    }
    let code = match device.fault(On::INIT).map(|fault| fault.kind) {
        Some(Kind::Code(code)) => code,
        Some(Kind::Lost(..)) => qz::QZ_NOSW_NO_HW,
        _ if INIT.load(Ordering::Acquire) == qz::QZ_OK => return qz::QZ_DUPLICATE,
        _ => device.model.init,
    };
    if INIT.swap(code, Ordering::AcqRel) == NOT_CALLED && code == qz::QZ_OK {
        eprintln!("qat-sim: a SIMULATED device; no figure that comes of it is one of a device");
    }
    code
}

/// Why nothing may be called any more, if so: `qzInit` found no device before.
fn after_absent(device: &Device) -> Option<c_int> {
    match INIT.load(Ordering::Acquire) {
        NOT_CALLED | qz::QZ_OK => None,
        _ => Some(device.misuse("QATzip is called though qzInit found no device")),
    }
}

/// Sets the level of messages, of which there are none.
#[unsafe(no_mangle)]
pub extern "C" fn qzSetLogLevel(level: c_uint) -> c_uint {
    level
}

/// The parameters that a Deflate session has unless told otherwise.
///
/// # Safety
///
/// `defaults` is null, or points to a struct that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzGetDefaultsDeflateExt(
    defaults: *mut qz::QzSessionParamsDeflateExt_T,
) -> c_int {
    let params = qz::QzSessionParamsDeflateExt_S {
        deflate_params: qz::QzSessionParamsDeflate_S {
            common_params: COMMON,
            huffman_hdr: qz::QzHuffmanHdr_E_QZ_DYNAMIC_HDR,
            data_fmt: qz::QzDataFormat_E_QZ_DEFLATE_GZIP_EXT,
        },
        stop_decompression_stream_end: 0,
        zlib_format: 0,
    };
    // SAFETY: says the caller.
    unsafe { put(defaults, params) }
}

/// The parameters that an LZ4 session has unless told otherwise.
///
/// # Safety
///
/// As [`qzGetDefaultsDeflateExt`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzGetDefaultsLZ4(defaults: *mut qz::QzSessionParamsLZ4_T) -> c_int {
    let params = qz::QzSessionParamsLZ4_S {
        common_params: with_algorithm(qz::QZ_LZ4),
    };
    // SAFETY: says the caller.
    unsafe { put(defaults, params) }
}

/// The parameters that an LZ4s session has unless told otherwise.
///
/// # Safety
///
/// As [`qzGetDefaultsDeflateExt`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzGetDefaultsLZ4S(defaults: *mut qz::QzSessionParamsLZ4S_T) -> c_int {
    let params = qz::QzSessionParamsLZ4S_S {
        common_params: with_algorithm(qz::QZ_LZ4S),
        qzCallback: None,
        qzCallback_external: std::ptr::null_mut(),
        lz4s_mini_match: 3,
    };
    // SAFETY: says the caller.
    unsafe { put(defaults, params) }
}

pub(crate) const fn with_algorithm(algorithm: u8) -> qz::QzSessionParamsCommon_T {
    let mut common = COMMON;
    common.comp_algorithm = algorithm;
    common
}

/// Writes to where the caller wants it.
///
/// # Safety
///
/// `to` is null, or may be written to.
pub(crate) unsafe fn put<T>(to: *mut T, value: T) -> c_int {
    if to.is_null() {
        return qz::QZ_PARAMS;
    }
    // SAFETY: says the caller.
    unsafe { to.write(value) };
    qz::QZ_OK
}

/// Sets a session up for Deflate in one of its frames.
///
/// # Safety
///
/// Each pointer is null, or points to its struct, which nobody else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzSetupSessionDeflateExt(
    session: *mut qz::QzSession_T,
    params: *mut qz::QzSessionParamsDeflateExt_T,
) -> c_int {
    // SAFETY: says the caller.
    unsafe { set_up(session, params, None, Setup::deflate) }
}

/// Sets a session up for LZ4 frames.
///
/// # Safety
///
/// As [`qzSetupSessionDeflateExt`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzSetupSessionLZ4(
    session: *mut qz::QzSession_T,
    params: *mut qz::QzSessionParamsLZ4_T,
) -> c_int {
    let setup = |params: &qz::QzSessionParamsLZ4_T| {
        Setup::new(Stream::Lz4Frame, &params.common_params, qz::QZ_LZ4)
    };
    // SAFETY: says the caller.
    unsafe { set_up(session, params, None, setup) }
}

/// Sets a session up for LZ4s.
///
/// # Safety
///
/// As [`qzSetupSessionDeflateExt`]; the callback may be called with `qzCallback_external`, on
/// whatever thread compresses, until the session is torn down.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzSetupSessionLZ4S(
    session: *mut qz::QzSession_T,
    params: *mut qz::QzSessionParamsLZ4S_T,
) -> c_int {
    // SAFETY: says the caller.
    let callback = unsafe { params.as_ref() }.and_then(|params| {
        Some(Callback {
            function: params.qzCallback?,
            external: params.qzCallback_external,
        })
    });
    let setup = |params: &qz::QzSessionParamsLZ4S_T| {
        let mut setup = Setup::new(Stream::Lz4s, &params.common_params, qz::QZ_LZ4S)?;
        // Devices write it, and nobody reads it.
        if setup.decompresses || !matches!(params.lz4s_mini_match, 3 | 4) {
            return Err(qz::QZ_PARAMS);
        }
        setup.min_match = params.lz4s_mini_match as usize;
        Ok(setup)
    };
    // SAFETY: says the caller.
    unsafe { set_up(session, params, callback, setup) }
}

/// Sets a session up with what `setup` makes of the parameters.
///
/// # Safety
///
/// Each pointer is null, or points to its struct, which nobody else uses during the call.
pub(crate) unsafe fn set_up<P>(
    session: *mut qz::QzSession_T,
    params: *mut P,
    callback: Option<Callback>,
    setup: impl FnOnce(&P) -> Result<Setup, i32>,
) -> c_int {
    // SAFETY: says the caller.
    let (Some(session), Some(params)) = (unsafe { session.as_mut() }, unsafe { params.as_ref() })
    else {
        return qz::QZ_PARAMS;
    };
    let device = device::current();
    if let Some(code) = after_absent(&device) {
        return code;
    }
    if INIT.load(Ordering::Acquire) != qz::QZ_OK {
        return device.misuse("a session is set up before qzInit");
    }
    if !session.internal.is_null() {
        return device.misuse("a session is set up that is set up already");
    }
    match setup(params).and_then(|setup| Session::new(&device, setup)) {
        Ok(made) => {
            let handle = Box::new(Handle {
                session: Mutex::new(made),
                callback,
            });
            session.internal = Box::into_raw(handle).cast();
            session.hw_session_stat = qz::QZ_OK.into();
            qz::QZ_OK
        }
        Err(code) => {
            session.hw_session_stat = code.into();
            code
        }
    }
}

/// Compresses a buffer.
///
/// # Safety
///
/// Each pointer is null, or points to what its name says, of the length that its length says, which
/// nobody else uses during the call; after one that timed out, `dest` stays until whatever the device
/// writes is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzCompress(
    session: *mut qz::QzSession_T,
    src: *const c_uchar,
    src_len: *mut c_uint,
    dest: *mut c_uchar,
    dest_len: *mut c_uint,
    last: c_uint,
) -> c_int {
    if last != 1 {
        // More to come is not simulated.
        return qz::QZ_PARAMS;
    }
    // SAFETY: says the caller.
    let code = unsafe { operate(session, src, src_len, dest, dest_len, Session::compress) };
    if code != qz::QZ_OK {
        return code;
    }
    // SAFETY: the session was set up, or this would have failed.
    let handle = unsafe { &*(*session).internal.cast::<Handle>() };
    let Some(callback) = handle.callback else {
        return code;
    };
    let mut extended = 0;
    // SAFETY: whoever set the session up answers for the function and for what it is called with.
    unsafe {
        (callback.function)(
            callback.external,
            src,
            src_len,
            dest,
            dest_len,
            &mut extended,
        )
    }
}

/// Decompresses a buffer.
///
/// # Safety
///
/// As [`qzCompress`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzDecompress(
    session: *mut qz::QzSession_T,
    src: *const c_uchar,
    src_len: *mut c_uint,
    dest: *mut c_uchar,
    dest_len: *mut c_uint,
) -> c_int {
    // SAFETY: says the caller.
    unsafe { operate(session, src, src_len, dest, dest_len, Session::decompress) }
}

/// # Safety
///
/// As [`qzCompress`].
unsafe fn operate(
    session: *mut qz::QzSession_T,
    src: *const c_uchar,
    src_len: *mut c_uint,
    dest: *mut c_uchar,
    dest_len: *mut c_uint,
    work: impl FnOnce(&mut Session, &Device, &[u8], &mut [u8]) -> Outcome,
) -> c_int {
    if src.is_null() || dest.is_null() {
        return qz::QZ_PARAMS;
    }
    // SAFETY: says the caller, three times.
    let (session, src_len, dest_len) =
        unsafe { (session.as_mut(), src_len.as_mut(), dest_len.as_mut()) };
    let (Some(session), Some(src_len), Some(dest_len)) = (session, src_len, dest_len) else {
        return qz::QZ_PARAMS;
    };
    let device = device::current();
    if late::overlaps(src, *src_len as usize) || late::overlaps(dest, *dest_len as usize) {
        return device.misuse("a buffer is used that the device may still write to");
    }
    // SAFETY: says the caller.
    let input = unsafe { slice::from_raw_parts(src, *src_len as usize) };
    // SAFETY: says the caller.
    let output = unsafe { slice::from_raw_parts_mut(dest, *dest_len as usize) };
    let outcome = match after_absent(&device) {
        Some(code) => Outcome::failed(code),
        None if session.internal.is_null() => Outcome::failed(
            device.misuse("a session is used whose set-up failed, or that was torn down"),
        ),
        None => {
            // SAFETY: only `set_up` writes the pointer, and what it leads to lives until the
            // session is torn down.
            let handle = unsafe { &*session.internal.cast::<Handle>() };
            match handle.session.try_lock() {
                Ok(mut session) => work(&mut session, &device, input, output),
                Err(_) => Outcome::failed(device.misuse("a session is used by two threads")),
            }
        }
    };
    if let Some(delay) = outcome.late_write {
        // SAFETY: the caller keeps the buffer, says `qzCompress`.
        unsafe { late::write(dest, output.len(), delay) };
    }
    // Neither is longer than the slices, whose lengths came from such numbers.
    *src_len = outcome.consumed as c_uint;
    *dest_len = outcome.produced as c_uint;
    if outcome.on_device {
        session.total_in += outcome.consumed as u64;
        session.total_out += outcome.produced as u64;
    }
    session.thd_sess_stat = outcome.code;
    // As QATzip 1.3.1 does, which stays in this state whatever comes next. Work in software shows in
    // the totals alone.
    if outcome.code == qz::QZ_NOSW_NO_INST_ATTACH {
        session.hw_session_stat = qz::QZ_NO_INST_ATTACH.into();
    }
    outcome.code
}

/// Frees what a session holds.
///
/// # Safety
///
/// `session` is null, or points to a session that nobody else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzTeardownSession(session: *mut qz::QzSession_T) -> c_int {
    // SAFETY: says the caller.
    let Some(session) = (unsafe { session.as_mut() }) else {
        return qz::QZ_PARAMS;
    };
    if !session.internal.is_null() {
        // SAFETY: from a box, and given up here once.
        drop(unsafe { Box::from_raw(session.internal.cast::<Handle>()) });
        session.internal = std::ptr::null_mut();
        session.hw_session_stat = qz::QZ_NONE.into();
    }
    qz::QZ_OK
}

/// Whether the stream that was read last was complete.
///
/// # Safety
///
/// Each pointer is null, or points to what its name says, which nobody else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzGetDeflateEndOfStream(
    session: *mut qz::QzSession_T,
    end_of_stream: *mut c_uchar,
) -> c_int {
    // SAFETY: says the caller.
    let Some(session) = (unsafe { session.as_ref() }) else {
        return qz::QZ_PARAMS;
    };
    if session.internal.is_null() {
        return qz::QZ_PARAMS;
    }
    // SAFETY: only `set_up` writes the pointer, and what it leads to lives until the session is
    // torn down.
    let handle = unsafe { &*session.internal.cast::<Handle>() };
    let Ok(session) = handle.session.try_lock() else {
        return device::current().misuse("a session is used by two threads");
    };
    // SAFETY: says the caller.
    unsafe { put(end_of_stream, session.ended().into()) }
}

/// The longest that an input of this length becomes; 0 if it does not fit the type.
///
/// # Safety
///
/// `session` is null, or points to a session that nobody else uses during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qzMaxCompressedLength(
    src_len: c_uint,
    session: *mut qz::QzSession_T,
) -> c_uint {
    // SAFETY: says the caller.
    let session = unsafe { session.as_ref() };
    let hw_buffer = session
        .filter(|session| !session.internal.is_null())
        .and_then(|session| {
            // SAFETY: as in `qzGetDeflateEndOfStream`.
            let handle = unsafe { &*session.internal.cast::<Handle>() };
            Some(handle.session.try_lock().ok()?.setup.hw_buffer)
        });
    max_compressed_len(src_len, hw_buffer.unwrap_or(COMMON.hw_buff_sz as usize))
}

/// Gives the device another script: 0, or −1 for what is none, which changes nothing; standard error
/// says why.
///
/// # Safety
///
/// `script` is null, or a string that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qat_sim_configure(script: *const c_char) -> c_int {
    if script.is_null() {
        return qz::QZ_PARAMS;
    }
    // SAFETY: says the caller.
    let script = unsafe { CStr::from_ptr(script) };
    match script.to_str().map(device::configure) {
        Ok(Ok(())) => qz::QZ_OK,
        Ok(Err(malformed)) => {
            eprintln!("qat-sim (simulated device): {malformed}");
            qz::QZ_PARAMS
        }
        Err(_) => qz::QZ_PARAMS,
    }
}

/// What was counted since the library was loaded.
///
/// # Safety
///
/// `to` is null, or points to a struct that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qat_sim_counters(to: *mut Counters) -> c_int {
    // SAFETY: says the caller.
    unsafe { put(to, counters()) }
}

/// What this is, for whoever shows figures of it.
#[unsafe(no_mangle)]
pub extern "C" fn qat_sim_label() -> *const c_char {
    c"simulated device (qat-sim)".as_ptr()
}

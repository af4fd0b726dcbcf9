//! The entries of the table: each takes raw pointers, catches panics, and calls the provider.
//!
//! The only unsafe code of the plugin's side. All of it rests on the contract of the header, which
//! the host keeps: pointers are valid for the lengths beside them until the call returns, handles
//! are those that this table made and are freed once, and a session is used by one thread at a time.

use std::ffi::{CStr, c_char};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

use compressor_api::{
    Dictionary, Direction, Error, Health, Job, OpenError, Params, ProviderEntry, Spec,
};

use super::handle::{CompressorHandle, FactoryHandle, SessionHandle, SessionInner};
use super::{Exported, table};
use crate::abi::{
    self, ABI_MAJOR, CP_ABSENT, CP_BROKEN, CP_DEGRADED, CP_DICTIONARY_NONE, CP_DICTIONARY_RAW,
    CP_DICTIONARY_TRAINED, CP_INVALID_ARGUMENT, CP_LOG_ERROR, CP_MISCONFIGURED, CP_OK,
    CP_OUT_OF_MEMORY, CP_PANIC, CP_PARAM_BOOL, CP_PARAM_BYTES, CP_PARAM_CHOICE, CP_PARAM_DURATION,
    CP_PARAM_INT, CP_PARAM_TEXT, CP_QUARANTINED, CP_UNSUPPORTED, HOST_MAGIC,
};
use crate::codes;
use crate::text::line;

/// The host that entered last: there is one in a process.
static HOST: AtomicPtr<abi::Host> = AtomicPtr::new(ptr::null_mut());

/// A finished table.
#[derive(Debug)]
pub struct Table(abi::Plugin);

// SAFETY: the table is immutable, and so is all that it points to, which is leaked.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

/// The body of `compressor_plugin_v1`: the table, or null if this host cannot be worked with.
///
/// # Safety
///
/// `host` is null, or a table that stays valid until the process ends.
pub unsafe fn enter<E: Exported>(host: *const abi::Host) -> *const abi::Plugin {
    // SAFETY: not null, so it is a table of the host's.
    let Some(head) = (unsafe { host.as_ref() }).map(|host| host.head) else {
        return ptr::null();
    };
    if head.magic != HOST_MAGIC
        || head.abi_major != ABI_MAJOR
        || (head.struct_size as usize) < size_of::<abi::Host>()
    {
        return ptr::null();
    }
    HOST.store(host.cast_mut(), Ordering::Release);
    let built = catch_unwind(|| {
        if let Some(table) = E::table().get() {
            return Some(table);
        }
        match table::describe(E::entry()) {
            Ok(described) => Some(E::table().get_or_init(|| Table(with_functions::<E>(described)))),
            Err(why) => {
                log(&why);
                None
            }
        }
    });
    match built {
        Ok(Some(table)) => &raw const table.0,
        Ok(None) => ptr::null(),
        Err(payload) => {
            panicked(payload);
            ptr::null()
        }
    }
}

fn with_functions<E: Exported>(described: abi::Plugin) -> abi::Plugin {
    abi::Plugin {
        open: Some(open::<E>),
        close: Some(close),
        capabilities: Some(capabilities),
        health: Some(health),
        self_test: Some(self_test),
        compressor_new: Some(compressor_new),
        compressor_free: Some(compressor_free),
        effective: Some(effective),
        max_compressed_len: Some(max_compressed_len),
        session_new: Some(session_new),
        session_free: Some(session_free),
        compress: Some(compress),
        decompress: Some(decompress),
        compress_many: Some(compress_many),
        decompress_many: Some(decompress_many),
        ..described
    }
}

// ---- The factory.

unsafe extern "C" fn open<E: Exported>(
    values: *const abi::ParamValue,
    count: usize,
    value_size: usize,
    factory: *mut *mut abi::Factory,
    why: *mut abi::Text,
) -> i32 {
    guarded(|| {
        let entry = E::entry();
        // SAFETY: the host passes `count` values, `value_size` bytes apart.
        let opened = unsafe { params(entry, values, count, value_size) }
            .and_then(|params| entry.opener.open(&params));
        match opened {
            Ok(opened) => {
                let handle = Box::new(FactoryHandle::new(opened));
                // SAFETY: `factory` is where the host wants the handle.
                unsafe { factory.write(Box::into_raw(handle).cast()) };
                CP_OK
            }
            Err(error) => {
                // SAFETY: `why` is the host's.
                unsafe { say(why, error.why()) };
                match error {
                    OpenError::Absent { .. } => CP_ABSENT,
                    OpenError::Misconfigured { .. } => CP_MISCONFIGURED,
                    _ => CP_BROKEN,
                }
            }
        }
    })
}

unsafe extern "C" fn close(factory: *mut abi::Factory) -> i32 {
    guarded(|| {
        // SAFETY: `open` made it, and nobody uses it any more.
        drop(unsafe { Box::from_raw(factory.cast::<FactoryHandle>()) });
        CP_OK
    })
}

unsafe extern "C" fn capabilities(
    factory: *mut abi::Factory,
    list: *mut abi::CapabilityList,
) -> i32 {
    guarded(|| {
        // SAFETY: `open` made it.
        let items = unsafe { &(*factory.cast::<FactoryHandle>()).capabilities };
        let found = abi::CapabilityList {
            items: items.as_ptr(),
            count: items.len(),
            item_size: size_of::<abi::Capabilities>(),
        };
        // SAFETY: `list` is where the host wants it.
        unsafe { list.write(found) };
        CP_OK
    })
}

unsafe extern "C" fn health(factory: *mut abi::Factory, why: *mut abi::Text) -> i32 {
    guarded(|| {
        // SAFETY: `open` made it.
        let health = unsafe { &*factory.cast::<FactoryHandle>() }.inner.health();
        // SAFETY: `why` is the host's.
        unsafe { say(why, health.why().unwrap_or_default()) };
        match health {
            Health::Ready => CP_OK,
            Health::Absent { .. } => CP_ABSENT,
            Health::Degraded { .. } => CP_DEGRADED,
            _ => CP_QUARANTINED,
        }
    })
}

unsafe extern "C" fn self_test(
    factory: *mut abi::Factory,
    native: *mut i32,
    why: *mut abi::Text,
) -> i32 {
    guarded(|| {
        // SAFETY: `open` made it.
        match unsafe { &*factory.cast::<FactoryHandle>() }
            .inner
            .self_test()
        {
            Ok(()) => CP_OK,
            Err(error) => {
                // SAFETY: `why` is the host's.
                unsafe { say(why, &error.to_string()) };
                // SAFETY: `native` is the host's.
                unsafe { failed(error, native) }
            }
        }
    })
}

// ---- The compressor.

unsafe extern "C" fn compressor_new(
    factory: *mut abi::Factory,
    spec: *const abi::Spec,
    compressor: *mut *mut abi::Compressor,
    native: *mut i32,
) -> i32 {
    guarded(|| {
        // SAFETY: `spec` is the host's, dictionary included.
        let Some(spec) = (unsafe { read_spec(spec) }) else {
            return CP_INVALID_ARGUMENT;
        };
        // SAFETY: `open` made it.
        let factory = unsafe { &*factory.cast::<FactoryHandle>() };
        match factory.inner.compressor(&spec) {
            Ok(inner) => {
                let handle = Box::new(CompressorHandle { inner });
                // SAFETY: `compressor` is where the host wants the handle.
                unsafe { compressor.write(Box::into_raw(handle).cast()) };
                CP_OK
            }
            // SAFETY: `native` is the host's.
            Err(error) => unsafe { failed(error, native) },
        }
    })
}

unsafe extern "C" fn compressor_free(compressor: *mut abi::Compressor) -> i32 {
    guarded(|| {
        // SAFETY: `compressor_new` made it, and nobody uses it any more.
        drop(unsafe { Box::from_raw(compressor.cast::<CompressorHandle>()) });
        CP_OK
    })
}

unsafe extern "C" fn effective(
    compressor: *mut abi::Compressor,
    direction: u32,
    effective: *mut abi::Effective,
) -> i32 {
    guarded(|| {
        // SAFETY: `compressor_new` made it.
        let sides = unsafe { &*compressor.cast::<CompressorHandle>() }
            .inner
            .effective();
        let side = match codes::direction(direction) {
            Some(Direction::Compress) => sides.compress,
            Some(Direction::Decompress) => sides.decompress,
            None => return CP_INVALID_ARGUMENT,
        };
        let side = side.map_or_else(abi::Effective::default, |side| abi::Effective {
            window: side.window,
            level: side.level,
            served: 1,
        });
        // SAFETY: `effective` is where the host wants it.
        unsafe { effective.write(side) };
        CP_OK
    })
}

unsafe extern "C" fn max_compressed_len(
    compressor: *mut abi::Compressor,
    src_len: usize,
    len: *mut usize,
) -> i32 {
    guarded(|| {
        // SAFETY: `compressor_new` made it.
        let compressor = unsafe { &*compressor.cast::<CompressorHandle>() };
        match compressor.inner.max_compressed_len(src_len) {
            Some(max) => {
                // SAFETY: `len` is where the host wants it.
                unsafe { len.write(max) };
                CP_OK
            }
            None => CP_UNSUPPORTED,
        }
    })
}

// ---- The session.

unsafe extern "C" fn session_new(
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

unsafe extern "C" fn session_free(session: *mut abi::Session) -> i32 {
    guarded(|| {
        // SAFETY: `session_new` made it, and nobody uses it any more.
        drop(unsafe { Box::from_raw(session.cast::<SessionHandle>()) });
        CP_OK
    })
}

unsafe extern "C" fn compress(
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

unsafe extern "C" fn decompress(
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

unsafe extern "C" fn compress_many(
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

unsafe extern "C" fn decompress_many(
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

// ---- What the entries share.

/// Runs the body of an entry. A panic ends here: it is logged, and the host is told.
fn guarded(body: impl FnOnce() -> i32) -> i32 {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(status) => status,
        Err(payload) => {
            panicked(payload);
            CP_PANIC
        }
    }
}

/// Logs what a panic said. Its payload is leaked: dropping it could panic again.
fn panicked(payload: Box<dyn std::any::Any + Send>) {
    let said = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    log(&format!("panicked: {}", said.unwrap_or("(no message)")));
    mem::forget(payload);
}

fn log(text: &str) {
    let host = HOST.load(Ordering::Acquire).cast_const();
    // SAFETY: null, or the host's table, which stays valid until the process ends.
    let Some(log) = (unsafe { host.as_ref() }).and_then(|host| host.log) else {
        return;
    };
    let line = line(text);
    // SAFETY: the host's function, with its table and a string of the length that it takes.
    unsafe { log(host, CP_LOG_ERROR, line.as_ptr()) };
}

/// Leaves text for the host, as much as there is room for.
///
/// # Safety
///
/// `why` is valid for writes, and so are the `capacity` bytes behind its `data`.
unsafe fn say(why: *mut abi::Text, text: &str) {
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
unsafe fn failed(error: Error, native: *mut i32) -> i32 {
    // SAFETY: the caller says so.
    unsafe { native.write(error.native()) };
    codes::status(error.kind())
}

/// Leaves the outcome of an operation, and returns its status.
fn finish(outcome: Result<usize, Error>, result: &mut abi::OpResult) -> i32 {
    // Field by field: whoever reads them next waits for what was stored as they are read.
    let (len, native, status) = match outcome {
        Ok(len) => (len, 0, CP_OK),
        Err(error) => (0, error.native(), codes::status(error.kind())),
    };
    result.len = len;
    result.native = native;
    status
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

/// # Safety
///
/// `data` is valid for reads of `len` bytes for as long as `'a`; it may be null if there are none.
unsafe fn bytes<'a>(data: *const u8, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller says so.
    unsafe { slice::from_raw_parts(data, len) }
}

/// # Safety
///
/// `data` is valid for writes of `len` bytes, and for nobody else, for as long as `'a`; it may be
/// null if there are none. The host initialised them.
unsafe fn bytes_mut<'a>(data: *mut u8, len: usize) -> &'a mut [u8] {
    if len == 0 {
        return &mut [];
    }
    // SAFETY: the caller says so.
    unsafe { slice::from_raw_parts_mut(data, len) }
}

/// The host's spec; `None` if it is none.
///
/// # Safety
///
/// `spec` is valid for reads of the `struct_size` bytes that it states, and its dictionary for its
/// length.
unsafe fn read_spec(spec: *const abi::Spec) -> Option<Spec> {
    // SAFETY: every host states its size.
    if (unsafe { (*spec).struct_size } as usize) < size_of::<abi::Spec>() {
        return None;
    }
    // SAFETY: as long as this plugin knows it.
    let from = unsafe { &*spec };
    let mut spec = Spec::new(codes::format(from.format)?)
        .with_level(from.level)
        .ok()?;
    if from.window_log != 0 {
        let log = u8::try_from(from.window_log).ok()?;
        spec = spec.with_window_log(log).ok()?;
    }
    // The other formats have no choice, so that their default says the same.
    spec = match from.checksum {
        0 => spec.clone().with_checksum(false).unwrap_or(spec),
        1 => spec.clone().with_checksum(true).unwrap_or(spec),
        _ => return None,
    };
    // SAFETY: the caller says so.
    let content = unsafe { bytes(from.dictionary, from.dictionary_len) };
    let dictionary = match from.dictionary_kind {
        CP_DICTIONARY_NONE => return Some(spec),
        CP_DICTIONARY_RAW => Dictionary::raw(content),
        CP_DICTIONARY_TRAINED => Dictionary::trained(content),
        _ => return None,
    };
    spec.with_dictionary(dictionary.ok()?).ok()
}

/// The host's parameter values, checked again.
///
/// # Safety
///
/// `values` is valid for `count` values that lie `size` bytes apart, strings included.
unsafe fn params(
    entry: &ProviderEntry,
    values: *const abi::ParamValue,
    count: usize,
    size: usize,
) -> Result<Params, OpenError> {
    let misconfigured = |why: &str| OpenError::Misconfigured { why: why.into() };
    if count > 0 && size < size_of::<abi::ParamValue>() {
        return Err(misconfigured("the host's parameter values are too short"));
    }
    let mut given: Vec<(String, String)> = Vec::with_capacity(entry.params.len());
    for i in 0..count {
        // SAFETY: the caller says so.
        let value = unsafe { values.byte_add(i * size).read() };
        // SAFETY: the caller says so.
        let (name, text) = unsafe { (string(value.name), string(value.text)) };
        let text = match (value.kind, text) {
            (CP_PARAM_BOOL, _) => Some((value.number != 0).to_string()),
            (CP_PARAM_INT | CP_PARAM_BYTES, _) => Some(value.number.to_string()),
            (CP_PARAM_DURATION, _) => Some(format!("{}ns", value.number)),
            (CP_PARAM_CHOICE | CP_PARAM_TEXT, text) => text,
            _ => None,
        };
        let (Some(name), Some(text)) = (name, text) else {
            return Err(misconfigured("the host passes a parameter without a value"));
        };
        given.push((name, text));
    }
    let given = given
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    Ok(Params::parse(entry.params, given)?)
}

/// # Safety
///
/// `text` is null or a C string.
unsafe fn string(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller says so.
    let text = unsafe { CStr::from_ptr(text) };
    Some(text.to_str().ok()?.into())
}

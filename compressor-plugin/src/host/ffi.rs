//! Every call into a plugin, and every look at what it points to.
//!
//! The only unsafe code of the host's side. It rests on what the header demands of a plugin: that
//! its pointers are valid for the lengths it states, for as long as it says. A plugin shares the
//! host's memory, so no host can check that. What can be checked (null, alignment, sizes, numbers,
//! text) is checked here or by the callers of this module.

use std::ffi::{CStr, CString, c_char};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use compressor_api::{DictionaryKind, Direction, Job, Spec};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::description::{Draft, DraftParam};
use super::error::{Refusal, Violation};
use super::quarantine::Quarantine;
use crate::abi::{
    self, ABI_MAJOR, ABI_MINOR, CP_DICTIONARY_NONE, CP_DICTIONARY_RAW, CP_DICTIONARY_TRAINED,
    CP_LOG_DEBUG, CP_LOG_ERROR, CP_LOG_INFO, CP_OK, HOST_MAGIC, Head, MAX_TEXT, PLUGIN_MAGIC,
    SYMBOL,
};
use crate::codes;

/// Room for the text of a rare call, in bytes.
const TEXT_CAPACITY: usize = 512;

/// Greatest length of a list, and of an item in it in bytes: far more than anybody needs, far less
/// than a number that was never set.
const MAX_ITEMS: usize = 256;
const MAX_ITEM_SIZE: usize = 4096;

/// In place of the status of a function that is not there. Such a table is refused when it is read.
const NO_FUNCTION: i32 = i32::MIN;

/// The status of a job that the plugin did not touch.
const NOT_RUN: i32 = -1;

/// Libraries that the loader was asked for.
static LIBRARIES: AtomicUsize = AtomicUsize::new(0);

/// How many times this process has asked the loader for a plugin's library, successfully or not.
///
/// Listing plugins that have a manifest leaves it as it is.
#[must_use]
pub fn libraries_loaded() -> usize {
    LIBRARIES.load(Ordering::Relaxed)
}

// ---- Loading.

/// The entry point's type, spelled once.
macro_rules! entry_point {
    () => { unsafe extern "C" fn(*const abi::Host) -> *const abi::Plugin };
}

/// Loads a library and reads its table. It stays loaded, whatever comes of it: code that has run
/// may have left threads and destructors behind.
pub(super) fn load(path: &Path, host: &'static HostTable) -> Result<Table, Refusal> {
    LIBRARIES.fetch_add(1, Ordering::Relaxed);
    // SAFETY: this runs the library's initialisers. The operator asked for it by an absolute path
    // that only root or this user could have written.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = ManuallyDrop::new(library.map_err(|error| Refusal::Loader {
        message: loader_message(&error),
    })?);
    // SAFETY: what has this name has this type.
    let entry = unsafe { library.get::<entry_point!()>(SYMBOL) };
    let entry = *entry.map_err(|_| other_major(&library))?;
    // SAFETY: the entry point of a library that is never unloaded.
    unsafe { enter(entry, host) }
}

/// Calls an entry point and reads the table that it returns.
///
/// # Safety
///
/// `entry` keeps the contract of the header.
pub(super) unsafe fn enter(
    entry: entry_point!(),
    host: &'static HostTable,
) -> Result<Table, Refusal> {
    // SAFETY: the caller vouches for `entry`, and the host's table lives until the process ends.
    let table = unsafe { entry(&raw const host.table) };
    // SAFETY: what an entry point returns is null or a table.
    unsafe { Table::read(table) }
}

/// What the loader says, in one line.
fn loader_message(error: &libloading::Error) -> String {
    let message = match error {
        libloading::Error::DlOpen { source, .. } => source.to_string(),
        other => other.to_string(),
    };
    one_line(&message)
}

/// Why a library has no symbol of this major version.
fn other_major(library: &Library) -> Refusal {
    let exports = |major: &u16| {
        let symbol = format!("compressor_plugin_v{major}\0");
        // SAFETY: the symbol is looked at, not used.
        unsafe { library.get::<*const u8>(symbol.as_bytes()) }.is_ok()
    };
    match (0..32).filter(|major| *major != ABI_MAJOR).find(exports) {
        Some(plugin) => Refusal::OtherMajor { plugin },
        None => Refusal::NoSymbol,
    }
}

// ---- The host's own table.

/// The host as one plugin sees it: one per plugin, so that log lines carry its path.
#[derive(Debug)]
pub(super) struct HostTable {
    table: abi::Host,
    path: PathBuf,
}

// SAFETY: immutable, and so is the name that it points to, which is a constant.
unsafe impl Send for HostTable {}
// SAFETY: as above.
unsafe impl Sync for HostTable {}

/// The host tables that plugins were given.
static HOSTS: Mutex<Vec<&'static HostTable>> = Mutex::new(Vec::new());

impl HostTable {
    /// A table that lives until the process ends.
    pub(super) fn leak(path: &Path) -> &'static Self {
        const NAME: &CStr = match CStr::from_bytes_with_nul(
            concat!("compressor ", env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
        ) {
            Ok(name) => name,
            Err(_) => c"compressor",
        };
        let host: &'static Self = Box::leak(Box::new(Self {
            table: abi::Host {
                head: Head {
                    // Far fewer bytes than 2³².
                    struct_size: size_of::<abi::Host>() as u32,
                    abi_major: ABI_MAJOR,
                    abi_minor: ABI_MINOR,
                    magic: HOST_MAGIC,
                },
                name: NAME.as_ptr(),
                log: Some(log),
            },
            path: path.into(),
        }));
        hosts().push(host);
        host
    }
}

fn hosts() -> std::sync::MutexGuard<'static, Vec<&'static HostTable>> {
    HOSTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `cp_host.log`: from any thread, at any time. A subscriber that panics does not reach the plugin.
unsafe extern "C" fn log(host: *const abi::Host, level: u32, text: *const c_char) {
    let logged = catch_unwind(|| {
        // Looked up, not followed: the address is the plugin's word.
        let known = hosts()
            .iter()
            .copied()
            .find(|known| ptr::eq(&raw const known.table, host));
        // SAFETY: null, or the plugin's string.
        let (Some(host), Ok(text)) = (known, unsafe { string(text, "a log line") }) else {
            return;
        };
        let (plugin, text) = (host.path.display(), one_line(&text));
        match level {
            ..=CP_LOG_ERROR => tracing::error!(%plugin, "{text}"),
            CP_LOG_INFO => tracing::info!(%plugin, "{text}"),
            CP_LOG_DEBUG.. => tracing::debug!(%plugin, "{text}"),
            _ => tracing::warn!(%plugin, "{text}"),
        }
    });
    if let Err(payload) = logged {
        // Dropping it could panic again.
        std::mem::forget(payload);
    }
}

// ---- The plugin's table.

/// A plugin's table: a copy, in which no function is missing that must be there.
#[derive(Debug)]
pub(super) struct Table(abi::Plugin);

// SAFETY: the header demands that what the table points to never changes, and that its functions
// can be called from any thread.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Table {
    /// Size of the first table that was published. Never changes.
    const LEAST: usize = 200;

    /// Reads the table that an entry point returned.
    ///
    /// # Safety
    ///
    /// `table` is null or valid for reads of the head, and of as many bytes as that states.
    unsafe fn read(table: *const abi::Plugin) -> Result<Self, Refusal> {
        if table.is_null() {
            return Err(Refusal::NoTable);
        }
        if !table.is_aligned() {
            return Err(Refusal::NotATable);
        }
        // SAFETY: valid for the head, and aligned.
        let head = unsafe { table.cast::<Head>().read() };
        if head.magic != PLUGIN_MAGIC {
            return Err(Refusal::Magic { found: head.magic });
        }
        if head.abi_major != ABI_MAJOR {
            return Err(Refusal::OtherMajor {
                plugin: head.abi_major,
            });
        }
        if (head.struct_size as usize) < Self::LEAST {
            return Err(Refusal::TooSmall {
                found: head.struct_size,
                least: Self::LEAST,
            });
        }
        // SAFETY: valid for as many bytes as the head states; every field may be zero.
        let table = unsafe { copy(table, head.struct_size as usize) };
        let missing = [
            (table.open.is_none(), "open"),
            (table.close.is_none(), "close"),
            (table.capabilities.is_none(), "capabilities"),
            (table.health.is_none(), "health"),
            (table.compressor_new.is_none(), "compressor_new"),
            (table.compressor_free.is_none(), "compressor_free"),
            (table.effective.is_none(), "effective"),
            (table.max_compressed_len.is_none(), "max_compressed_len"),
            (table.session_new.is_none(), "session_new"),
            (table.session_free.is_none(), "session_free"),
            (table.compress.is_none(), "compress"),
            (table.decompress.is_none(), "decompress"),
        ];
        match missing.into_iter().find(|(missing, _)| *missing) {
            Some((_, entry)) => Err(Refusal::NullEntry { entry }),
            None => Ok(Self(table)),
        }
    }

    /// Whether the plugin was built for a newer minor version than this host.
    pub(super) fn is_newer(&self) -> bool {
        self.0.head.abi_minor > ABI_MINOR
    }

    /// What the plugin says about itself.
    pub(super) fn draft(&self) -> Result<Draft, Violation> {
        let table = &self.0;
        // SAFETY: the header demands strings and lists of the stated length.
        unsafe {
            let formats = list(
                table.formats,
                table.format_count,
                size_of::<u32>(),
                "formats",
            )?;
            let formats = formats
                .into_iter()
                .filter_map(|id| match codes::format(id) {
                    Some(format) => Some(Ok(format)),
                    // A format that this host has no word for cannot be asked for.
                    None if self.is_newer() => None,
                    None => Some(Err(Violation(format!("lists the unknown format {id}")))),
                })
                .collect::<Result<Vec<_>, _>>()?;
            let params = list(
                table.params,
                table.param_count,
                table.param_size,
                "parameters",
            )?;
            Ok(Draft {
                id: string(table.id, "its id")?,
                description: string(table.description, "its description")?,
                formats,
                priority: table.priority,
                params: params
                    .iter()
                    .map(|param| draft_param(param))
                    .collect::<Result<_, _>>()?,
            })
        }
    }

    /// Opens the plugin: status, reason, and the factory if the plugin returned one.
    pub(super) fn open(
        &'static self,
        values: &[Value],
        quarantine: Quarantine,
    ) -> (i32, Result<String, Violation>, Option<Factory>) {
        let Some(open) = self.0.open else {
            return (NO_FUNCTION, Ok(String::new()), None);
        };
        let values: Vec<abi::ParamValue> = values.iter().map(Value::as_abi).collect();
        let mut factory = ptr::null_mut();
        let (status, why) = with_text(|why| {
            // SAFETY: every pointer is valid until the call returns.
            unsafe {
                open(
                    values.as_ptr(),
                    values.len(),
                    size_of::<abi::ParamValue>(),
                    &raw mut factory,
                    why,
                )
            }
        });
        let factory = NonNull::new(factory)
            .filter(|_| status == CP_OK)
            .map(|handle| Factory {
                table: self,
                handle,
                quarantine,
            });
        (status, why, factory)
    }
}

/// # Safety
///
/// The strings of `param` are null or strings, its choices as many as it states.
unsafe fn draft_param(param: &abi::Param) -> Result<DraftParam, Violation> {
    // SAFETY: the caller says so.
    unsafe {
        let choices = list(
            param.choices,
            param.choice_count,
            size_of::<*const c_char>(),
            "choices",
        )?;
        Ok(DraftParam {
            name: string(param.name, "the name of a parameter")?,
            doc: string(param.doc, "the doc of a parameter")?,
            default: string(param.default_value, "the default of a parameter")?,
            kind: param.kind,
            min: param.min,
            max: param.max,
            choices: choices
                .iter()
                .map(|choice| string(*choice, "a choice of a parameter"))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// The value of a parameter, as `open` gets it.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) name: CString,
    pub(super) text: Option<CString>,
    pub(super) number: i64,
    pub(super) kind: u32,
}

impl Value {
    fn as_abi(&self) -> abi::ParamValue {
        abi::ParamValue {
            name: self.name.as_ptr(),
            text: self.text.as_ref().map_or(ptr::null(), |text| text.as_ptr()),
            number: self.number,
            kind: self.kind,
            reserved: 0,
        }
    }
}

// ---- Handles. Each keeps alive what it was made from, and frees itself, unless the factory is
// quarantined: then nothing is called any more, and the handle is left to the end of the process.

/// A `cp_factory`.
#[derive(Debug)]
pub(super) struct Factory {
    table: &'static Table,
    handle: NonNull<abi::Factory>,
    pub(super) quarantine: Quarantine,
}

// SAFETY: the header demands that factories can be used by any number of threads at once.
unsafe impl Send for Factory {}
// SAFETY: as above.
unsafe impl Sync for Factory {}

impl Factory {
    /// Status, and the list as it came.
    pub(super) fn capabilities(&self) -> (i32, Result<Vec<abi::Capabilities>, Violation>) {
        let mut found = abi::CapabilityList {
            items: ptr::null(),
            count: 0,
            item_size: 0,
        };
        let Some(capabilities) = self.table.0.capabilities else {
            return (NO_FUNCTION, Ok(Vec::new()));
        };
        // SAFETY: a live handle of this table, and a pointer that is valid until the call returns.
        let status = unsafe { capabilities(self.handle.as_ptr(), &raw mut found) };
        if status != CP_OK {
            return (status, Ok(Vec::new()));
        }
        // SAFETY: the header demands a list of the stated length until `close`.
        let items = unsafe { list(found.items, found.count, found.item_size, "capabilities") };
        (status, items)
    }

    /// Status and reason.
    pub(super) fn health(&self) -> (i32, Result<String, Violation>) {
        let Some(health) = self.table.0.health else {
            return (NO_FUNCTION, Ok(String::new()));
        };
        // SAFETY: a live handle of this table, and a pointer that is valid until the call returns.
        with_text(|why| unsafe { health(self.handle.as_ptr(), why) })
    }

    /// Status, native code and reason; `None` if the plugin has no self-test of its own.
    pub(super) fn self_test(&self) -> Option<(i32, i32, Result<String, Violation>)> {
        let self_test = self.table.0.self_test?;
        let mut native = 0;
        // SAFETY: a live handle of this table, and pointers that are valid until the call returns.
        let (status, why) =
            with_text(|why| unsafe { self_test(self.handle.as_ptr(), &raw mut native, why) });
        Some((status, native, why))
    }

    /// Status, native code, and the compressor if the plugin returned one.
    pub(super) fn compressor_new(self: &Arc<Self>, spec: &Spec) -> (i32, i32, Option<Compressor>) {
        let Some(compressor_new) = self.table.0.compressor_new else {
            return (NO_FUNCTION, 0, None);
        };
        let content = spec.dictionary().map(|dictionary| dictionary.bytes());
        let spec = abi::Spec {
            struct_size: size_of::<abi::Spec>() as u32,
            format: u32::from(spec.format().id()),
            level: spec.level(),
            window_log: spec.window_log().map_or(0, u32::from),
            checksum: u32::from(spec.checksum()),
            dictionary_kind: match spec.dictionary().map(|dictionary| dictionary.kind()) {
                None => CP_DICTIONARY_NONE,
                Some(DictionaryKind::Raw) => CP_DICTIONARY_RAW,
                Some(DictionaryKind::Trained { .. }) => CP_DICTIONARY_TRAINED,
            },
            dictionary: content.map_or(ptr::null(), <[u8]>::as_ptr),
            dictionary_len: content.map_or(0, <[u8]>::len),
        };
        let (mut handle, mut native) = (ptr::null_mut(), 0);
        // SAFETY: a live handle of this table, and pointers that are valid until the call returns.
        let status = unsafe {
            compressor_new(
                self.handle.as_ptr(),
                &raw const spec,
                &raw mut handle,
                &raw mut native,
            )
        };
        let made = NonNull::new(handle)
            .filter(|_| status == CP_OK)
            .map(|handle| Compressor {
                factory: Arc::clone(self),
                handle,
            });
        (status, native, made)
    }
}

impl Drop for Factory {
    fn drop(&mut self) {
        if let Some(close) = self.table.0.close
            && !self.quarantine.is_closed()
        {
            // SAFETY: a live handle of this table, which nothing that was made from it outlives.
            let status = unsafe { close(self.handle.as_ptr()) };
            self.quarantine.freed("close", status);
        }
    }
}

/// A `cp_compressor`.
#[derive(Debug)]
pub(super) struct Compressor {
    factory: Arc<Factory>,
    handle: NonNull<abi::Compressor>,
}

// SAFETY: the header demands that compressors can be used by any number of threads at once.
unsafe impl Send for Compressor {}
// SAFETY: as above.
unsafe impl Sync for Compressor {}

impl Compressor {
    pub(super) fn quarantine(&self) -> &Quarantine {
        &self.factory.quarantine
    }

    /// Status, and how the direction is served.
    pub(super) fn effective(&self, direction: Direction) -> (i32, abi::Effective) {
        let mut found = abi::Effective::default();
        let Some(effective) = self.factory.table.0.effective else {
            return (NO_FUNCTION, found);
        };
        let direction = codes::direction_id(direction);
        // SAFETY: a live handle of this table, and a pointer that is valid until the call returns.
        let status = unsafe { effective(self.handle.as_ptr(), direction, &raw mut found) };
        (status, found)
    }

    /// Status, and the bound.
    pub(super) fn max_compressed_len(&self, src_len: usize) -> (i32, usize) {
        let mut len = 0;
        let Some(max_compressed_len) = self.factory.table.0.max_compressed_len else {
            return (NO_FUNCTION, len);
        };
        // SAFETY: a live handle of this table, and a pointer that is valid until the call returns.
        let status = unsafe { max_compressed_len(self.handle.as_ptr(), src_len, &raw mut len) };
        (status, len)
    }

    /// Status, native code, and the session if the plugin returned one.
    pub(super) fn session_new(
        self: &Arc<Self>,
        direction: Direction,
    ) -> (i32, i32, Option<Session>) {
        let Some(session_new) = self.factory.table.0.session_new else {
            return (NO_FUNCTION, 0, None);
        };
        let direction = codes::direction_id(direction);
        let (mut handle, mut native) = (ptr::null_mut(), 0);
        // SAFETY: a live handle of this table, and pointers that are valid until the call returns.
        let status = unsafe {
            session_new(
                self.handle.as_ptr(),
                direction,
                &raw mut handle,
                &raw mut native,
            )
        };
        let made = NonNull::new(handle)
            .filter(|_| status == CP_OK)
            .map(|handle| Session {
                compressor: Arc::clone(self),
                handle,
                jobs: Vec::new(),
            });
        (status, native, made)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        if let Some(compressor_free) = self.factory.table.0.compressor_free
            && !self.quarantine().is_closed()
        {
            // SAFETY: a live handle of this table, which nothing that was made from it outlives.
            let status = unsafe { compressor_free(self.handle.as_ptr()) };
            self.quarantine().freed("compressor_free", status);
        }
    }
}

/// A `cp_session`.
#[derive(Debug)]
pub(super) struct Session {
    compressor: Arc<Compressor>,
    handle: NonNull<abi::Session>,
    /// Room for a batch, empty between calls.
    jobs: Vec<abi::Job>,
}

// SAFETY: the header demands that sessions can move between threads.
unsafe impl Send for Session {}

impl Session {
    pub(super) fn quarantine(&self) -> &Quarantine {
        self.compressor.quarantine()
    }

    /// One operation: its status. What it leaves in `result` is the plugin's word.
    #[inline]
    pub(super) fn run(
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
    pub(super) fn run_many(
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
pub(super) const UNTOUCHED: abi::OpResult = abi::OpResult {
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

// ---- What a plugin points to.

/// Copies as much of a struct as its side states; what lies beyond is zero.
///
/// # Safety
///
/// `from` is valid for reads of `size` bytes, and zero is a value of every field of `T`.
unsafe fn copy<T>(from: *const T, size: usize) -> T {
    let mut copy = MaybeUninit::<T>::zeroed();
    // SAFETY: no more than the caller says can be read, and no more than `T` has.
    unsafe {
        ptr::copy_nonoverlapping(
            from.cast::<u8>(),
            copy.as_mut_ptr().cast(),
            size.min(size_of::<T>()),
        );
    }
    // SAFETY: zeroed, then written over with a value of the same fields.
    unsafe { copy.assume_init() }
}

/// Copies a list whose items lie `item_size` bytes apart. An item of this major version has never
/// been shorter than today's `T`.
///
/// # Safety
///
/// `items` is null or valid for reads of `count` items, and zero is a value of every field of `T`.
unsafe fn list<T>(
    items: *const T,
    count: usize,
    item_size: usize,
    what: &str,
) -> Result<Vec<T>, Violation> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if items.is_null() || !items.is_aligned() {
        return Err(Violation(format!(
            "has {what} at an address that no list can have"
        )));
    }
    if count > MAX_ITEMS {
        return Err(Violation(format!("has {count} {what}")));
    }
    if !(size_of::<T>()..=MAX_ITEM_SIZE).contains(&item_size)
        || !item_size.is_multiple_of(align_of::<T>())
    {
        return Err(Violation(format!("has {what} of {item_size} bytes each")));
    }
    // SAFETY: each item lies within what the caller says can be read.
    Ok((0..count)
        .map(|i| unsafe { copy(items.byte_add(i * item_size), item_size) })
        .collect())
}

/// Copies a string of at most [`MAX_TEXT`] bytes.
///
/// # Safety
///
/// `text` is null or valid for reads up to a NUL, or of one byte more than that.
unsafe fn string(text: *const c_char, what: &str) -> Result<String, Violation> {
    if text.is_null() {
        return Err(Violation(format!("lacks {what}")));
    }
    let mut bytes = Vec::new();
    loop {
        // SAFETY: no byte before it was the NUL.
        match unsafe { text.add(bytes.len()).cast::<u8>().read() } {
            0 => break,
            byte => bytes.push(byte),
        }
        if bytes.len() > MAX_TEXT {
            return Err(Violation(format!(
                "has more than {MAX_TEXT} bytes in {what}"
            )));
        }
    }
    String::from_utf8(bytes).map_err(|_| Violation(format!("has {what} that is not UTF-8")))
}

/// Runs a call that leaves text, and reads the text in one line.
fn with_text(call: impl FnOnce(*mut abi::Text) -> i32) -> (i32, Result<String, Violation>) {
    let mut room = [0; TEXT_CAPACITY];
    let mut text = abi::Text {
        data: room.as_mut_ptr().cast(),
        capacity: room.len(),
        len: 0,
    };
    let status = call(&raw mut text);
    let said = room
        .get(..text.len)
        .ok_or_else(|| {
            Violation(format!(
                "left {} bytes of text in {TEXT_CAPACITY}",
                text.len
            ))
        })
        .and_then(|bytes| {
            str::from_utf8(bytes)
                .map(one_line)
                .map_err(|_| Violation::new("left text that is not UTF-8"))
        });
    (status, said)
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .trim()
        .into()
}

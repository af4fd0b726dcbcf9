//! The C ABI as Rust types, one for one with `include/compressor_plugin.h`, which documents them.
//!
//! [`LAYOUTS`] and [`CONSTANTS`] repeat sizes, offsets and values as numbers. They are asserted
//! here when this crate is compiled, and against the header by a test.
#![expect(
    missing_docs,
    reason = "the header documents each of these, and is the only place that does"
)]

mod layout;

use std::ffi::c_char;

pub use layout::{LAYOUTS, Layout};

/// The symbol that a plugin exports, with the NUL that a loader wants. The major version is in it.
pub const SYMBOL: &[u8] = b"compressor_plugin_v1\0";

pub const ABI_MAJOR: u16 = 1;
pub const ABI_MINOR: u16 = 1;
pub const HOST_MAGIC: u64 = u64::from_be_bytes(*b"cp-host!");
pub const PLUGIN_MAGIC: u64 = u64::from_be_bytes(*b"cp-plugi");

/// The most bytes before the NUL of a string.
pub const MAX_TEXT: usize = 255;

/// The most items of a list.
pub const MAX_ITEMS: usize = 256;

/// The greatest and, negated, the least level on a plugin's own scale.
pub const MAX_LEVEL: i32 = 1_000_000;

/// Sizes in bytes of the first version that was published, up to the end of its last field: what
/// every plugin and every host states at least. Structs grow, these never do.
pub mod first {
    use std::mem::{offset_of, size_of};

    pub const HOST: usize = offset_of!(super::Host, log) + size_of::<usize>();
    pub const PARAM: usize = offset_of!(super::Param, reserved) + size_of::<u32>();
    pub const PARAM_VALUE: usize = offset_of!(super::ParamValue, reserved) + size_of::<u32>();
    pub const CAPABILITIES: usize =
        offset_of!(super::Capabilities, self_verified) + size_of::<u32>();
    pub const SPEC: usize = offset_of!(super::Spec, dictionary_len) + size_of::<usize>();
    pub const PLUGIN: usize = offset_of!(super::Plugin, decompress_many) + size_of::<usize>();
}

/// Defines the constants of the header's `enum`s, and lists them for comparison.
macro_rules! constants {
    ($($type:ty { $($name:ident = $value:expr),* $(,)? })*) => {
        $($(pub const $name: $type = $value;)*)*

        /// Name and value of each constant that the header defines in an `enum`.
        pub const CONSTANTS: &[(&str, i64)] = &[$($((stringify!($name), $name as i64)),*),*];
    };
}

constants! {
    i32 {
        CP_OK = 0,
        CP_OUTPUT_TOO_SMALL = 1,
        CP_INVALID_ARGUMENT = 2,
        CP_WRONG_DICTIONARY = 3,
        CP_CORRUPT_INPUT = 4,
        CP_UNSUPPORTED = 5,
        CP_BUSY = 6,
        CP_TIMEOUT = 7,
        CP_DEVICE = 8,
        CP_LOST = 9,
        CP_OUT_OF_MEMORY = 10,
        CP_POISONED = 11,
        CP_PANIC = 12,
        CP_ABSENT = 64,
        CP_MISCONFIGURED = 65,
        CP_BROKEN = 66,
        CP_DEGRADED = 67,
        CP_QUARANTINED = 68,
    }
    u32 {
        CP_FORMAT_NONE = 0,
        CP_FORMAT_LZ4_BLOCK = 1,
        CP_FORMAT_LZ4_SIZED = 2,
        CP_FORMAT_ZSTD = 3,
        CP_FORMAT_ZLIB = 4,
        CP_FORMAT_DEFLATE_RAW = 5,
        CP_FORMAT_GZIP = 6,
        CP_FORMAT_SNAPPY = 7,
        CP_COMPRESS = 0,
        CP_DECOMPRESS = 1,
        CP_EFFORT_NONE = 0,
        CP_EFFORT_RATIO = 1,
        CP_EFFORT_BALANCED = 2,
        CP_EFFORT_SPEED = 3,
        CP_DICTIONARY_NONE = 0,
        CP_DICTIONARY_RAW = 1,
        CP_DICTIONARY_TRAINED = 2,
        CP_DICTIONARIES_NONE = 0,
        CP_DICTIONARIES_ANY = 1,
        CP_OUTPUT_EXACT = 0,
        CP_OUTPUT_BOUND = 1,
        CP_ON_CPU = 0,
        CP_OFFLOAD = 1,
        CP_LOG_ERROR = 1,
        CP_LOG_WARN = 2,
        CP_LOG_INFO = 3,
        CP_LOG_DEBUG = 4,
        CP_PARAM_BOOL = 0,
        CP_PARAM_INT = 1,
        CP_PARAM_BYTES = 2,
        CP_PARAM_DURATION = 3,
        CP_PARAM_CHOICE = 4,
        CP_PARAM_TEXT = 5,
    }
}

/// `cp_head`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Head {
    pub struct_size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub magic: u64,
}

/// `cp_text`.
#[repr(C)]
#[derive(Debug)]
pub struct Text {
    pub data: *mut c_char,
    pub capacity: usize,
    pub len: usize,
}

/// `cp_host`.
#[repr(C)]
#[derive(Debug)]
pub struct Host {
    pub head: Head,
    pub name: *const c_char,
    pub log: Option<unsafe extern "C" fn(host: *const Host, level: u32, text: *const c_char)>,
}

/// `cp_param`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: *const c_char,
    pub doc: *const c_char,
    pub default_value: *const c_char,
    pub choices: *const *const c_char,
    pub choice_count: usize,
    pub min: i64,
    pub max: i64,
    pub kind: u32,
    pub reserved: u32,
}

/// `cp_param_value`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ParamValue {
    pub name: *const c_char,
    pub text: *const c_char,
    pub number: i64,
    pub kind: u32,
    pub reserved: u32,
}

/// `cp_effort`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub effort: u32,
    pub priority: i32,
}

/// `cp_loss`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    pub max_input: usize,
    pub max_level: i32,
    pub percent: u32,
}

/// `cp_capabilities`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    pub format: u32,
    pub direction: u32,
    pub min_input: usize,
    pub max_input: usize,
    pub max_output: usize,
    pub window: u64,
    pub min_level: i32,
    pub max_level: i32,
    pub default_level: i32,
    pub dictionaries: u32,
    pub output: u32,
    pub placement: u32,
    pub in_flight: u32,
    pub self_verified: u32,
    pub efforts: *const Effort,
    pub effort_count: usize,
    pub losses: *const Loss,
    pub loss_count: usize,
}

/// `cp_capability_list`.
#[repr(C)]
#[derive(Debug)]
pub struct CapabilityList {
    pub items: *const Capabilities,
    pub count: usize,
    pub item_size: usize,
}

/// `cp_spec`.
#[repr(C)]
#[derive(Debug)]
pub struct Spec {
    pub struct_size: u32,
    pub format: u32,
    pub level: i32,
    pub window_log: u32,
    pub checksum: u32,
    pub dictionary_kind: u32,
    pub dictionary: *const u8,
    pub dictionary_len: usize,
    pub effort: u32,
    pub max_loss: u32,
}

/// `cp_effective`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Effective {
    pub window: u64,
    pub level: i32,
    pub served: u32,
}

/// `cp_result`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OpResult {
    pub len: usize,
    pub native: i32,
    pub reserved: u32,
}

/// `cp_job`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Job {
    pub src: *const u8,
    pub src_len: usize,
    pub dst: *mut u8,
    pub dst_capacity: usize,
    pub result: OpResult,
    pub status: i32,
    pub reserved: u32,
}

/// `cp_factory`, the plugin's own.
#[repr(C)]
#[derive(Debug)]
pub struct Factory {
    opaque: [u8; 0],
}

/// `cp_compressor`, the plugin's own.
#[repr(C)]
#[derive(Debug)]
pub struct Compressor {
    opaque: [u8; 0],
}

/// `cp_session`, the plugin's own.
#[repr(C)]
#[derive(Debug)]
pub struct Session {
    opaque: [u8; 0],
}

/// `cp_plugin`. `None` is the null pointer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    pub head: Head,
    pub id: *const c_char,
    pub description: *const c_char,
    pub formats: *const u32,
    pub format_count: usize,
    pub params: *const Param,
    pub param_count: usize,
    pub param_size: usize,
    pub priority: i32,
    pub reserved: u32,
    pub open: Option<
        unsafe extern "C" fn(
            values: *const ParamValue,
            count: usize,
            value_size: usize,
            factory: *mut *mut Factory,
            why: *mut Text,
        ) -> i32,
    >,
    pub close: Option<unsafe extern "C" fn(factory: *mut Factory) -> i32>,
    pub capabilities:
        Option<unsafe extern "C" fn(factory: *mut Factory, list: *mut CapabilityList) -> i32>,
    pub health: Option<unsafe extern "C" fn(factory: *mut Factory, why: *mut Text) -> i32>,
    pub self_test: Option<
        unsafe extern "C" fn(factory: *mut Factory, native: *mut i32, why: *mut Text) -> i32,
    >,
    pub compressor_new: Option<
        unsafe extern "C" fn(
            factory: *mut Factory,
            spec: *const Spec,
            compressor: *mut *mut Compressor,
            native: *mut i32,
        ) -> i32,
    >,
    pub compressor_free: Option<unsafe extern "C" fn(compressor: *mut Compressor) -> i32>,
    pub effective: Option<
        unsafe extern "C" fn(
            compressor: *mut Compressor,
            direction: u32,
            effective: *mut Effective,
        ) -> i32,
    >,
    pub max_compressed_len: Option<
        unsafe extern "C" fn(compressor: *mut Compressor, src_len: usize, len: *mut usize) -> i32,
    >,
    pub session_new: Option<
        unsafe extern "C" fn(
            compressor: *mut Compressor,
            direction: u32,
            session: *mut *mut Session,
            native: *mut i32,
        ) -> i32,
    >,
    pub session_free: Option<unsafe extern "C" fn(session: *mut Session) -> i32>,
    pub compress: Option<
        unsafe extern "C" fn(
            session: *mut Session,
            src: *const u8,
            src_len: usize,
            dst: *mut u8,
            dst_capacity: usize,
            result: *mut OpResult,
        ) -> i32,
    >,
    pub decompress: Option<
        unsafe extern "C" fn(
            session: *mut Session,
            src: *const u8,
            src_len: usize,
            dst: *mut u8,
            dst_capacity: usize,
            result: *mut OpResult,
        ) -> i32,
    >,
    pub compress_many:
        Option<unsafe extern "C" fn(session: *mut Session, jobs: *mut Job, count: usize) -> i32>,
    pub decompress_many:
        Option<unsafe extern "C" fn(session: *mut Session, jobs: *mut Job, count: usize) -> i32>,
}

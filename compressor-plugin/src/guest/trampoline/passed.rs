//! What the host passes, as the provider takes it.

use std::ffi::{CStr, c_char};
use std::slice;

use compressor_api::{Dictionary, OpenError, Params, ProviderEntry, Spec};

use crate::abi::{
    self, CP_DICTIONARY_NONE, CP_DICTIONARY_RAW, CP_DICTIONARY_TRAINED, CP_PARAM_BOOL,
    CP_PARAM_BYTES, CP_PARAM_CHOICE, CP_PARAM_DURATION, CP_PARAM_INT, CP_PARAM_TEXT, first,
};
use crate::codes;

/// # Safety
///
/// `data` is valid for reads of `len` bytes for as long as `'a`; it may be null if there are none.
pub(super) unsafe fn bytes<'a>(data: *const u8, len: usize) -> &'a [u8] {
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
pub(super) unsafe fn bytes_mut<'a>(data: *mut u8, len: usize) -> &'a mut [u8] {
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
pub(super) unsafe fn spec(spec: *const abi::Spec) -> Option<Spec> {
    // Field by field: a spec of an older host ends earlier than this plugin's.
    // SAFETY: every host states its size, and has at least the fields of the first version.
    let (format, level, window_log, checksum, kind, content) = unsafe {
        if ((*spec).struct_size as usize) < first::SPEC {
            return None;
        }
        (
            codes::format((*spec).format)?,
            (*spec).level,
            u8::try_from((*spec).window_log).ok()?,
            (*spec).checksum,
            (*spec).dictionary_kind,
            bytes((*spec).dictionary, (*spec).dictionary_len),
        )
    };
    let mut spec = Spec::new(format).with_level(level).ok()?;
    if window_log != 0 {
        spec = spec.with_window_log(window_log).ok()?;
    }
    // The other formats have no choice, so that their default says the same.
    spec = match checksum {
        0 => spec.clone().with_checksum(false).unwrap_or(spec),
        1 => spec.clone().with_checksum(true).unwrap_or(spec),
        _ => return None,
    };
    let dictionary = match kind {
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
pub(super) unsafe fn params(
    entry: &ProviderEntry,
    values: *const abi::ParamValue,
    count: usize,
    size: usize,
) -> Result<Params, OpenError> {
    let misconfigured = |why: &str| OpenError::Misconfigured { why: why.into() };
    if count > 0 && size < first::PARAM_VALUE {
        return Err(misconfigured("the host's parameter values are too short"));
    }
    let mut given: Vec<(String, String)> = Vec::with_capacity(entry.params.len());
    for i in 0..count {
        // SAFETY: the caller says so; each value has at least the fields of the first version.
        let (name, text, number, kind) = unsafe {
            let value = values.byte_add(i * size);
            (
                string((*value).name),
                string((*value).text),
                (*value).number,
                (*value).kind,
            )
        };
        let text = match (kind, text) {
            (CP_PARAM_BOOL, _) => Some((number != 0).to_string()),
            (CP_PARAM_INT | CP_PARAM_BYTES, _) => Some(number.to_string()),
            (CP_PARAM_DURATION, _) => Some(format!("{number}ns")),
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

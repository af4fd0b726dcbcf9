//! What the host passes, as the provider takes it.

use std::ffi::{CStr, c_char};
use std::slice;

use compressor_api::{Dictionary, OpenError, Params, ProviderEntry, Spec};

use crate::abi::{
    self, CP_DICTIONARY_NONE, CP_DICTIONARY_RAW, CP_DICTIONARY_TRAINED, CP_PARAM_BOOL,
    CP_PARAM_BYTES, CP_PARAM_CHOICE, CP_PARAM_DURATION, CP_PARAM_INT, CP_PARAM_TEXT,
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
pub(super) unsafe fn params(
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

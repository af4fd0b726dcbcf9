//! What the table of a Rust plugin says. Built once; all that it points to is leaked, as the ABI
//! wants it: valid until the process ends.

use std::ffi::{CString, c_char};
use std::ptr;

use compressor_api::{ParamKind, ParamSpec, ProviderEntry};

use crate::abi::{
    self, ABI_MAJOR, ABI_MINOR, CP_PARAM_BOOL, CP_PARAM_BYTES, CP_PARAM_CHOICE, CP_PARAM_DURATION,
    CP_PARAM_INT, CP_PARAM_TEXT, Head, MAX_ITEMS, MAX_TEXT, PLUGIN_MAGIC,
};
use crate::codes;

/// The part of the table that describes `entry`; its functions are left out.
///
/// # Errors
///
/// What the ABI cannot carry, in words.
pub(super) fn describe(entry: &ProviderEntry) -> Result<abi::Plugin, String> {
    let params = entry
        .params
        .iter()
        .map(param)
        .collect::<Result<Vec<_>, _>>()?;
    let params: &'static [abi::Param] = list(params)?;
    let formats: Vec<u32> = entry.formats.iter().map(|f| u32::from(f.id())).collect();
    let formats: &'static [u32] = list(formats)?;
    Ok(abi::Plugin {
        head: Head {
            // The table has far fewer bytes than 2³².
            struct_size: size_of::<abi::Plugin>() as u32,
            abi_major: ABI_MAJOR,
            abi_minor: ABI_MINOR,
            magic: PLUGIN_MAGIC,
        },
        id: text(entry.id.as_str())?,
        description: text(entry.description)?,
        formats: formats.as_ptr(),
        format_count: formats.len(),
        params: params.as_ptr(),
        param_count: params.len(),
        param_size: size_of::<abi::Param>(),
        priority: i32::from(entry.priority),
        reserved: 0,
        open: None,
        close: None,
        capabilities: None,
        health: None,
        self_test: None,
        compressor_new: None,
        compressor_free: None,
        effective: None,
        max_compressed_len: None,
        session_new: None,
        session_free: None,
        compress: None,
        decompress: None,
        compress_many: None,
        decompress_many: None,
    })
}

fn param(spec: &ParamSpec) -> Result<abi::Param, String> {
    let (kind, min, max, words) = match spec.kind {
        ParamKind::Bool => (CP_PARAM_BOOL, 0, 1, &[][..]),
        ParamKind::Int { min, max } => (CP_PARAM_INT, min, max, &[][..]),
        ParamKind::Bytes { min, max } => (
            CP_PARAM_BYTES,
            codes::bytes(min),
            codes::bytes(max),
            &[][..],
        ),
        ParamKind::Duration { min, max } => (
            CP_PARAM_DURATION,
            codes::nanos(min),
            codes::nanos(max),
            &[][..],
        ),
        ParamKind::Choice(words) => (CP_PARAM_CHOICE, 0, 0, words),
        ParamKind::Text => (CP_PARAM_TEXT, 0, 0, &[][..]),
        _ => return Err(format!("the ABI has no kind for parameter {}", spec.name)),
    };
    let choices = words
        .iter()
        .map(|word| text(word))
        .collect::<Result<Vec<_>, _>>()?;
    let choices: &'static [*const c_char] = list(choices)?;
    Ok(abi::Param {
        name: text(spec.name)?,
        doc: text(spec.doc)?,
        default_value: text(spec.default)?,
        choices: if choices.is_empty() {
            ptr::null()
        } else {
            choices.as_ptr()
        },
        choice_count: choices.len(),
        min,
        max,
        kind,
        reserved: 0,
    })
}

/// A leaked list.
fn list<T>(items: Vec<T>) -> Result<&'static [T], String> {
    if items.len() > MAX_ITEMS {
        return Err(format!("has a list of more than {MAX_ITEMS} items"));
    }
    Ok(items.leak())
}

/// A leaked C string.
fn text(text: &str) -> Result<*const c_char, String> {
    if text.len() > MAX_TEXT {
        return Err(format!("longer than {MAX_TEXT} bytes: {text:?}"));
    }
    CString::new(text)
        .map(|text| text.into_raw().cast_const())
        .map_err(|_| format!("has a NUL inside: {text:?}"))
}

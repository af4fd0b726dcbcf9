//! What the host passes, as the provider takes it.

use std::ffi::{CStr, c_char};
use std::mem::offset_of;
use std::slice;

use compressor_api::{Dictionary, OpenError, Params, ProviderEntry, Spec};

use crate::abi::{
    self, CP_DICTIONARY_NONE, CP_DICTIONARY_RAW, CP_DICTIONARY_TRAINED, CP_EFFORT_NONE,
    CP_PARAM_BOOL, CP_PARAM_BYTES, CP_PARAM_CHOICE, CP_PARAM_DURATION, CP_PARAM_INT, CP_PARAM_TEXT,
    first,
};
use crate::codes;

/// Size in bytes of a spec that carries an effort: since minor version 1.
const SPEC_WITH_EFFORT: usize = offset_of!(abi::Spec, max_loss) + size_of::<u32>();

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
    let (size, format, level, window_log, checksum, kind, content) = unsafe {
        let size = (*spec).struct_size as usize;
        if size < first::SPEC {
            return None;
        }
        (
            size,
            codes::format((*spec).format)?,
            (*spec).level,
            u8::try_from((*spec).window_log).ok()?,
            (*spec).checksum,
            (*spec).dictionary_kind,
            bytes((*spec).dictionary, (*spec).dictionary_len),
        )
    };
    let (effort, max_loss) = if size < SPEC_WITH_EFFORT {
        (CP_EFFORT_NONE, 0)
    } else {
        // SAFETY: so large a spec has these as well.
        unsafe { ((*spec).effort, (*spec).max_loss) }
    };
    let mut spec = Spec::new(format).with_level(level).ok()?;
    if effort != CP_EFFORT_NONE {
        let max_loss = u8::try_from(max_loss).ok()?;
        spec = spec
            .with_effort(codes::effort(effort)?)
            .with_max_loss(max_loss)
            .ok()?;
    }
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

#[cfg(test)]
mod tests {
    use std::ptr;

    use compressor_api::{Effort, Format};

    use super::*;

    const SPEED: abi::Spec = abi::Spec {
        struct_size: size_of::<abi::Spec>() as u32,
        format: abi::CP_FORMAT_ZLIB,
        level: 4,
        window_log: 0,
        checksum: 1,
        dictionary_kind: CP_DICTIONARY_NONE,
        dictionary: ptr::null(),
        dictionary_len: 0,
        effort: abi::CP_EFFORT_SPEED,
        max_loss: 25,
    };

    #[test]
    fn efforts_and_losses_are_taken_as_far_as_there_are_such() {
        let taken = |effort, max_loss| {
            let passed = abi::Spec {
                effort,
                max_loss,
                ..SPEED
            };
            // SAFETY: a whole spec.
            let spec = unsafe { spec(&raw const passed) }?;
            Some((spec.effort(), spec.max_loss()))
        };
        let speed = abi::CP_EFFORT_SPEED;
        assert_eq!(taken(speed, 25), Some((Some(Effort::Speed), 25)));
        assert_eq!(taken(CP_EFFORT_NONE, 0), Some((None, 0)));
        assert_eq!(taken(CP_EFFORT_NONE, u32::MAX), Some((None, 0)));
        for (effort, max_loss) in [(4, 0), (u32::MAX, 0), (speed, 101), (speed, 256)] {
            assert_eq!(taken(effort, max_loss), None, "{effort} {max_loss}");
        }
    }

    #[test]
    fn a_spec_of_the_first_version_ends_before_the_effort() {
        for (stated, taken) in [(first::SPEC, true), (first::SPEC - 8, false)] {
            // No longer than that, so that Miri and the sanitizer see who reads on.
            let mut older = vec![0_u64; first::SPEC / 8];
            let whole = abi::Spec {
                struct_size: stated as u32,
                ..SPEED
            };
            // SAFETY: so many bytes are in both.
            unsafe {
                ptr::copy_nonoverlapping(
                    (&raw const whole).cast::<u8>(),
                    older.as_mut_ptr().cast(),
                    first::SPEC,
                );
            }
            // SAFETY: it has the bytes that it states, and no dictionary.
            let spec = unsafe { spec(older.as_ptr().cast()) };
            let expected = Spec::new(Format::Zlib).with_level(4).unwrap();
            assert_eq!(spec, taken.then_some(expected));
        }
    }
}

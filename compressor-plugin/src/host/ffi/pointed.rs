//! What a plugin points to: copied, and checked as far as it can be.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr;

use crate::abi::{self, MAX_TEXT};
use crate::host::description::{few, too_long};
use crate::host::error::Violation;
use crate::text::printed;

/// Room for the text of a rare call, in bytes.
const TEXT_CAPACITY: usize = 512;

/// Greatest size of an item of a list, in bytes: far more than anybody needs, far less than a number
/// that was never set.
const MAX_ITEM_SIZE: usize = 4096;

/// Copies as much of a struct as its side states; what lies beyond is zero.
///
/// # Safety
///
/// `from` is valid for reads of `size` bytes, and zero is a value of every field of `T`.
pub(super) unsafe fn copy<T>(from: *const T, size: usize) -> T {
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

/// Copies a list whose items lie `item_size` bytes apart, at `least` what the first version had.
///
/// # Safety
///
/// `items` is null or valid for reads of `count` items, and zero is a value of every field of `T`.
pub(super) unsafe fn list<T>(
    items: *const T,
    count: usize,
    item_size: usize,
    least: usize,
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
    few(count, what)?;
    if !(least..=MAX_ITEM_SIZE).contains(&item_size) || !item_size.is_multiple_of(align_of::<T>()) {
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
pub(super) unsafe fn string(text: *const c_char, what: &str) -> Result<String, Violation> {
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
            return Err(too_long(what));
        }
    }
    String::from_utf8(bytes).map_err(|_| Violation(format!("has {what} that is not UTF-8")))
}

/// Runs a call that leaves text, and reads the text in one line.
pub(super) fn with_text(
    call: impl FnOnce(*mut abi::Text) -> i32,
) -> (i32, Result<String, Violation>) {
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

pub(super) fn one_line(text: &str) -> String {
    printed(text).trim().into()
}

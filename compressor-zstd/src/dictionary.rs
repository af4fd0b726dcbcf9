//! Dictionaries as libzstd digests them, one kind per direction: never written to once made, shared
//! by every session.

use std::ptr::NonNull;

use compressor_api::{Dictionary, DictionaryKind, Error, ErrorKind};

use crate::error::ID;

/// A dictionary to compress with, at one level.
#[derive(Debug)]
pub(crate) struct CDict(NonNull<zstd_sys::ZSTD_CDict>);

// SAFETY: owns its memory, and is tied to no thread.
unsafe impl Send for CDict {}
// SAFETY: the library only reads it, from any number of contexts.
unsafe impl Sync for CDict {}

impl CDict {
    pub(crate) fn new(dictionary: &Dictionary, level: i32) -> Result<Self, Error> {
        let bytes = dictionary.bytes();
        // SAFETY: pointer and length are those of a live slice, which is copied.
        let digested =
            unsafe { zstd_sys::ZSTD_createCDict(bytes.as_ptr().cast(), bytes.len(), level) };
        NonNull::new(digested)
            .map(Self)
            .ok_or_else(|| refused(dictionary))
    }

    pub(crate) fn as_ptr(&self) -> *const zstd_sys::ZSTD_CDict {
        self.0.as_ptr()
    }
}

impl Drop for CDict {
    fn drop(&mut self) {
        // SAFETY: made by `new`, freed once; every context that points here holds an `Arc` to it.
        unsafe { zstd_sys::ZSTD_freeCDict(self.0.as_ptr()) };
    }
}

/// A dictionary to decompress with.
#[derive(Debug)]
pub(crate) struct DDict {
    digested: NonNull<zstd_sys::ZSTD_DDict>,
    id: Option<u32>,
}

// SAFETY: owns its memory, and is tied to no thread.
unsafe impl Send for DDict {}
// SAFETY: the library only reads it, from any number of contexts.
unsafe impl Sync for DDict {}

impl DDict {
    pub(crate) fn new(dictionary: &Dictionary) -> Result<Self, Error> {
        let bytes = dictionary.bytes();
        // SAFETY: pointer and length are those of a live slice, which is copied.
        let digested = unsafe { zstd_sys::ZSTD_createDDict(bytes.as_ptr().cast(), bytes.len()) };
        Ok(Self {
            digested: NonNull::new(digested).ok_or_else(|| refused(dictionary))?,
            id: dictionary.id(),
        })
    }

    pub(crate) fn as_ptr(&self) -> *const zstd_sys::ZSTD_DDict {
        self.digested.as_ptr()
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.id
    }
}

impl Drop for DDict {
    fn drop(&mut self) {
        // SAFETY: made by `new`, freed once; every context that points here holds an `Arc` to it.
        unsafe { zstd_sys::ZSTD_freeDDict(self.digested.as_ptr()) };
    }
}

/// Why the library made nothing of a dictionary; it does not say. Raw content cannot be wrong, the
/// tables of a trained dictionary can.
fn refused(dictionary: &Dictionary) -> Error {
    let kind = match dictionary.kind() {
        DictionaryKind::Raw => ErrorKind::OutOfMemory,
        DictionaryKind::Trained { .. } => ErrorKind::InvalidArgument,
    };
    Error::new(kind, ID)
}

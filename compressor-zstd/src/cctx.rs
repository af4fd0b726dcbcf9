use std::ffi::c_int;
use std::ptr::NonNull;
use std::sync::Arc;

use compressor_api::{Direction, Error, ErrorKind, Spec};
use zstd_sys::ZSTD_cParameter::{
    self, ZSTD_c_checksumFlag, ZSTD_c_compressionLevel, ZSTD_c_contentSizeFlag, ZSTD_c_windowLog,
};

use crate::dictionary::CDict;
use crate::effort;
use crate::error::{ID, check, code};
use crate::memory::Memory;

/// The longest `src`: no slice is longer. The library takes nearly twice that.
pub(crate) const MAX_SRC_LEN: usize = isize::MAX.unsigned_abs();

/// The `dst` length with which compressing never fails for want of room; `None` above
/// [`MAX_SRC_LEN`].
pub(crate) fn bound(src_len: usize) -> Option<usize> {
    if src_len > MAX_SRC_LEN {
        return None;
    }
    // SAFETY: pure function of a number.
    let bound = unsafe { zstd_sys::ZSTD_compressBound(src_len) };
    code(bound).is_none().then_some(bound)
}

/// The level that the library uses for `level`: 0 is its default.
pub(crate) fn effective_level(level: i32) -> i32 {
    match level {
        // SAFETY: returns a constant.
        0 => unsafe { zstd_sys::ZSTD_defaultCLevel() },
        level => level,
    }
}

/// Base-2 logarithm of the largest window at a level: that for content of unknown length. Shorter
/// content gets a smaller one.
pub(crate) fn window_log(level: i32) -> u32 {
    // SAFETY: pure function of numbers; 0 stands for "unknown" and "no dictionary".
    unsafe { zstd_sys::ZSTD_getCParams(level, 0, 0) }.windowLog
}

/// A compression context with its parameters set, which stay set from frame to frame.
pub(crate) struct CCtx {
    context: NonNull<zstd_sys::ZSTD_CCtx>,
    /// The context points into it.
    _dictionary: Option<Arc<CDict>>,
    /// The context allocates from it.
    _memory: Memory,
}

// SAFETY: a context is tied to no thread, its allocator is used only by calls on it, and a digested
// dictionary is never written to.
unsafe impl Send for CCtx {}

impl CCtx {
    pub(crate) fn new(spec: &Spec, dictionary: Option<Arc<CDict>>) -> Result<Self, Error> {
        let memory = Memory::new();
        // SAFETY: the context lives in `CCtx` beside its memory, is used through `&mut` alone, and is
        // freed first.
        let context = unsafe { zstd_sys::ZSTD_createCCtx_advanced(memory.hooks()) };
        let mut this = Self {
            context: NonNull::new(context).ok_or(Error::new(ErrorKind::OutOfMemory, ID))?,
            _dictionary: dictionary.clone(),
            _memory: memory,
        };
        this.set(ZSTD_c_compressionLevel, effort::level(spec))?;
        this.set(ZSTD_c_contentSizeFlag, 1)?;
        this.set(ZSTD_c_checksumFlag, c_int::from(spec.checksum()))?;
        if let Some(window_log) = spec.window_log() {
            this.set(ZSTD_c_windowLog, c_int::from(window_log))?;
        }
        if let Some(dictionary) = dictionary {
            // SAFETY: both are there, and `_dictionary` keeps the second as long as the first.
            let result =
                unsafe { zstd_sys::ZSTD_CCtx_refCDict(this.context.as_ptr(), dictionary.as_ptr()) };
            check(result, Direction::Compress)?;
        }
        Ok(this)
    }

    fn set(&mut self, parameter: ZSTD_cParameter, value: c_int) -> Result<(), Error> {
        // SAFETY: the context is there; the library checks the value.
        let result =
            unsafe { zstd_sys::ZSTD_CCtx_setParameter(self.context.as_ptr(), parameter, value) };
        check(result, Direction::Compress).map(drop)
    }

    /// Compresses `src` into one frame at the start of `dst`; returns the frame's length.
    ///
    /// Starts with a reset of what the call before left, however that one ended.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        // SAFETY: the pointers and lengths are those of live slices that do not overlap; the library
        // reads `src`, writes within `dst`, and follows neither pointer after it returned.
        let result = unsafe {
            zstd_sys::ZSTD_compress2(
                self.context.as_ptr(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                src.as_ptr().cast(),
                src.len(),
            )
        };
        check(result, Direction::Compress)
    }
}

impl Drop for CCtx {
    fn drop(&mut self) {
        // SAFETY: made by `new`, freed once, and before the memory it came from.
        unsafe { zstd_sys::ZSTD_freeCCtx(self.context.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_a_slice_can_have_is_bounded() {
        assert_eq!(bound(0), Some(64));
        assert_eq!(bound(128 << 10), Some((128 << 10) + 512));
        assert!(bound(MAX_SRC_LEN).is_some_and(|bound| bound > MAX_SRC_LEN));
        assert_eq!(bound(MAX_SRC_LEN + 1), None);
        assert_eq!(bound(usize::MAX), None);
    }

    #[test]
    fn levels_have_the_windows_that_the_library_documents() {
        for (level, window) in [
            (-131_072, 19),
            (-1, 19),
            (1, 19),
            (3, 21),
            (19, 23),
            (22, 27),
        ] {
            assert_eq!(window_log(level), window, "level {level}");
        }
        assert_eq!(effective_level(0), 3);
        assert_eq!(effective_level(-7), -7);
    }
}

use std::ptr::NonNull;
use std::sync::Arc;

use compressor_api::{Direction, Error, ErrorKind};

use crate::dictionary::DDict;
use crate::error::{ID, check};

/// The largest window that the library takes, in bytes: a base of `1 << ZSTD_WINDOWLOG_MAX` with
/// seven eighths of it on top (RFC 8878, section 3.1.1.1.2).
pub(crate) const MAX_WINDOW: u64 = 15 << (WINDOW_LOG_MAX - 3);

/// `ZSTD_WINDOWLOG_MAX`, a macro of `zstd.h`.
const WINDOW_LOG_MAX: u32 = if usize::BITS == 32 {
    zstd_sys::ZSTD_WINDOWLOG_MAX_32
} else {
    zstd_sys::ZSTD_WINDOWLOG_MAX_64
};

/// A decompression context. It keeps no window: content is decoded in place, in one call.
pub(crate) struct DCtx {
    context: NonNull<zstd_sys::ZSTD_DCtx>,
    /// The context points into it.
    dictionary: Option<Arc<DDict>>,
}

// SAFETY: a context is tied to no thread, and a digested dictionary is never written to.
unsafe impl Send for DCtx {}

impl DCtx {
    pub(crate) fn new(dictionary: Option<Arc<DDict>>) -> Result<Self, Error> {
        // SAFETY: needs nothing.
        let context = unsafe { zstd_sys::ZSTD_createDCtx() };
        let this = Self {
            context: NonNull::new(context).ok_or(Error::new(ErrorKind::OutOfMemory, ID))?,
            dictionary,
        };
        if let Some(dictionary) = &this.dictionary {
            // SAFETY: both are there, and `dictionary` keeps the second as long as the first.
            let result =
                unsafe { zstd_sys::ZSTD_DCtx_refDDict(this.context.as_ptr(), dictionary.as_ptr()) };
            check(result, Direction::Decompress)?;
        }
        Ok(this)
    }

    /// The id of the dictionary, if it is a trained one.
    pub(crate) fn dictionary_id(&self) -> Option<u32> {
        self.dictionary.as_ref()?.id()
    }

    /// Decompresses the frames in `src` to the start of `dst`; returns the content's length.
    ///
    /// Starts every frame anew, however the call before ended.
    pub(crate) fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        // SAFETY: the pointers and lengths are those of live slices that do not overlap; the library
        // reads `src`, writes within `dst`, and follows neither pointer after it returned.
        let result = unsafe {
            zstd_sys::ZSTD_decompressDCtx(
                self.context.as_ptr(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                src.as_ptr().cast(),
                src.len(),
            )
        };
        check(result, Direction::Decompress)
    }
}

impl Drop for DCtx {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed once.
        unsafe { zstd_sys::ZSTD_freeDCtx(self.context.as_ptr()) };
    }
}

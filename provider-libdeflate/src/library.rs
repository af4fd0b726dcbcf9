//! The one place that talks to libdeflate.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use compressor_api::Format;
use libdeflate_sys as sys;

/// What a decompression that failed says: one of libdeflate's results other than success.
pub(crate) type Code = sys::libdeflate_result;

/// A libdeflate compressor of one level.
pub(crate) struct Deflater {
    handle: NonNull<sys::libdeflate_compressor>,
}

// SAFETY: libdeflate ties a compressor to no thread, and the handle is used by `&mut` only.
unsafe impl Send for Deflater {}

impl Deflater {
    /// `None` if there is no memory for it, or no such level.
    pub(crate) fn new(level: c_int) -> Option<Self> {
        // SAFETY: takes any level; those that it does not have give null.
        let handle = unsafe { sys::libdeflate_alloc_compressor(level) };
        Some(Self {
            handle: NonNull::new(handle)?,
        })
    }

    /// Writes `src` as one unit of `format` to `dst`; `None` if it does not fit.
    pub(crate) fn compress(&mut self, format: Format, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let compress = match format {
            Format::Gzip => sys::libdeflate_gzip_compress,
            Format::DeflateRaw => sys::libdeflate_deflate_compress,
            _ => sys::libdeflate_zlib_compress,
        };
        // SAFETY: the handle is live; libdeflate reads within `src`, writes within `dst`, and
        // keeps neither.
        let written = unsafe {
            compress(
                self.handle.as_ptr(),
                src.as_ptr().cast(),
                src.len(),
                dst.as_mut_ptr().cast(),
                dst.len(),
            )
        };
        (written > 0).then_some(written)
    }
}

impl Drop for Deflater {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and nobody uses it after this.
        unsafe { sys::libdeflate_free_compressor(self.handle.as_ptr()) }
    }
}

/// The most that `src_len` bytes compress to; `None` beyond what a slice can hold.
pub(crate) fn max_compressed_len(format: Format, src_len: usize) -> Option<usize> {
    // libdeflate does not look whether it wraps; below this it cannot.
    isize::try_from(src_len).ok()?;
    let bound = match format {
        Format::Gzip => sys::libdeflate_gzip_compress_bound,
        Format::DeflateRaw => sys::libdeflate_deflate_compress_bound,
        _ => sys::libdeflate_zlib_compress_bound,
    };
    // SAFETY: without a compressor it answers for all levels, and touches no memory.
    let bound = unsafe { bound(ptr::null_mut(), src_len) };
    isize::try_from(bound).ok()?;
    Some(bound)
}

/// A libdeflate decompressor.
pub(crate) struct Inflater {
    handle: NonNull<sys::libdeflate_decompressor>,
}

// SAFETY: as for `Deflater`.
unsafe impl Send for Inflater {}

/// A raw Deflate stream that was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inflated {
    /// Bytes of the input that belong to it.
    pub(crate) read: usize,
    /// Bytes of content.
    pub(crate) written: usize,
}

impl Inflater {
    /// `None` if there is no memory for it.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: no arguments.
        let handle = unsafe { sys::libdeflate_alloc_decompressor() };
        Some(Self {
            handle: NonNull::new(handle)?,
        })
    }

    /// Reads the raw Deflate stream at the start of `src`, and ignores what follows it.
    pub(crate) fn inflate(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Inflated, Code> {
        let (mut read, mut written) = (0, 0);
        // SAFETY: the handle is live; libdeflate reads within `src`, writes within `dst` and to
        // the two counts, and keeps none of them.
        let result = unsafe {
            sys::libdeflate_deflate_decompress_ex(
                self.handle.as_ptr(),
                src.as_ptr().cast(),
                src.len(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                &raw mut read,
                &raw mut written,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => Ok(Inflated { read, written }),
            code => Err(code),
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: the handle is live, and nobody uses it after this.
        unsafe { sys::libdeflate_free_decompressor(self.handle.as_ptr()) }
    }
}

/// The checksum in a `zlib` trailer.
pub(crate) fn adler32(content: &[u8]) -> u32 {
    // SAFETY: reads within `content`.
    unsafe { sys::libdeflate_adler32(1, content.as_ptr().cast(), content.len()) }
}

/// The checksum in a `gzip` trailer.
pub(crate) fn crc32(content: &[u8]) -> u32 {
    // SAFETY: reads within `content`.
    unsafe { sys::libdeflate_crc32(0, content.as_ptr().cast(), content.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_compressor_for_each_level_and_for_no_other() {
        for level in 0..=12 {
            assert!(Deflater::new(level).is_some(), "level {level}");
        }
        for level in [-2, 13] {
            assert!(Deflater::new(level).is_none(), "level {level}");
        }
    }

    #[test]
    fn checksums_are_those_of_the_formats() {
        assert_eq!(adler32(b""), 1);
        assert_eq!(adler32(b"abc"), 0x024D_0127);
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"abc"), 0x3524_41C2);
    }
}

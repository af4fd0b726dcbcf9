//! `zlib`, `deflate-raw` and `gzip`: libdeflate.

use std::ffi::c_int;
use std::ptr::NonNull;

use compressor_api::Format;
use libdeflate_sys as sys;

use super::Direct;

pub struct Libdeflate {
    format: Format,
    compressor: NonNull<sys::libdeflate_compressor>,
    decompressor: NonNull<sys::libdeflate_decompressor>,
}

impl Libdeflate {
    /// `level` is one of libdeflate's.
    pub fn new(format: Format, level: c_int) -> Self {
        // SAFETY: take any level, and give null for one that does not exist.
        let (compressor, decompressor) = unsafe {
            (
                sys::libdeflate_alloc_compressor(level),
                sys::libdeflate_alloc_decompressor(),
            )
        };
        Self {
            format,
            compressor: NonNull::new(compressor).expect("memory, and a level"),
            decompressor: NonNull::new(decompressor).expect("memory"),
        }
    }
}

impl Direct for Libdeflate {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        let compress = match self.format {
            Format::DeflateRaw => sys::libdeflate_deflate_compress,
            Format::Gzip => sys::libdeflate_gzip_compress,
            _ => sys::libdeflate_zlib_compress,
        };
        // SAFETY: the compressor is live, and pointers and lengths are those of live slices that do
        // not overlap.
        let written = unsafe {
            compress(
                self.compressor.as_ptr(),
                src.as_ptr().cast(),
                src.len(),
                dst.as_mut_ptr().cast(),
                dst.len(),
            )
        };
        assert!(written > 0);
        written
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> usize {
        let decompress = match self.format {
            Format::DeflateRaw => sys::libdeflate_deflate_decompress,
            Format::Gzip => sys::libdeflate_gzip_decompress,
            _ => sys::libdeflate_zlib_decompress,
        };
        let mut written = 0;
        // SAFETY: as in `compress`; the length goes to a live number.
        let result = unsafe {
            decompress(
                self.decompressor.as_ptr(),
                unit.as_ptr().cast(),
                unit.len(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                &mut written,
            )
        };
        assert_eq!(result, sys::libdeflate_result_LIBDEFLATE_SUCCESS);
        written
    }
}

impl Drop for Libdeflate {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed once.
        unsafe {
            sys::libdeflate_free_compressor(self.compressor.as_ptr());
            sys::libdeflate_free_decompressor(self.decompressor.as_ptr());
        }
    }
}

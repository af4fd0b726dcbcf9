//! `zstd`: libzstd, level 3, with content size and checksum.

use std::ptr::NonNull;

use zstd_sys::ZSTD_cParameter::{
    ZSTD_c_checksumFlag, ZSTD_c_compressionLevel, ZSTD_c_contentSizeFlag,
};

use super::Direct;

pub struct Zstd {
    cctx: NonNull<zstd_sys::ZSTD_CCtx>,
    dctx: NonNull<zstd_sys::ZSTD_DCtx>,
}

impl Zstd {
    pub fn new(level: i32) -> Self {
        // SAFETY: needs nothing.
        let (cctx, dctx) = unsafe { (zstd_sys::ZSTD_createCCtx(), zstd_sys::ZSTD_createDCtx()) };
        let cctx = NonNull::new(cctx).expect("memory");
        let dctx = NonNull::new(dctx).expect("memory");
        for (parameter, value) in [
            (ZSTD_c_compressionLevel, level),
            (ZSTD_c_contentSizeFlag, 1),
            (ZSTD_c_checksumFlag, 1),
        ] {
            // SAFETY: the context is live.
            checked(unsafe { zstd_sys::ZSTD_CCtx_setParameter(cctx.as_ptr(), parameter, value) });
        }
        Self { cctx, dctx }
    }
}

impl Direct for Zstd {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        // SAFETY: the context is live, and pointers and lengths are those of live slices that do
        // not overlap.
        checked(unsafe {
            zstd_sys::ZSTD_compress2(
                self.cctx.as_ptr(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                src.as_ptr().cast(),
                src.len(),
            )
        })
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> usize {
        // SAFETY: as in `compress`.
        checked(unsafe {
            zstd_sys::ZSTD_decompressDCtx(
                self.dctx.as_ptr(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                unit.as_ptr().cast(),
                unit.len(),
            )
        })
    }
}

impl Drop for Zstd {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and freed once.
        unsafe {
            zstd_sys::ZSTD_freeCCtx(self.cctx.as_ptr());
            zstd_sys::ZSTD_freeDCtx(self.dctx.as_ptr());
        }
    }
}

fn checked(result: usize) -> usize {
    // SAFETY: a pure function.
    assert_eq!(unsafe { zstd_sys::ZSTD_isError(result) }, 0);
    result
}

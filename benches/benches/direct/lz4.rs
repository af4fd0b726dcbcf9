//! `lz4-block` and `lz4-sized`: liblz4, fast, without acceleration.

use std::ffi::{c_char, c_int, c_void};

use super::Direct;

unsafe extern "C" {
    // From lz4.h of liblz4 1.10.0; lz4-sys links them and does not declare them.
    safe fn LZ4_sizeofState() -> c_int;
    fn LZ4_initStream(buffer: *mut c_void, size: usize) -> *mut c_void;
    fn LZ4_compress_fast_extState(
        state: *mut c_void,
        src: *const c_char,
        dst: *mut c_char,
        src_size: c_int,
        dst_capacity: c_int,
        acceleration: c_int,
    ) -> c_int;
}

pub struct Lz4 {
    /// In units of 8 bytes, for its alignment.
    state: Vec<u64>,
    /// Bytes before the block: 4 for `lz4-sized`.
    prefix: usize,
}

impl Lz4 {
    /// `lz4-block`.
    pub fn block() -> Self {
        Self::new(0)
    }

    /// `lz4-sized`.
    pub fn sized() -> Self {
        Self::new(4)
    }

    fn new(prefix: usize) -> Self {
        let mut state = vec![0_u64; (LZ4_sizeofState() as usize).div_ceil(8)];
        // SAFETY: the memory is of that many bytes, aligned to 8.
        let initialised = unsafe { LZ4_initStream(state.as_mut_ptr().cast(), state.len() * 8) };
        assert!(!initialised.is_null());
        Self { state, prefix }
    }
}

impl Direct for Lz4 {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        let (prefix, block) = dst.split_at_mut(self.prefix);
        prefix.copy_from_slice(&(src.len() as u32).to_le_bytes()[..prefix.len()]);
        // SAFETY: the state was initialised, and pointers and lengths are those of live slices that
        // do not overlap.
        let written = unsafe {
            LZ4_compress_fast_extState(
                self.state.as_mut_ptr().cast(),
                src.as_ptr().cast(),
                block.as_mut_ptr().cast(),
                src.len() as c_int,
                block.len() as c_int,
                1,
            )
        };
        assert!(written > 0);
        self.prefix + written as usize
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> usize {
        let (prefix, block) = unit.split_at(self.prefix);
        if let Ok(prefix) = prefix.try_into() {
            assert_eq!(u32::from_le_bytes(prefix) as usize, dst.len());
        }
        // SAFETY: pointers and lengths are those of live slices that do not overlap.
        let written = unsafe {
            lz4_sys::LZ4_decompress_safe(
                block.as_ptr().cast(),
                dst.as_mut_ptr().cast(),
                block.len() as c_int,
                dst.len() as c_int,
            )
        };
        assert!(written >= 0);
        written as usize
    }
}

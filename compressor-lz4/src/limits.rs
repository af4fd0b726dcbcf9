//! What liblz4's C interface can hold.

use std::ffi::c_int;

/// The most bytes that can be compressed at once: `LZ4_MAX_INPUT_SIZE` in lz4.h.
pub(crate) const MAX_CONTENT: usize = 0x7E00_0000;

/// The greatest length that the interface can say.
pub(crate) const MAX_LEN: usize = c_int::MAX as usize;

/// The most bytes that `src_len` bytes compress to, as `LZ4_COMPRESSBOUND` in lz4.h; `None` beyond
/// [`MAX_CONTENT`].
pub(crate) fn compress_bound(src_len: usize) -> Option<usize> {
    (src_len <= MAX_CONTENT).then(|| src_len + src_len / 255 + 16)
}

/// The length of an input; `None` beyond [`MAX_LEN`].
pub(crate) fn input_len(src: &[u8]) -> Option<c_int> {
    c_int::try_from(src.len()).ok()
}

/// The length of an output, of which no more than [`MAX_LEN`] is used.
pub(crate) fn output_len(dst: &[u8]) -> c_int {
    c_int::try_from(dst.len()).unwrap_or(c_int::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_librarys() {
        for len in [0, 1, 254, 255, 256, 65_536, MAX_CONTENT - 1, MAX_CONTENT] {
            // SAFETY: a pure function of its argument.
            let bound = unsafe { lz4_sys::LZ4_compressBound(c_int::try_from(len).unwrap()) };
            assert_eq!(
                compress_bound(len),
                Some(usize::try_from(bound).unwrap()),
                "{len}"
            );
        }
        // SAFETY: as above.
        let beyond = unsafe { lz4_sys::LZ4_compressBound(0x7E00_0001) };
        assert_eq!(beyond, 0);
        for len in [MAX_CONTENT + 1, MAX_LEN, MAX_LEN + 1, usize::MAX] {
            assert_eq!(compress_bound(len), None);
        }
    }
}

//! What snap and the format can hold.

/// The most bytes that can be compressed at once: the greatest length for which snap still has a
/// bound (`max_compress_len` is to be less than 2³²).
pub(crate) const MAX_CONTENT: usize = 3_681_400_511;

/// The greatest length that a block can declare, and so the largest match distance.
pub(crate) const MAX_DECLARED: u32 = u32::MAX;

/// Largest match distance that snap emits: it compresses 64 KiB at a time, each on its own.
pub(crate) const MAX_EMITTED_DISTANCE: u64 = (FRAGMENT - 1) as u64;

/// How many bytes of content snap compresses on their own: elements of one fragment never refer to
/// another.
pub(crate) const FRAGMENT: usize = 64 << 10;

/// The most bytes that `src_len` bytes compress to; `None` beyond [`MAX_CONTENT`].
pub(crate) fn compress_bound(src_len: usize) -> Option<usize> {
    match snap::raw::max_compress_len(src_len) {
        0 => None,
        bound => Some(bound),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_the_last_length_with_a_bound() {
        assert_eq!(compress_bound(0), Some(32));
        assert_eq!(compress_bound(MAX_CONTENT), Some(4_294_967_294));
        for beyond in [MAX_CONTENT + 1, MAX_DECLARED as usize, usize::MAX] {
            assert_eq!(compress_bound(beyond), None);
        }
    }
}

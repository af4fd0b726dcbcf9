//! How much is taken at once.

use compressor_api::Format;

use crate::frame;

/// The longest content, in bytes. ISA-L counts in 32 bits, and twice over in places; this is far
/// from where that matters, and far above what an engine compresses in one piece.
pub(crate) const MAX_CONTENT: usize = 64 << 20;

/// The longest unit that is read, in bytes: the longest content, stored.
pub(crate) const MAX_UNIT: usize = stored_len(MAX_CONTENT) + frame::MAX_LEN;

/// The most that `content_len` bytes compress to; `None` above [`MAX_CONTENT`].
///
/// ISA-L stores what does not compress, when the room is enough for that.
pub(crate) fn max_compressed_len(format: Format, content_len: usize) -> Option<usize> {
    (content_len <= MAX_CONTENT).then(|| stored_len(content_len) + frame::len(format))
}

/// Length of a raw stream of stored blocks: each has 5 bytes and up to 65,535 of content.
const fn stored_len(content_len: usize) -> usize {
    let blocks = content_len.div_ceil(65_535);
    content_len + 5 * if blocks == 0 { 1 } else { blocks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_counts_stored_blocks() {
        let bound = |len| max_compressed_len(Format::DeflateRaw, len);
        assert_eq!(bound(0), Some(5));
        assert_eq!(bound(65_535), Some(65_540));
        assert_eq!(bound(65_536), Some(65_546));
        assert_eq!(max_compressed_len(Format::Zlib, 1), Some(12));
        assert_eq!(max_compressed_len(Format::Gzip, 1), Some(24));
    }

    #[test]
    fn there_is_none_beyond_the_longest_content() {
        for format in [Format::Zlib, Format::DeflateRaw, Format::Gzip] {
            assert!(max_compressed_len(format, MAX_CONTENT) <= Some(MAX_UNIT));
            for len in [MAX_CONTENT + 1, usize::MAX] {
                assert_eq!(max_compressed_len(format, len), None);
            }
        }
    }
}

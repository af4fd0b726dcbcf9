use compressor_api::inspect::lz4;
use compressor_api::{DecompressSession, Error, ErrorKind, ProviderId};

use crate::{ID, limits};

pub(crate) struct DecompressBlock;

impl DecompressSession for DecompressBlock {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let src_len = limits::input_len(src).ok_or(Error::new(ErrorKind::Unsupported, ID))?;
        let dst_len = limits::output_len(dst);
        // SAFETY: the pointers are valid for reads of `src_len` bytes and writes of `dst_len`, do
        // not overlap, and are not null. liblz4 stays within both, whatever the bytes are.
        let written = unsafe {
            lz4_sys::LZ4_decompress_safe(
                src.as_ptr().cast(),
                dst.as_mut_ptr().cast(),
                src_len,
                dst_len,
            )
        };
        usize::try_from(written).map_err(|_| failure(src, dst.len(), written))
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

/// Tells apart what liblz4 has one answer for: no room, and no intact block.
#[cold]
fn failure(src: &[u8], room: usize, native: i32) -> Error {
    let kind = match lz4::content_len(src) {
        Ok(len) if len > room as u64 => ErrorKind::OutputTooSmall,
        Ok(len) if len > limits::MAX_LEN as u64 => ErrorKind::Unsupported,
        _ => ErrorKind::CorruptInput,
    };
    Error::with_native(kind, ID, native)
}

use compressor_api::{CompressSession, Error, Spec};

use super::Misbehaviour;

/// Writes an LZ4 frame where a raw block was asked for. For `lz4-block`.
#[derive(Debug)]
pub struct FrameInsteadOfBlock;

/// Magic number, flags (version 1, independent blocks), 64 KiB blocks, header checksum.
const HEADER: [u8; 7] = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82];

impl Misbehaviour for FrameInsteadOfBlock {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let mut block = vec![0; src.len() + src.len() / 255 + 16];
        let n = codec.compress(src, &mut block)?;
        let frame = [&HEADER[..], &(n as u32).to_le_bytes(), &block[..n], &[0; 4]].concat();
        // As devices do: what does not fit is cut off.
        let n = frame.len().min(dst.len());
        dst[..n].copy_from_slice(&frame[..n]);
        Ok(n)
    }
}

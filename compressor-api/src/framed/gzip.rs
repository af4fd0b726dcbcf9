use super::{Frame, inflate};
use crate::{DecompressSession, Error, ErrorKind, Format};

/// RFC 1952: a 10-byte header without name or time, then Deflate, then CRC-32 and length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gzip;

/// The header that `gzip` units begin with here: no flags, no time, no hint, unknown system.
///
/// For a provider that makes the frame itself.
pub const GZIP_HEADER: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255];

fn trailer_of(content: &[u8]) -> [u8; 8] {
    let [a, b, c, d] = crc32fast::hash(content).to_le_bytes();
    // The length modulo 2³², as the format has it.
    let [e, f, g, h, ..] = (content.len() as u64).to_le_bytes();
    [a, b, c, d, e, f, g, h]
}

impl Frame for Gzip {
    const HEADER: usize = GZIP_HEADER.len();
    const TRAILER: usize = 8;

    fn write(self, src: &[u8], header: &mut [u8], trailer: &mut [u8]) -> Option<()> {
        header.copy_from_slice(&GZIP_HEADER);
        trailer.copy_from_slice(&trailer_of(src));
        Some(())
    }

    fn decompress(
        self,
        inner: &mut dyn DecompressSession,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let content = inflate(inner, Format::Gzip, src, Self::TRAILER, dst)?;
        if src.last_chunk() == Some(&trailer_of(content)) {
            Ok(content.len())
        } else {
            Err(Error::new(ErrorKind::CorruptInput, inner.provider()))
        }
    }
}

use super::Frame;
use crate::inspect::{self, lz4};
use crate::{DecompressSession, Error, ErrorKind, Format};

/// A 4-byte little-endian length, then one LZ4 block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lz4Sized;

impl Frame for Lz4Sized {
    const HEADER: usize = 4;
    const TRAILER: usize = 0;

    fn write(self, src: &[u8], header: &mut [u8], _: &mut [u8]) -> Option<()> {
        let len = u32::try_from(src.len()).ok()?;
        header.copy_from_slice(&len.to_le_bytes());
        Some(())
    }

    fn decompress(
        self,
        inner: &mut dyn DecompressSession,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let provider = inner.provider();
        let corrupt = Error::new(ErrorKind::CorruptInput, provider);
        let header = inspect::header(Format::Lz4Sized, src)
            .map_err(|malformed| malformed.error(provider))?;
        let declared = header.declared_len.ok_or(corrupt)?;
        let block = src.get(header.len..).ok_or(corrupt)?;
        match usize::try_from(declared)
            .ok()
            .and_then(|len| dst.get_mut(..len))
        {
            // The length is known, so content of any other length is a lie.
            Some(content) => inner
                .decompress_exact(block, content)
                .map(|()| content.len()),
            // Too small for what is declared; but is that what the block holds?
            None if lz4::content_len(block) == Ok(declared) => {
                Err(Error::new(ErrorKind::OutputTooSmall, provider))
            }
            None => Err(corrupt),
        }
    }
}

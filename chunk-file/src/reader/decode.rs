use compressor::{Blame, DecompressSession, ErrorKind};

use super::Reader;
use crate::error::Damage;
use crate::info::{CRC_LEN, can_hold};
use crate::{Chunk, CompressionInfo, Error};

impl Reader {
    /// Decodes `stored`, a chunk with its CRC, to all of `content`.
    pub(super) fn decode(
        &self,
        chunk: Chunk,
        stored: &[u8],
        content: &mut [u8],
    ) -> Result<(), Error> {
        let unit = self.checked(chunk, stored, self.chance.draw())?;
        if self.without_codec(chunk, unit, content)? {
            return Ok(());
        }
        let session = self.pool.decompress_session();
        session
            .and_then(|mut session| session.decompress_exact(unit, content))
            .map_err(|error| self.not_decoded(chunk, stored, error))
    }

    /// The chunk without its CRC, which is compared if `check` says so.
    pub(super) fn checked<'a>(
        &self,
        chunk: Chunk,
        stored: &'a [u8],
        check: bool,
    ) -> Result<&'a [u8], Error> {
        let Some((unit, crc)) = stored.split_last_chunk::<{ CRC_LEN as usize }>() else {
            return Err(self.corrupt(chunk, Damage::Cut));
        };
        if check {
            let (stored, computed) = (u32::from_be_bytes(*crc), crc32fast::hash(unit));
            if stored != computed {
                return Err(self.corrupt(chunk, Damage::Crc { stored, computed }));
            }
        }
        Ok(unit)
    }

    /// Takes the content of a chunk that no codec is needed for; whether it was one.
    pub(super) fn without_codec(
        &self,
        chunk: Chunk,
        unit: &[u8],
        content: &mut [u8],
    ) -> Result<bool, Error> {
        self.plausible(chunk)?;
        if chunk.raw {
            // By now it is as long as it must be, and that is at least as long as the content.
            let (bytes, padding) = unit
                .split_at_checked(content.len())
                .ok_or_else(|| self.corrupt(chunk, Damage::Cut))?;
            if padding.iter().any(|byte| *byte != 0) {
                return Err(self.corrupt(chunk, Damage::Padding));
            }
            content.copy_from_slice(bytes);
            return Ok(true);
        }
        // Cassandra's Deflate makes nothing at all of nothing.
        Ok(chunk.content_len == 0 && unit.is_empty())
    }

    /// Whether a chunk of that length can hold so much content; memory for it is taken only then.
    pub(super) fn plausible(&self, chunk: Chunk) -> Result<(), Error> {
        let (stored, content) = (chunk.stored_len as u64, chunk.content_len as u64);
        if chunk.raw {
            let max = self.info.max_compressed_len() as usize;
            let expected = CompressionInfo::raw_len(chunk.content_len, max) as u64;
            if stored != expected {
                return Err(self.corrupt(chunk, Damage::RawLen { stored, expected }));
            }
        } else if !can_hold(self.info.spec().format(), stored, content) {
            return Err(self.corrupt(chunk, Damage::TooMuchContent { stored, content }));
        }
        Ok(())
    }

    /// What a codec's error means for a chunk.
    pub(super) fn not_decoded(
        &self,
        chunk: Chunk,
        stored: &[u8],
        error: compressor::Error,
    ) -> Error {
        if error.kind().blame() != Blame::Data && error.kind() != ErrorKind::OutputTooSmall {
            return Error::Codec {
                path: self.path.clone(),
                chunk: chunk.index,
                offset: chunk.offset,
                error,
            };
        }
        // The CRC may have been skipped by chance; it says more than the codec can.
        match self.checked(chunk, stored, true) {
            Err(crc) => crc,
            Ok(_) => self.corrupt(chunk, Damage::Decode(error)),
        }
    }
}

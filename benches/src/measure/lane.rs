//! One contender at work.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::Arc;

use compressor_api::{CompressSession, Compressor, DecompressSession, Direction, Error, ErrorKind};

use super::MeasureError;
use super::blocks::Block;

/// One of the compressors that are compared.
#[derive(Clone, Debug)]
pub struct Contender {
    /// What errors call it.
    pub name: String,
    /// What is measured.
    pub compressor: Arc<dyn Compressor>,
}

impl Contender {
    /// A compressor by the name that reports give it.
    #[must_use]
    pub fn new(name: impl Into<String>, compressor: Arc<dyn Compressor>) -> Self {
        Self {
            name: name.into(),
            compressor,
        }
    }
}

/// A contender with its sessions and its buffer, which are made once.
pub(super) struct Lane {
    pub name: String,
    compress: Box<dyn CompressSession>,
    decompress: Box<dyn DecompressSession>,
    /// Long enough for any unit, and for any block.
    dst: Vec<u8>,
    /// Length of all its units together, once they were checked.
    pub compressed_len: u64,
}

impl Lane {
    pub fn new(contender: Contender, block_size: NonZeroUsize) -> Result<Self, MeasureError> {
        let Contender { name, compressor } = contender;
        let no_session = |direction| {
            let contender = name.clone();
            move |error| MeasureError::NoSession {
                contender,
                direction,
                error,
            }
        };
        let compress = compressor
            .compress_session()
            .map_err(no_session(Direction::Compress))?;
        let decompress = compressor
            .decompress_session()
            .map_err(no_session(Direction::Decompress))?;
        let len = block_size.get();
        let Some(bound) = compressor.max_compressed_len(len) else {
            return Err(MeasureError::TooLong {
                contender: name,
                len,
            });
        };
        Ok(Self {
            name,
            compress,
            decompress,
            dst: vec![0; bound.max(len)],
            compressed_len: 0,
        })
    }

    /// Compresses a block; for timing, so the unit is dropped.
    #[inline]
    pub fn compress(&mut self, block: Block<'_>) -> Result<usize, MeasureError> {
        let result = self
            .compress
            .compress(black_box(block.bytes), black_box(&mut self.dst));
        result.map_err(|error| self.failed(Direction::Compress, block, error))
    }

    /// Decompresses a unit as an engine does, which knows how long the content is.
    #[inline]
    pub fn decompress(&mut self, unit: &[u8], block: Block<'_>) -> Result<(), MeasureError> {
        let dst = self.dst.get_mut(..block.bytes.len()).unwrap_or_default();
        let result = self
            .decompress
            .decompress_exact(black_box(unit), black_box(dst));
        result.map_err(|error| self.failed(Direction::Decompress, block, error))
    }

    /// Compresses a block to the end of `units`.
    pub fn write(&mut self, block: Block<'_>, units: &mut Vec<u8>) -> Result<(), MeasureError> {
        let len = self.compress(block)?;
        let Some(unit) = self.dst.get(..len) else {
            // More than there is room for: no unit, whatever the provider says.
            let error = Error::new(ErrorKind::Device, self.decompress.provider());
            return Err(self.failed(Direction::Compress, block, error));
        };
        units.extend_from_slice(unit);
        self.compressed_len += len as u64;
        Ok(())
    }

    /// Checks that this contender makes of `unit`, which `writer` compressed, what the block was.
    pub fn check(
        &mut self,
        unit: &[u8],
        block: Block<'_>,
        writer: &str,
    ) -> Result<(), MeasureError> {
        // Nothing that lies in the buffer may pass for a result.
        for (byte, content) in self.dst.iter_mut().zip(block.bytes) {
            *byte = !content;
        }
        self.decompress(unit, block)?;
        match self.dst.iter().zip(block.bytes).position(|(a, b)| a != b) {
            None => Ok(()),
            Some(at) => Err(MeasureError::Mismatch {
                writer: writer.to_owned(),
                reader: self.name.clone(),
                block: block.number,
                at,
            }),
        }
    }

    #[cold]
    fn failed(&self, direction: Direction, block: Block<'_>, error: Error) -> MeasureError {
        MeasureError::Failed {
            contender: self.name.clone(),
            direction,
            block: block.number,
            error,
        }
    }
}

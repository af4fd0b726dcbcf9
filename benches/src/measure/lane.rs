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
    pub contender: Contender,
    compress: Box<dyn CompressSession>,
    decompress: Box<dyn DecompressSession>,
    /// Long enough for any unit, and for any block.
    dst: Vec<u8>,
    /// Length of all its units together, once they were checked.
    pub compressed_len: u64,
}

impl Lane {
    pub fn new(contender: Contender, block_size: NonZeroUsize) -> Result<Self, MeasureError> {
        let Contender { name, compressor } = &contender;
        let no_session = |direction| {
            move |error| MeasureError::NoSession {
                contender: name.clone(),
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
                contender: name.clone(),
                len,
            });
        };
        let mut dst = Vec::new();
        reserve(&mut dst, bound.max(len))?;
        dst.resize(bound.max(len), 0);
        Ok(Self {
            contender,
            compress,
            decompress,
            dst,
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
        reserve(units, len)?;
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
                reader: self.contender.name.clone(),
                block: block.number,
                at,
            }),
        }
    }

    #[cold]
    fn failed(&self, direction: Direction, block: Block<'_>, error: Error) -> MeasureError {
        MeasureError::Failed {
            contender: self.contender.name.clone(),
            direction,
            block: block.number,
            error,
        }
    }
}

/// Makes room for `len` bytes more.
fn reserve(bytes: &mut Vec<u8>, len: usize) -> Result<(), MeasureError> {
    let room = bytes.try_reserve(len);
    room.map_err(|_| MeasureError::NoMemory { len })
}

#[cfg(test)]
mod tests {
    use compressor_api::{Effective, Format, Spec, stored};

    use super::*;

    /// Says that units may be as long as the address space.
    #[derive(Debug)]
    struct Boundless(Arc<dyn Compressor>);

    impl Compressor for Boundless {
        fn spec(&self) -> &Spec {
            self.0.spec()
        }
        fn effective(&self) -> &Effective {
            self.0.effective()
        }
        fn max_compressed_len(&self, _: usize) -> Option<usize> {
            Some(isize::MAX as usize)
        }
        fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
            self.0.decompressed_len(src)
        }
        fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
            self.0.compress_session()
        }
        fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
            self.0.decompress_session()
        }
    }

    #[test]
    fn a_buffer_that_there_is_no_memory_for_is_an_error() {
        let none = stored::factory()
            .compressor(&Spec::new(Format::None))
            .unwrap();
        let contender = Contender::new("boundless", Arc::new(Boundless(none)));
        let refused = Lane::new(contender, NonZeroUsize::MIN).err();
        let len = isize::MAX as usize;
        assert_eq!(refused, Some(MeasureError::NoMemory { len }));
    }
}

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, EffectiveSide, Error, ErrorKind,
    Spec, inspect,
};

use crate::level::Levels;
use crate::session::{Compress, Decompress};
use crate::{ID, library};

/// libdeflate at work on one spec.
#[derive(Debug)]
pub(crate) struct Libdeflate {
    spec: Spec,
    levels: Levels,
    effective: Effective,
}

impl Libdeflate {
    /// For both directions, or for decompression alone.
    pub(crate) fn new(spec: &Spec, compresses: bool) -> Self {
        let levels = Levels::of(spec);
        let side = EffectiveSide::new(ID, levels.short, inspect::DEFLATE_WINDOW);
        Self {
            spec: spec.clone(),
            levels,
            effective: Effective::new(compresses.then_some(side), Some(side)),
        }
    }
}

impl Compressor for Libdeflate {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        library::max_compressed_len(self.spec.format(), src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(self.spec.format(), src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(ID))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        if self.effective.compress.is_none() {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        Ok(Box::new(Compress::new(self.spec.format(), self.levels)?))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(Decompress::new(self.spec.format())?))
    }
}

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, EffectiveSide, Error, Spec, inspect,
};

use crate::compress::CompressBlock;
use crate::decompress::DecompressBlock;
use crate::level::Level;
use crate::{ID, limits};

/// The compressor of raw blocks.
#[derive(Debug)]
pub(crate) struct Block {
    spec: Spec,
    level: Level,
    effective: Effective,
}

impl Block {
    pub(crate) fn new(spec: Spec) -> Self {
        let level = Level::of(&spec);
        let side = EffectiveSide::new(ID, level.number(), inspect::lz4::MAX_DISTANCE);
        Self {
            spec,
            level,
            effective: Effective::both(side),
        }
    }
}

impl Compressor for Block {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        limits::compress_bound(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(self.spec.format(), src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(ID))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(CompressBlock::new(self.level)?))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(DecompressBlock))
    }
}

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, EffectiveSide, Error, Format, Spec,
    inspect,
};

use crate::compress::CompressBlock;
use crate::decompress::DecompressBlock;
use crate::limits::{MAX_DECLARED, MAX_EMITTED_DISTANCE};
use crate::{ID, limits};

/// The compressor of raw blocks.
#[derive(Debug)]
pub(crate) struct Block {
    spec: Spec,
    effective: Effective,
}

impl Block {
    pub(crate) fn new(spec: Spec) -> Self {
        let side = |window| Some(EffectiveSide::new(ID, spec.level(), window));
        let effective = Effective::new(side(MAX_EMITTED_DISTANCE), side(MAX_DECLARED.into()));
        Self { spec, effective }
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
        inspect::header(Format::Snappy, src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(ID))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(CompressBlock::new()))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(DecompressBlock::new()))
    }
}

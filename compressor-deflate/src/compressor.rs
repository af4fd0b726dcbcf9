use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, EffectiveSide, Error, Spec, inspect,
};

use crate::ID;
use crate::session::{Compress, Decompress};
use crate::settings::Settings;

/// zlib at work on one spec.
#[derive(Debug)]
pub(crate) struct Deflate {
    spec: Spec,
    settings: Settings,
    effective: Effective,
}

impl Deflate {
    pub(crate) fn new(spec: &Spec, settings: Settings) -> Self {
        let side = |window| Some(EffectiveSide::new(ID, settings.level, window));
        Self {
            spec: spec.clone(),
            settings,
            effective: Effective::new(side(settings.window()), side(inspect::DEFLATE_WINDOW)),
        }
    }
}

impl Compressor for Deflate {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.settings.max_compressed_len(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(self.settings.format, src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(ID))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(Compress::new(self.settings)?))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(Decompress::new(self.settings)?))
    }
}

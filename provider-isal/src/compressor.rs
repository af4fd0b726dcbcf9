use std::sync::Arc;

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, EffectiveSide, Error, ErrorKind,
    Spec, inspect,
};

use crate::igzip::Settings;
use crate::level::Level;
use crate::library::Library;
use crate::session::{Compress, Decompress};
use crate::{ID, frame, limits};

/// ISA-L at work on one spec.
#[derive(Debug)]
pub(crate) struct Isal {
    library: Arc<Library>,
    spec: Spec,
    settings: Settings,
    effective: Effective,
}

impl Isal {
    /// For the directions that are served.
    pub(crate) fn new(
        library: Arc<Library>,
        spec: &Spec,
        compresses: bool,
        decompresses: bool,
    ) -> Self {
        let settings = Settings {
            format: spec.format(),
            level: Level::of(spec),
            window_log: spec.window_log().unwrap_or(15),
        };
        let side = |window| EffectiveSide::new(ID, settings.level.number().into(), window);
        Self {
            library,
            spec: spec.clone(),
            settings,
            effective: Effective::new(
                compresses.then(|| side(1 << settings.window_log)),
                decompresses.then(|| side(inspect::DEFLATE_WINDOW)),
            ),
        }
    }
}

impl Compressor for Isal {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        limits::max_compressed_len(self.settings.format, src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(self.settings.format, src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(ID))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        if self.effective.compress.is_none() {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        let library = Arc::clone(&self.library);
        let session = Compress::new(library, self.settings, frame::header(&self.spec))?;
        Ok(Box::new(session))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        if self.effective.decompress.is_none() {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        let library = Arc::clone(&self.library);
        Ok(Box::new(Decompress::new(library, self.settings.format)?))
    }
}

use std::sync::Arc;

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Dictionary, Effective, EffectiveSide, Error,
    Format, Spec, inspect,
};

use crate::cctx::{self, CCtx};
use crate::compress::Compress;
use crate::dctx::{DCtx, MAX_WINDOW};
use crate::decompress::Decompress;
use crate::dictionary::{CDict, DDict};
use crate::effort;
use crate::error::ID;

/// libzstd at work on one spec. Dictionaries are digested here, once, and shared by all sessions.
#[derive(Debug)]
pub(crate) struct Zstd {
    spec: Spec,
    effective: Effective,
    dictionaries: Option<(Arc<CDict>, Arc<DDict>)>,
}

impl Zstd {
    pub(crate) fn new(spec: &Spec) -> Result<Self, Error> {
        let digest = |dictionary: &Dictionary| {
            let for_writing = CDict::new(dictionary, effort::level(spec))?;
            let for_reading = DDict::new(dictionary)?;
            Ok((Arc::new(for_writing), Arc::new(for_reading)))
        };
        Ok(Self {
            spec: spec.clone(),
            effective: effective(spec),
            dictionaries: spec.dictionary().map(digest).transpose()?,
        })
    }
}

/// The windows are those over the content: a match may reach beyond, into the dictionary.
fn effective(spec: &Spec) -> Effective {
    let level = cctx::effective_level(effort::level(spec));
    let window_log = spec
        .window_log()
        .map_or_else(|| cctx::window_log(level), u32::from);
    Effective::new(
        Some(EffectiveSide::new(ID, level, 1 << window_log)),
        Some(EffectiveSide::new(ID, level, MAX_WINDOW)),
    )
}

impl Compressor for Zstd {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        cctx::bound(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(Format::Zstd, src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(ID))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        let dictionary = self.dictionaries.as_ref().map(|(cdict, _)| cdict.clone());
        let context = CCtx::new(&self.spec, dictionary)?;
        Ok(Box::new(Compress::new(context)))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        let dictionary = self.dictionaries.as_ref().map(|(_, ddict)| ddict.clone());
        Ok(Box::new(Decompress::new(DCtx::new(dictionary)?)))
    }
}

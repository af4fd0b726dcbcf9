use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, DecompressSession, Direction, Effective,
    EffectiveSide, Error, ErrorKind, ProviderId, Spec, inspect,
};

use super::error::Violation;
use super::ffi;
use super::session::{PluginCompress, PluginDecompress, PluginSession};
use crate::abi::{CP_OK, CP_UNSUPPORTED, MAX_LEVEL};

/// A plugin at work on one spec.
#[derive(Debug)]
pub(super) struct PluginCompressor {
    id: ProviderId,
    spec: Spec,
    effective: Effective,
    /// What the plugin can do for this spec; `None` if it lacks something that the spec asks for.
    compress: Option<Capabilities>,
    decompress: Option<Capabilities>,
    raw: Arc<ffi::Compressor>,
}

impl PluginCompressor {
    /// Asks a new compressor how it serves the spec.
    pub(super) fn new(
        id: ProviderId,
        spec: &Spec,
        capabilities: &[Capabilities],
        raw: ffi::Compressor,
    ) -> Result<Self, Error> {
        let listed = |direction| {
            capabilities
                .iter()
                .find(|c| c.format == spec.format() && c.direction == direction)
                .filter(|c| c.shortfall(spec).is_none())
                .map(|c| c.for_effort(spec))
        };
        let lied = |what| raw.quarantine().violated("effective", Violation(what));
        let side = |direction| -> Result<Option<EffectiveSide>, Error> {
            if listed(direction).is_none() {
                return Ok(None);
            }
            let (status, side) = raw.effective(direction);
            match (status, side.served) {
                (CP_OK, 0) => Ok(None),
                // The scale is the plugin's own, but no number that was never set is on any.
                (CP_OK, 1) if !(-MAX_LEVEL..=MAX_LEVEL).contains(&side.level) => {
                    Err(lied(format!("claims the level {}", side.level)))
                }
                (CP_OK, 1) => Ok(Some(EffectiveSide::new(id, side.level, side.window))),
                (CP_OK, other) => Err(lied(format!("answered {other} where 0 or 1 is asked"))),
                (status, _) => Err(raw.quarantine().failed("effective", status, 0)),
            }
        };
        let effective = Effective::new(side(Direction::Compress)?, side(Direction::Decompress)?);
        Ok(Self {
            id,
            spec: spec.clone(),
            compress: effective.compress.and(listed(Direction::Compress)),
            decompress: effective.decompress.and(listed(Direction::Decompress)),
            effective,
            raw: Arc::new(raw),
        })
    }

    fn session(
        &self,
        direction: Direction,
        capabilities: Option<Capabilities>,
    ) -> Result<PluginSession, Error> {
        let quarantine = self.raw.quarantine();
        quarantine.enter()?;
        let capabilities = capabilities.ok_or(Error::new(ErrorKind::Unsupported, self.id))?;
        let raw = quarantine.made("session_new", self.raw.session_new(direction))?;
        Ok(PluginSession::new(self.id, &capabilities, raw))
    }
}

impl Compressor for PluginCompressor {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        let quarantine = self.raw.quarantine();
        if quarantine.is_closed() || src_len > self.compress?.max_input {
            return None;
        }
        match self.raw.max_compressed_len(src_len) {
            // Not every input shrinks, so no bound is below the length; nor is any beyond what a
            // buffer can have.
            (CP_OK, len) if len >= src_len.max(1) => isize::try_from(len).ok().map(|_| len),
            (CP_OK, len) => {
                let what = format!("promised {len} bytes for {src_len}");
                quarantine.violated("max_compressed_len", Violation(what));
                None
            }
            (CP_UNSUPPORTED, _) => None,
            (status, _) => {
                quarantine.failed("max_compressed_len", status, 0);
                None
            }
        }
    }

    /// Read by the host: the header says the same to everybody.
    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(self.spec.format(), src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(self.id))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        let session = self.session(Direction::Compress, self.compress)?;
        Ok(Box::new(PluginCompress(session)))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        let session = self.session(Direction::Decompress, self.decompress)?;
        Ok(Box::new(PluginDecompress(session)))
    }
}

//! What the decorator calls, without the decorator.

use std::sync::Arc;

use compressor::{
    CompressSession, Compressor, DecompressSession, Direction, Effective, EffectiveSide, Error,
    Spec,
};

use super::subject::Path;

/// The providers that were selected, one a direction, called directly: the accelerator where there
/// is one, else software.
#[derive(Debug)]
pub struct Direct {
    compress: Arc<dyn Compressor>,
    decompress: Arc<dyn Compressor>,
    effective: Effective,
}

impl Direct {
    /// Those that serve blocks of so many bytes, as [`serving`](compressor::Accelerated::serving)
    /// says; `None` if one of them is not among those that were selected.
    pub fn of(path: &Path, len: usize) -> Option<Self> {
        let side = |direction| {
            let side = path.accelerated.serving(direction, len)?;
            let serving = (side.provider, side.level);
            path.selected(direction).into_iter().find(|compressor| {
                of(compressor.effective(), direction)
                    .is_some_and(|side| (side.provider, side.level) == serving)
            })
        };
        let (compress, decompress) = (side(Direction::Compress)?, side(Direction::Decompress)?);
        Some(Self {
            effective: Effective::new(
                compress.effective().compress,
                decompress.effective().decompress,
            ),
            compress: compress.clone(),
            decompress: decompress.clone(),
        })
    }
}

fn of(effective: &Effective, direction: Direction) -> Option<EffectiveSide> {
    match direction {
        Direction::Compress => effective.compress,
        Direction::Decompress => effective.decompress,
    }
}

impl Compressor for Direct {
    fn spec(&self) -> &Spec {
        self.compress.spec()
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.compress.max_compressed_len(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.decompress.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        self.compress.compress_session()
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        self.decompress.decompress_session()
    }
}

//! What the decorator calls, without the decorator.

use std::sync::Arc;

use compressor::{
    CompressSession, Compressor, DecompressSession, Direction, Effective, Error, Selection, Spec,
};

/// The providers that were selected, one a direction, called directly: the accelerator where there
/// is one, else software.
#[derive(Debug)]
pub struct Direct {
    compress: Arc<dyn Compressor>,
    decompress: Arc<dyn Compressor>,
    effective: Effective,
}

impl Direct {
    pub fn of(selection: &Selection) -> Self {
        let side = |direction| {
            let accelerator = selection.accelerator(direction);
            accelerator.map_or(&selection.software, |selected| &selected.compressor)
        };
        let (compress, decompress) = (side(Direction::Compress), side(Direction::Decompress));
        Self {
            effective: Effective::new(
                compress.effective().compress,
                decompress.effective().decompress,
            ),
            compress: compress.clone(),
            decompress: decompress.clone(),
        }
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

use std::sync::Arc;

use compressor_api::{CompressSession, Compressor, CompressorFactory, Error, Spec};

use super::Misbehaviour;

/// Writes frames without the checksum that the spec asked for. For `zstd`.
#[derive(Debug)]
pub struct NoChecksum {
    bare: Arc<dyn Compressor>,
}

impl NoChecksum {
    pub fn new(codec: &dyn CompressorFactory, spec: &Spec) -> Self {
        let bare = spec.clone().with_checksum(false).unwrap();
        Self {
            bare: codec.compressor(&bare).unwrap(),
        }
    }
}

impl Misbehaviour for NoChecksum {
    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        self.bare.compress_session()?.compress(src, dst)
    }
}

use std::sync::Arc;

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Effective, Efforts, Error, Selected, Spec,
};

/// A compressor of one spec that serves another of the same format, as a measurement found best.
#[derive(Debug)]
struct ServedAs {
    spec: Spec,
    inner: Arc<dyn Compressor>,
}

/// `selected`, which was made for another spec, for `spec`.
pub(super) fn served_as(selected: Selected, spec: &Spec) -> Selected {
    // Its own limits of level and effort are those of the spec that it was made for.
    let capabilities = selected
        .capabilities
        .with_levels(spec.format().levels())
        .with_efforts(Efforts::all(0));
    let compressor = Arc::new(ServedAs {
        spec: spec.clone(),
        inner: selected.compressor,
    });
    Selected::new(selected.provider, capabilities, compressor)
}

#[deny(clippy::missing_trait_methods)]
impl Compressor for ServedAs {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        self.inner.effective()
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.inner.max_compressed_len(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.inner.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        self.inner.compress_session()
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        self.inner.decompress_session()
    }
}

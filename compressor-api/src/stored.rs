//! The format `none`: bytes as they are. Also the shortest complete provider.

use std::sync::Arc;

use crate::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Direction,
    Effective, EffectiveSide, Efforts, Error, ErrorKind, Format, Health, Open, OpenError, Params,
    ProviderClass, ProviderEntry, ProviderId, Spec, self_test,
};

const ID: ProviderId = ProviderId::new("software.none");

/// The provider as listed.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ID,
    ProviderClass::Software,
    "Copies",
    &[Format::None],
    &Opener,
);

crate::submit_provider!(PROVIDER);

/// The opened provider; it cannot fail to open.
#[must_use]
pub fn factory() -> Arc<dyn CompressorFactory> {
    Arc::new(Factory)
}

#[derive(Debug)]
struct Opener;

impl Open for Opener {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        Ok(factory())
    }
}

#[derive(Debug)]
struct Factory;

const CAPABILITIES: &[Capabilities] = &[
    Capabilities::new(Format::None, Direction::Compress).with_efforts(Efforts::all(-1)),
    Capabilities::new(Format::None, Direction::Decompress),
];

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        CAPABILITIES
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        if spec.format() != Format::None {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        let effective = Effective::both(EffectiveSide::new(ID, spec.level(), 0));
        Ok(Arc::new(Stored {
            spec: spec.clone(),
            effective,
        }))
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

#[derive(Debug)]
struct Stored {
    spec: Spec,
    effective: Effective,
}

impl Compressor for Stored {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        // The bound is never 0, so that nobody mistakes it for a failure.
        Some(src_len.max(1))
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        Ok(Some(src.len() as u64))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        Ok(Box::new(Session))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        Ok(Box::new(Session))
    }
}

struct Session;

fn copy(src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
    dst.get_mut(..src.len())
        .ok_or(Error::new(ErrorKind::OutputTooSmall, ID))?
        .copy_from_slice(src);
    Ok(src.len())
}

impl CompressSession for Session {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        copy(src, dst)
    }
}

impl DecompressSession for Session {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        copy(src, dst)
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

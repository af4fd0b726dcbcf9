use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Efforts, Error, ErrorKind, Format,
    Health, ProviderId, Spec, self_test,
};

use crate::ID;
use crate::compressor::Deflate;
use crate::settings::Settings;

const fn compresses(format: Format) -> Capabilities {
    Capabilities::new(format, Direction::Compress).with_efforts(Efforts::all(-1))
}

/// zlib takes every level and window that the formats allow, so nothing is limited.
const CAPABILITIES: &[Capabilities] = &[
    compresses(Format::Zlib),
    Capabilities::new(Format::Zlib, Direction::Decompress),
    compresses(Format::DeflateRaw),
    Capabilities::new(Format::DeflateRaw, Direction::Decompress),
    compresses(Format::Gzip),
    Capabilities::new(Format::Gzip, Direction::Decompress),
];

#[derive(Debug)]
pub(crate) struct Factory;

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        CAPABILITIES
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        let settings = Settings::of(spec).ok_or(Error::new(ErrorKind::Unsupported, ID))?;
        Ok(Arc::new(Deflate::new(spec, settings)))
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

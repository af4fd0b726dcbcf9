use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, DictionarySupport, Direction, Efforts, Error,
    ErrorKind, Format, Health, Open, OpenError, Params, ProviderClass, ProviderEntry, ProviderId,
    Spec, self_test,
};

use crate::cctx::MAX_SRC_LEN;
use crate::compressor::Zstd;
use crate::dctx::MAX_WINDOW;
use crate::error::ID;

/// The provider as listed.
pub static PROVIDER: ProviderEntry = ProviderEntry::new(
    ID,
    ProviderClass::Software,
    "Zstandard by libzstd",
    &[Format::Zstd],
    &Opener,
);

compressor_api::submit_provider!(PROVIDER);

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
    Capabilities::new(Format::Zstd, Direction::Compress)
        .with_input(0, MAX_SRC_LEN)
        .with_efforts(Efforts::all(-1))
        .with_dictionary(DictionarySupport::Any),
    Capabilities::new(Format::Zstd, Direction::Decompress)
        .with_window(MAX_WINDOW)
        .with_dictionary(DictionarySupport::Any),
];

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        CAPABILITIES
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        if spec.format() != Format::Zstd {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        Ok(Arc::new(Zstd::new(spec)?))
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Efforts, Error, ErrorKind, Format,
    Health, ProviderId, Spec, inspect, self_test,
};

use crate::ID;
use crate::compressor::Libdeflate;

const fn compresses(format: Format) -> Capabilities {
    Capabilities::new(format, Direction::Compress)
        .with_window(inspect::DEFLATE_WINDOW)
        .with_efforts(Efforts::all(0))
}

const fn decompresses(format: Format) -> Capabilities {
    Capabilities::new(format, Direction::Decompress).with_window(inspect::DEFLATE_WINDOW)
}

const CAPABILITIES: &[Capabilities] = &[
    compresses(Format::Zlib),
    decompresses(Format::Zlib),
    compresses(Format::DeflateRaw),
    decompresses(Format::DeflateRaw),
    compresses(Format::Gzip),
    decompresses(Format::Gzip),
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
        let serves = |direction| {
            CAPABILITIES.iter().any(|listed| {
                listed.format == spec.format()
                    && listed.direction == direction
                    && listed.shortfall(spec).is_none()
            })
        };
        if !serves(Direction::Decompress) {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        Ok(Arc::new(Libdeflate::new(spec, serves(Direction::Compress))))
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

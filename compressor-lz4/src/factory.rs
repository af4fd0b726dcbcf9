use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Efforts, Error, ErrorKind, Format,
    Health, ProviderId, Spec, framed, inspect, self_test,
};

use crate::ID;
use crate::block::Block;
use crate::limits::{MAX_CONTENT, MAX_LEN};

#[derive(Debug)]
pub(crate) struct Factory;

/// Bytes in front of the block in `lz4-sized`.
const LENGTH: usize = 4;

const CAPABILITIES: &[Capabilities] = &[
    compress(Format::Lz4Block),
    decompress(Format::Lz4Block, MAX_LEN),
    compress(Format::Lz4Sized),
    decompress(Format::Lz4Sized, MAX_LEN + LENGTH),
];

const fn compress(format: Format) -> Capabilities {
    Capabilities::new(format, Direction::Compress)
        .with_input(0, MAX_CONTENT)
        .with_efforts(Efforts::all(-1))
        .with_window(inspect::lz4::MAX_DISTANCE)
}

const fn decompress(format: Format, max_input: usize) -> Capabilities {
    Capabilities::new(format, Direction::Decompress)
        .with_input(0, max_input)
        .with_max_output(MAX_LEN)
        .with_window(inspect::lz4::MAX_DISTANCE)
}

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        CAPABILITIES
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        let unsupported = Error::new(ErrorKind::Unsupported, ID);
        match spec.format() {
            Format::Lz4Block => Ok(Arc::new(Block::new(spec.clone()))),
            Format::Lz4Sized => {
                let inner = spec.inner().ok_or(unsupported)?;
                framed::compressor(spec, Arc::new(Block::new(inner))).ok_or(unsupported)
            }
            _ => Err(unsupported),
        }
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Efforts, Error, ErrorKind, Format,
    Health, ProviderId, Spec, self_test,
};

use crate::ID;
use crate::block::Block;
use crate::limits::{MAX_CONTENT, MAX_DECLARED, MAX_EMITTED_DISTANCE};

#[derive(Debug)]
pub(crate) struct Factory;

const CAPABILITIES: &[Capabilities] = &[
    Capabilities::new(Format::Snappy, Direction::Compress)
        .with_input(0, MAX_CONTENT)
        .with_efforts(Efforts::all(-1))
        .with_window(MAX_EMITTED_DISTANCE),
    Capabilities::new(Format::Snappy, Direction::Decompress)
        .with_max_output(MAX_DECLARED as usize)
        .with_window(MAX_DECLARED as u64),
];

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        CAPABILITIES
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        if spec.format() != Format::Snappy {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        Ok(Arc::new(Block::new(spec.clone())))
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

//! What the handles of a Rust plugin point to.

use std::num::NonZeroU32;
use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession,
    DictionarySupport, Job, OutputNeed, Placement,
};

use crate::abi::{
    self, CP_DICTIONARIES_ANY, CP_DICTIONARIES_NONE, CP_OFFLOAD, CP_ON_CPU, CP_OUTPUT_BOUND,
    CP_OUTPUT_EXACT,
};
use crate::codes;

/// Behind a `cp_factory`.
pub(super) struct FactoryHandle {
    pub(super) inner: Arc<dyn CompressorFactory>,
    /// Its capabilities, for the host to read until it is closed.
    pub(super) capabilities: Vec<abi::Capabilities>,
}

impl FactoryHandle {
    pub(super) fn new(inner: Arc<dyn CompressorFactory>) -> Self {
        let capabilities = inner.capabilities().iter().map(capabilities).collect();
        Self {
            inner,
            capabilities,
        }
    }
}

/// Behind a `cp_compressor`.
pub(super) struct CompressorHandle {
    pub(super) inner: Arc<dyn Compressor>,
}

/// Behind a `cp_session`.
pub(super) struct SessionHandle {
    pub(super) inner: SessionInner,
    /// Room for a batch, empty between calls.
    pub(super) jobs: Vec<Job<'static>>,
}

pub(super) enum SessionInner {
    Compress(Box<dyn CompressSession>),
    Decompress(Box<dyn DecompressSession>),
}

fn capabilities(from: &Capabilities) -> abi::Capabilities {
    abi::Capabilities {
        format: u32::from(from.format.id()),
        direction: codes::direction_id(from.direction),
        min_input: from.min_input,
        max_input: from.max_input,
        max_output: from.max_output,
        window: from.window,
        min_level: from.levels.min(),
        max_level: from.levels.max(),
        default_level: from.levels.default_level(),
        dictionaries: match from.dictionary {
            DictionarySupport::None => CP_DICTIONARIES_NONE,
            _ => CP_DICTIONARIES_ANY,
        },
        output: match from.output {
            OutputNeed::Exact => CP_OUTPUT_EXACT,
            _ => CP_OUTPUT_BOUND,
        },
        placement: match from.placement {
            Placement::Cpu => CP_ON_CPU,
            _ => CP_OFFLOAD,
        },
        in_flight: from.in_flight.map_or(0, NonZeroU32::get),
        self_verified: u32::from(from.self_verified),
    }
}

//! What the handles of a Rust plugin point to.

use std::num::NonZeroU32;
use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession,
    DictionarySupport, Direction, Effort, Job, OutputNeed, Placement,
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
    /// What those point to.
    #[expect(dead_code, reason = "kept for the host, who has the addresses")]
    served: Vec<Served>,
}

impl FactoryHandle {
    pub(super) fn new(inner: Arc<dyn CompressorFactory>) -> Self {
        let listed = inner.capabilities();
        let served: Vec<Served> = listed.iter().map(Served::by).collect();
        let capabilities = listed
            .iter()
            .zip(&served)
            .map(|(from, served)| capabilities(from, served))
            .collect();
        Self {
            inner,
            capabilities,
            served,
        }
    }
}

/// The efforts of one capability.
struct Served {
    efforts: Vec<abi::Effort>,
    losses: Vec<abi::Loss>,
}

impl Served {
    fn by(from: &Capabilities) -> Self {
        let scale = from.format.levels();
        // What no spec can ask for is left out, and what holds beyond the scale holds to its end.
        let losses: Option<Vec<abi::Loss>> = from.efforts.losses().map(|losses| {
            let rows = losses
                .iter()
                .filter(|row| row.max_input > 0)
                .filter(|row| row.percent <= 100 && row.max_level >= scale.min());
            rows.map(|row| abi::Loss {
                max_input: row.max_input,
                max_level: row.max_level.min(scale.max()),
                percent: u32::from(row.percent),
            })
            .collect()
        });
        // No rows would say that an effort is served everywhere, and these say nowhere.
        let nowhere = losses.as_ref().is_some_and(Vec::is_empty);
        let efforts: Vec<abi::Effort> = Effort::ALL
            .into_iter()
            .filter(|_| from.direction == Direction::Compress && !nowhere)
            .filter_map(|effort| {
                Some(abi::Effort {
                    effort: codes::effort_id(effort),
                    priority: i32::from(from.efforts.priority(effort)?),
                })
            })
            .collect();
        let losses = losses.filter(|_| !efforts.is_empty()).unwrap_or_default();
        Self { efforts, losses }
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

fn capabilities(from: &Capabilities, served: &Served) -> abi::Capabilities {
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
        efforts: served.efforts.as_ptr(),
        effort_count: served.efforts.len(),
        losses: served.losses.as_ptr(),
        loss_count: served.losses.len(),
    }
}

//! What the framework adds to an operation.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use compressor::Direction;
use compressor_benches::data::DataSet;
use compressor_benches::measure::{Contender, Median, Pace, SideBySide};

use super::direct::Direct;
use super::measure::name;
use super::subject::Path;

/// A path against the provider that it calls, called directly.
#[derive(Clone)]
pub enum Overhead {
    /// Nanoseconds an operation.
    Measured {
        /// Of the direct call.
        direct_ns: f64,
        /// What the path takes more.
        added: Median,
    },
    /// The provider alone does not do what the path does with software behind it.
    Failed {
        /// What it says.
        why: String,
    },
}

impl Overhead {
    /// Measures a path against the provider that it calls.
    pub fn of(
        path: &Path,
        set: &DataSet,
        block_size: NonZeroUsize,
        direction: Direction,
        time: Duration,
    ) -> Self {
        let Some(direct) = Direct::of(path, block_size.get()) else {
            return Self::Failed {
                why: "whoever serves is not among those selected".to_owned(),
            };
        };
        let direct = Contender::new("the provider alone", Arc::new(direct));
        let decorated = Contender::new(name(&path.accelerated), path.accelerated.clone());
        // Few blocks, for every set checks all of them.
        let len = block_size.saturating_mul(BLOCKS).get();
        let data = set.bytes.get(..len).unwrap_or(&set.bytes);
        let mut sets = Vec::new();
        let mut kept = Vec::new();
        for _ in 0..SETS {
            let (direct, decorated) = (direct.clone(), decorated.clone());
            let bench = SideBySide::prepare(direct, [decorated], data, block_size, &mut |_| {});
            let measured = bench.and_then(|mut bench| {
                let pace = Pace::fine(time / SETS);
                let measured = bench.measure(direction, &pace, &mut |_| {});
                // To the end, so that no set gets the addresses of the one before.
                kept.push(bench);
                measured
            });
            match measured.as_deref() {
                Ok([direct, decorated, ..]) => {
                    sets.push((direct.ns_per_op, decorated.added_ns.value));
                }
                Ok(_) => {}
                Err(error) => {
                    return Self::Failed {
                        why: error.to_string(),
                    };
                }
            }
        }
        let direct = Median::of(sets.iter().map(|set| set.0));
        let added = Median::of(sets.iter().map(|set| set.1));
        match (direct, added) {
            (Some(direct), Some(added)) => Self::Measured {
                direct_ns: direct.value,
                added,
            },
            _ => Self::Failed {
                why: "nothing was measured".to_owned(),
            },
        }
    }
}

/// On how many blocks the overhead is measured.
const BLOCKS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(15);

/// How often sessions and buffers are made anew for it: where they happen to lie makes differences of
/// a percent, which for a slow codec is more than the framework.
const SETS: u32 = 5;

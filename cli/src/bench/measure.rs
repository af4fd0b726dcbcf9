//! One data set, one format, one block size.

use std::num::NonZeroUsize;
use std::time::Duration;

use compressor::decorator::{Counters, Reason};
use compressor::{Accelerated, Compressor, Direction, Effective, ProviderId, Spec};
use compressor_benches::data::DataSet;
use compressor_benches::measure::{Contender, Measured, Pace, SideBySide};

use super::progress::Bar;
use super::subject::Subject;
use crate::failure::Failure;

/// What was measured of a data set, format and block size, in one direction.
pub struct Cell {
    /// What the data is called.
    pub file: String,
    /// Length of the data in bytes.
    pub len: usize,
    /// Format and level.
    pub spec: Spec,
    /// As it was asked for; the data may be shorter.
    pub block_size: NonZeroUsize,
    pub direction: Direction,
    pub software: Side,
    /// A path for each accelerator that was measured.
    pub paths: Vec<Side>,
}

/// What was measured of software, or of an accelerated path.
pub struct Side {
    /// Who served.
    pub provider: ProviderId,
    pub measured: Measured,
    /// Operations that the accelerator answered.
    pub accelerated_ops: u64,
    /// Operations that software answered.
    pub software_ops: u64,
    /// Why software did, with how many operations it was.
    pub reasons: Vec<(Reason, u64)>,
}

/// Measures both directions.
pub fn cells(
    set: &DataSet,
    subject: &Subject,
    block_size: NonZeroUsize,
    time: Duration,
    bar: &Bar,
) -> Result<Vec<Cell>, Failure> {
    let Subject {
        spec,
        software,
        paths,
    } = subject;
    let failed = |error: compressor_benches::measure::MeasureError| {
        let (file, format) = (&set.name, spec.format());
        let place = format!("{file}, {format} in blocks of {block_size} bytes");
        Failure::data(error.kind(), format_args!("{place}: {error}"))
    };
    let baseline = Contender::new("software", software.clone());
    let others = paths
        .iter()
        .map(|path| Contender::new(name(path), path.clone()));
    let mut bench = SideBySide::prepare(baseline, others, &set.bytes, block_size, &mut |p| {
        bar.progress(p)
    })
    .map_err(failed)?;

    let mut cells = Vec::new();
    for direction in Direction::BOTH {
        let before: Vec<Counters> = paths.iter().map(|path| counters(path, direction)).collect();
        let pace = Pace::new(time);
        let measured = bench
            .measure(direction, &pace, &mut |p| bar.progress(p))
            .map_err(failed)?;
        let mut measured = measured.into_iter();
        let (Some(software_measured), Some(software_id)) =
            (measured.next(), provider(software.effective(), direction))
        else {
            // A software codec serves both directions, or it is not selected.
            continue;
        };
        let sides = measured.zip(paths).zip(&before);
        cells.push(Cell {
            file: set.name.clone(),
            len: set.bytes.len(),
            spec: spec.clone(),
            block_size,
            direction,
            software: Side::software(software_id, software_measured),
            paths: sides
                .map(|((measured, path), before)| {
                    Side::accelerated(path, direction, measured, before, software_id)
                })
                .collect(),
        });
    }
    Ok(cells)
}

impl Side {
    /// The reasons by their names.
    pub fn reasons(&self) -> Vec<(&'static str, u64)> {
        let reasons = self.reasons.iter();
        reasons.map(|(reason, ops)| (reason.name(), *ops)).collect()
    }

    fn software(provider: ProviderId, measured: Measured) -> Self {
        Self {
            provider,
            measured,
            accelerated_ops: 0,
            software_ops: measured.ops,
            reasons: Vec::new(),
        }
    }

    fn accelerated(
        path: &Accelerated,
        direction: Direction,
        measured: Measured,
        before: &Counters,
        software: ProviderId,
    ) -> Self {
        let after = counters(path, direction);
        let accelerated_ops = after.accelerated.ops - before.accelerated.ops;
        let reasons = after
            .reasons()
            .map(|(reason, ops)| (reason, ops - before.software_ops(reason)))
            .filter(|(_, ops)| *ops > 0);
        // Whoever is meant to serve did not, if all operations went to software.
        let accelerator = (accelerated_ops > 0).then(|| provider(path.effective(), direction));
        Self {
            provider: accelerator.flatten().unwrap_or(software),
            measured,
            accelerated_ops,
            software_ops: after.software.ops - before.software.ops,
            reasons: reasons.collect(),
        }
    }
}

fn counters(path: &Accelerated, direction: Direction) -> Counters {
    *path.counters().direction(direction)
}

fn provider(effective: &Effective, direction: Direction) -> Option<ProviderId> {
    let side = match direction {
        Direction::Compress => effective.compress,
        Direction::Decompress => effective.decompress,
    };
    Some(side?.provider)
}

/// What errors call an accelerated path.
fn name(path: &Accelerated) -> String {
    match provider(path.effective(), Direction::Compress) {
        Some(provider) => format!("the accelerated path ({provider})"),
        None => "the accelerated path".into(),
    }
}

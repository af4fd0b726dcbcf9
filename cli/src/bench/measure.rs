//! One data set, one format, one block size.

use std::iter::once;
use std::num::NonZeroUsize;
use std::time::Duration;

use compressor::decorator::{Counters, Reason};
use compressor::{Accelerated, Compressor, Direction, Effective, Effort, ProviderId, Spec};
use compressor_benches::data::DataSet;
use compressor_benches::measure::{Contender, Latency, MeasureError, Measured, Pace, SideBySide};

use super::overhead::Overhead;
use super::progress::Bar;
use super::subject::{Path, Subject};
use crate::failure::Failure;

/// What to measure of a cell, and for how long.
pub struct Extent {
    /// For throughput, in each direction.
    pub time: Duration,
    /// With how many threads at once latency is measured, half as long each.
    pub threads: Vec<NonZeroUsize>,
    /// Whether to measure what the framework adds, half as long for each path.
    pub overhead: bool,
}

impl Extent {
    /// How many steps a cell has, for whoever watches: checking, then for each direction throughput,
    /// overhead and latencies.
    pub fn steps(&self) -> usize {
        1 + 2 * (1 + usize::from(self.overhead) + self.threads.len())
    }
}

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
    /// Whether it is the software codec without the framework.
    pub alone: bool,
    /// What the path was asked for, if not the level alone.
    pub effort: Option<Effort>,
    /// Whether a calibration says who serves, and not priority.
    pub calibrated: bool,
    /// By the number of threads; none if it was not asked for.
    pub latency: Vec<Latency>,
    /// What the framework adds to an operation, where that was asked for.
    pub overhead: Option<Overhead>,
}

impl Cell {
    /// Software, then each path.
    pub fn sides(&self) -> impl Iterator<Item = &Side> {
        once(&self.software).chain(&self.paths)
    }
}

/// Measures both directions.
pub fn cells(
    set: &DataSet,
    subject: &Subject,
    block_size: NonZeroUsize,
    extent: &Extent,
    bar: &Bar,
) -> Result<Vec<Cell>, Failure> {
    let Subject {
        spec,
        software,
        paths,
    } = subject;
    let failed = |error: MeasureError| {
        let (file, format) = (&set.name, spec.format());
        let place = format!("{file}, {format} in blocks of {block_size} bytes");
        Failure::data(error.kind(), format_args!("{place}: {error}"))
    };
    let baseline = Contender::new("software", software.clone());
    let others = paths
        .iter()
        .map(|path| Contender::new(name(&path.accelerated), path.accelerated.clone()));
    let mut bench = SideBySide::prepare(baseline, others, &set.bytes, block_size, &mut |p| {
        bar.progress(p);
    })
    .map_err(failed)?;
    bar.step();

    let mut cells = Vec::new();
    for direction in Direction::BOTH {
        let before: Vec<Counters> = paths.iter().map(|path| counters(path, direction)).collect();
        let pace = Pace::new(extent.time);
        let measured = bench
            .measure(direction, &pace, &mut |p| bar.progress(p))
            .map_err(failed)?;
        bar.step();
        let mut measured = measured.into_iter();
        let (Some(software_measured), Some(software_id)) =
            (measured.next(), provider(software.effective(), direction))
        else {
            // A software codec serves both directions, or it is not selected.
            continue;
        };
        let sides = measured.zip(paths).zip(&before);
        let mut cell = Cell {
            file: set.name.clone(),
            len: set.bytes.len(),
            spec: spec.clone(),
            block_size,
            direction,
            software: Side::software(software_id, software_measured),
            paths: sides
                .map(|((measured, path), before)| {
                    Side::accelerated(path, direction, block_size, measured, before, software_id)
                })
                .collect(),
        };
        if extent.overhead {
            for (side, path) in cell.paths.iter_mut().zip(paths) {
                side.overhead = Some(Overhead::of(
                    path,
                    set,
                    block_size,
                    direction,
                    extent.time / 2,
                ));
            }
            bar.step();
        }
        for threads in &extent.threads {
            let latencies = bench
                .latency(direction, *threads, extent.time / 2, &mut |p| {
                    bar.progress(p)
                })
                .map_err(failed)?;
            let sides = once(&mut cell.software).chain(&mut cell.paths);
            for (side, latency) in sides.zip(latencies) {
                side.latency.push(latency);
            }
            bar.step();
        }
        cells.push(cell);
    }
    Ok(cells)
}

impl Side {
    /// What reports call it.
    pub fn name(&self) -> String {
        let provider = self.provider;
        if self.alone {
            return format!("{provider} alone");
        }
        once(provider.to_string())
            .chain(self.asked())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// What tells the path from others of its format.
    pub fn asked(&self) -> impl Iterator<Item = String> {
        let effort = self.effort.map(|effort| effort.to_string());
        effort
            .into_iter()
            .chain(self.calibrated.then(|| "calibrated".to_owned()))
    }

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
            alone: true,
            effort: None,
            calibrated: false,
            latency: Vec::new(),
            overhead: None,
        }
    }

    fn accelerated(
        path: &Path,
        direction: Direction,
        block_size: NonZeroUsize,
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
        let serving = || path.accelerated.serving(direction, block_size.get());
        let accelerator = (accelerated_ops > 0).then(serving).flatten();
        Self {
            provider: accelerator.map_or(software, |side| side.provider),
            measured,
            accelerated_ops,
            software_ops: after.software.ops - before.software.ops,
            reasons: reasons.collect(),
            alone: false,
            effort: path.accelerated.spec().effort(),
            calibrated: path.calibrated,
            latency: Vec::new(),
            overhead: None,
        }
    }
}

fn counters(path: &Path, direction: Direction) -> Counters {
    *path.accelerated.counters().direction(direction)
}

fn provider(effective: &Effective, direction: Direction) -> Option<ProviderId> {
    let side = match direction {
        Direction::Compress => effective.compress,
        Direction::Decompress => effective.decompress,
    };
    Some(side?.provider)
}

/// What errors call an accelerated path.
pub fn name(path: &Accelerated) -> String {
    match provider(path.effective(), Direction::Compress) {
        Some(provider) => format!("the accelerated path ({provider})"),
        None => "the accelerated path".into(),
    }
}

//! Several compressors over the same blocks.

use std::iter::once;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Duration;

use compressor_api::Direction;

use super::blocks::{Block, spread};
use super::lane::{Contender, Lane};
use super::latency::{self, Latency, Work};
use super::{Lap, MeasureError, Median, Pace, Rounds, interleave};

/// Compressors that are measured side by side over the same blocks, the first of them as the
/// baseline of the others.
pub struct SideBySide<'a> {
    samples: Vec<Sample<'a>>,
    /// Length of the data in bytes.
    len: u64,
    /// The baseline's units, one after the other.
    units: Vec<u8>,
    baseline: Lane,
    others: Vec<Lane>,
    /// Length of the longest block.
    longest: NonZeroUsize,
}

/// A block, and where the baseline's unit of it is.
pub(super) struct Sample<'a> {
    pub block: Block<'a>,
    pub unit: Range<usize>,
}

/// How far a measurement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// So many blocks were compressed, decompressed and compared, of so many.
    Checked {
        /// Done.
        blocks: usize,
        /// All.
        of: usize,
    },
    /// So much time was spent, of so much.
    Measured {
        /// Which way.
        direction: Direction,
        /// Done; may come out greater than `of`.
        spent: Duration,
        /// The budget.
        of: Duration,
    },
}

/// What was measured of one contender in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// Throughput in megabytes (10⁶ bytes) of uncompressed data a second, whichever the direction:
    /// the median over the rounds.
    pub mb_per_s: f64,
    /// How many times as fast as the baseline: the median over the rounds of baseline's time
    /// through own time for the same blocks. Exactly 1 for the baseline.
    pub speedup: f64,
    /// The same by the CPU time of the calling thread: for contenders that wait for nothing, what
    /// the wall would have said on a quiet machine.
    pub cpu_speedup: f64,
    /// Length of the contender's units through length of the data, Cassandra's convention: smaller
    /// is better, above 1 the data grew. The same in both directions.
    pub ratio: f64,
    /// CPU time of the calling thread, in nanoseconds a byte of uncompressed data.
    pub cpu_ns_per_byte: f64,
    /// The share of the wall time that the calling thread spent on a CPU. A codec that waits for
    /// nothing and had much less than 1 was measured on a machine too busy to measure on: its
    /// times, and ratios of them, say little.
    pub on_cpu: f64,
    /// Nanoseconds that an operation took, by the clock on the wall: the median over the rounds.
    pub ns_per_op: f64,
    /// Nanoseconds that an operation took more than the baseline's for the same block, over the
    /// rounds. Exactly 0 for the baseline.
    pub added_ns: Median,
    /// How many operations were run, warm-up included.
    pub ops: u64,
    /// How many [quiet](Rounds::quiet) rounds the numbers are of.
    pub rounds: usize,
}

impl<'a> SideBySide<'a> {
    /// Makes the sessions, compresses the data once with every contender, and checks what comes
    /// back: every contender decompresses its own units and the baseline's, and the baseline
    /// decompresses everybody's.
    ///
    /// Data shorter than `block_size` is one block; the last block may be shorter than the others.
    ///
    /// # Errors
    ///
    /// [`MeasureError`].
    pub fn prepare(
        baseline: Contender,
        others: impl IntoIterator<Item = Contender>,
        data: &'a [u8],
        block_size: NonZeroUsize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Self, MeasureError> {
        let no_memory = |len| move |_| MeasureError::NoMemory { len };
        let count = data.len().div_ceil(block_size.get());
        let blocks = spread(data, block_size)
            .map_err(no_memory(count.saturating_mul(size_of::<Block<'_>>())))?;
        let longest = blocks
            .iter()
            .filter_map(|b| NonZeroUsize::new(b.bytes.len()))
            .max();
        let longest = longest.ok_or(MeasureError::Empty)?;
        let others: Result<Vec<Lane>, _> = others
            .into_iter()
            .map(|contender| Lane::new(contender, longest))
            .collect();
        let mut samples = Vec::new();
        samples
            .try_reserve_exact(count)
            .map_err(no_memory(count.saturating_mul(size_of::<Sample<'_>>())))?;
        let mut this = Self {
            samples,
            len: data.len() as u64,
            units: Vec::new(),
            baseline: Lane::new(baseline, longest)?,
            others: others?,
            longest,
        };
        let of = blocks.len();
        for (done, block) in blocks.into_iter().enumerate() {
            let unit = this.check(block)?;
            this.samples.push(Sample { block, unit });
            progress(Progress::Checked {
                blocks: done + 1,
                of,
            });
        }
        Ok(this)
    }

    /// How many blocks the data was cut into.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.samples.len()
    }

    /// Measures one direction of every contender, in the order they were given.
    ///
    /// Rounds are [interleaved](interleave). When decompressing, everybody gets the *baseline's*
    /// units, so that all do the same work; an engine that changes its accelerator reads the old
    /// blocks too.
    ///
    /// # Errors
    ///
    /// [`MeasureError::Failed`].
    pub fn measure(
        &mut self,
        direction: Direction,
        pace: &Pace,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Measured>, MeasureError> {
        let Self {
            samples,
            units,
            baseline,
            others,
            ..
        } = self;
        let mut lanes: Vec<_> = once(baseline)
            .chain(others)
            .map(|lane| {
                |ops: Range<usize>| {
                    for Sample { block, unit } in cycled(samples, ops) {
                        match direction {
                            Direction::Compress => _ = lane.compress(*block)?,
                            Direction::Decompress => {
                                let unit = units.get(unit.clone()).unwrap_or_default();
                                lane.decompress(unit, *block)?;
                            }
                        }
                    }
                    Ok(())
                }
            })
            .collect();
        let of = pace.budget;
        let rounds = interleave(&mut lanes, pace, |spent| {
            progress(Progress::Measured {
                direction,
                spent,
                of,
            });
        })?;
        drop(lanes);
        Ok(self.summary(&rounds))
    }

    /// Measures how long single operations of one direction take when `threads` threads work at
    /// once, each with sessions of its own, for all contenders in the order they were given.
    ///
    /// As in [`measure`](Self::measure), everybody decompresses the baseline's units. The budget is
    /// for all contenders together; it is exceeded where each needs longer for one slice of
    /// [some milliseconds](super::Latency).
    ///
    /// # Errors
    ///
    /// [`MeasureError::Failed`], [`MeasureError::NoSession`], [`MeasureError::NoMemory`],
    /// [`MeasureError::NoThread`].
    pub fn latency(
        &self,
        direction: Direction,
        threads: NonZeroUsize,
        budget: Duration,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Latency>, MeasureError> {
        let work = Work {
            samples: &self.samples,
            units: &self.units,
            direction,
        };
        let lanes = once(&self.baseline).chain(&self.others);
        let contenders = lanes.map(|lane| &lane.contender);
        latency::measure(
            &work,
            contenders,
            self.longest,
            threads,
            budget,
            &mut |spent| {
                progress(Progress::Measured {
                    direction,
                    spent,
                    of: budget,
                });
            },
        )
    }

    /// Compresses one block with every contender and checks all that there is to read; returns
    /// where the baseline's unit is.
    fn check(&mut self, block: Block<'_>) -> Result<Range<usize>, MeasureError> {
        let Self {
            units,
            baseline,
            others,
            ..
        } = self;
        let name = baseline.contender.name.clone();
        let start = units.len();
        baseline.write(block, units)?;
        let range = start..units.len();
        let unit = units.get(range.clone()).unwrap_or_default();
        baseline.check(unit, block, &name)?;
        let mut own = Vec::new();
        for other in others {
            other.check(unit, block, &name)?;
            own.clear();
            other.write(block, &mut own)?;
            let writer = other.contender.name.clone();
            other.check(&own, block, &writer)?;
            baseline.check(&own, block, &writer)?;
        }
        Ok(range)
    }

    fn summary(&self, rounds: &Rounds) -> Vec<Measured> {
        let quiet = rounds.quiet();
        let ops = rounds.ops_per_round() as f64;
        let bytes: Vec<f64> = quiet
            .iter()
            .map(|round| self.bytes(rounds.ops(*round)))
            .collect();
        let laps = |lane| -> Vec<Lap> {
            let laps = rounds.laps(lane);
            quiet
                .iter()
                .filter_map(|round| laps.get(*round))
                .copied()
                .collect()
        };
        let baseline = laps(0);
        once(&self.baseline)
            .chain(&self.others)
            .enumerate()
            .map(|(number, lane)| {
                let measured = Measured::of(&laps(number), &baseline, &bytes, ops);
                Measured {
                    ratio: lane.compressed_len as f64 / self.len as f64,
                    ops: rounds.total_ops() as u64,
                    ..measured
                }
            })
            .collect()
    }

    /// Length of the blocks that these operations go over.
    fn bytes(&self, ops: Range<usize>) -> f64 {
        cycled(&self.samples, ops)
            .map(|sample| sample.block.bytes.len() as f64)
            .sum()
    }
}

impl Measured {
    /// From the laps of a contender and the baseline's, and what they were over, by round: bytes,
    /// and operations, as many in each. What is not of laps is left for the caller to fill in.
    fn of(laps: &[Lap], baseline: &[Lap], bytes: &[f64], ops: f64) -> Self {
        let throughputs = laps.iter().zip(bytes);
        let pairs = || laps.iter().zip(baseline);
        let ns_per_op = |lap| seconds(lap) * 1e9 / ops;
        let added = pairs().map(|(lap, baseline)| ns_per_op(lap) - ns_per_op(baseline));
        let cpu: Duration = laps.iter().map(|lap| lap.cpu).sum();
        let wall: f64 = laps.iter().map(seconds).sum();
        Self {
            mb_per_s: middle(throughputs.map(|(lap, bytes)| bytes / 1e6 / seconds(lap))),
            speedup: middle(pairs().map(|(lap, baseline)| seconds(baseline) / seconds(lap))),
            cpu_speedup: middle(pairs().map(|(lap, baseline)| on_cpu(baseline) / on_cpu(lap))),
            ratio: 0.0,
            cpu_ns_per_byte: cpu.as_secs_f64() * 1e9 / bytes.iter().sum::<f64>(),
            on_cpu: cpu.as_secs_f64() / wall,
            ns_per_op: middle(laps.iter().map(ns_per_op)),
            added_ns: Median::of(added).unwrap_or(NOTHING),
            ops: 0,
            rounds: laps.len(),
        }
    }
}

/// The median of nothing.
const NOTHING: Median = Median {
    value: 0.0,
    low: 0.0,
    high: 0.0,
};

/// The samples that these operations are of, when operations go over all of them again and again.
pub(super) fn cycled<'s, 'a>(
    samples: &'s [Sample<'a>],
    ops: Range<usize>,
) -> impl Iterator<Item = &'s Sample<'a>> {
    let start = ops.start.checked_rem(samples.len()).unwrap_or(0);
    let first_pass = samples.get(start..).unwrap_or_default();
    first_pass
        .iter()
        .chain(samples.iter().cycle())
        .take(ops.len())
}

/// Wall time, never 0: below the clock's resolution everything takes its least.
fn seconds(lap: &Lap) -> f64 {
    lap.wall.max(Duration::from_nanos(1)).as_secs_f64()
}

/// CPU time, never 0.
fn on_cpu(lap: &Lap) -> f64 {
    lap.cpu.max(Duration::from_nanos(1)).as_secs_f64()
}

/// The median; 0 of nothing.
fn middle(values: impl Iterator<Item = f64>) -> f64 {
    Median::of(values).unwrap_or(NOTHING).value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laps(wall_and_cpu: &[(u64, u64)]) -> Vec<Lap> {
        let micros = Duration::from_micros;
        let laps = wall_and_cpu.iter();
        laps.map(|(wall, cpu)| Lap {
            wall: micros(*wall),
            cpu: micros(*cpu),
            interruptions: 0,
        })
        .collect()
    }

    #[test]
    fn medians_are_quoted_of_what_ran_next_to_each_other() {
        // Round by round 2, 3 and 2.5 times as fast, on a machine that slows down to a tenth.
        let baseline = laps(&[(200, 200), (600, 300), (2500, 250)]);
        let other = laps(&[(100, 100), (200, 100), (1000, 130)]);
        let bytes = [1000.0, 1000.0, 2000.0];
        let measured = Measured::of(&other, &baseline, &bytes, 10.0);
        assert!((measured.speedup - 2.5).abs() < 1e-9, "{measured:?}");
        // 2, 3 and 25/13.
        assert!((measured.cpu_speedup - 2.0).abs() < 1e-9, "{measured:?}");
        // 10, 5 and 2 MB/s.
        assert!((measured.mb_per_s - 5.0).abs() < 1e-9, "{measured:?}");
        // 330 µs over 4000 bytes.
        assert!(
            (measured.cpu_ns_per_byte - 82.5).abs() < 1e-9,
            "{measured:?}"
        );
        assert_eq!(measured.rounds, 3);
        // 10 operations a round: 10, 20 and 100 µs each, and 10, 40 and 150 µs less than the
        // baseline.
        assert!((measured.ns_per_op - 20e3).abs() < 1e-6, "{measured:?}");
        let added = measured.added_ns;
        assert!((added.value + 40e3).abs() < 1e-6, "{measured:?}");
        assert!((added.low + 150e3).abs() < 1e-6 && (added.high + 10e3).abs() < 1e-6);

        let itself = Measured::of(&baseline, &baseline, &bytes, 10.0);
        assert_eq!((itself.speedup, itself.added_ns), (1.0, NOTHING));
    }

    #[test]
    fn operations_go_over_the_data_again_and_again() {
        let data = [1; 5];
        let size = NonZeroUsize::new(2).unwrap();
        let blocks = spread(&data, size).unwrap().into_iter();
        let samples: Vec<Sample<'_>> = blocks.map(|block| Sample { block, unit: 0..0 }).collect();
        let order: Vec<usize> = samples.iter().map(|sample| sample.block.number).collect();
        let numbers = |ops| -> Vec<usize> {
            cycled(&samples, ops)
                .map(|sample| sample.block.number)
                .collect()
        };
        assert_eq!(numbers(0..3), order);
        assert_eq!(
            numbers(4..9),
            [order[1], order[2], order[0], order[1], order[2]]
        );
        assert!(numbers(7..7).is_empty());
    }
}

//! Rounds of runs.

use std::time::Duration;

use compressor::Direction;
use compressor_rocksdb::Handle;
use hdrhistogram::Histogram;
use indicatif::{ProgressBar, ProgressStyle};
use rocksdb::statistics::{Histogram as Timer, Ticker};
use rocksdb::{DB, Options};
use serde::Serialize;

use crate::args::{Args, Workload};
use crate::config::{Config, Who};
use crate::failure::Failure;
use crate::paced::{Spent, at_full_speed, at_rate, spent};
use crate::rows::{Draw, Rows, Shape};
use crate::table::{Table, Worker};

/// What one run gave. The names are those of the JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    pub config: String,
    pub workload: String,
    pub round: usize,
    /// What the configuration is compared with.
    #[serde(skip)]
    pub stock: String,
    pub ops_per_s: f64,
    /// CPU seconds per million operations, of all threads, background ones included.
    pub cpu_s_per_mop: f64,
    /// Latencies in microseconds, at `rate` operations a second; of no operation there are none.
    pub p50_us: Option<f64>,
    pub p99_us: Option<f64>,
    pub p999_us: Option<f64>,
    pub rate: f64,
    /// Whether every operation that was due at that rate was done; if not, it was out of reach.
    pub rate_reached: bool,
    pub bytes_on_disk: u64,
    /// Bytes written by flushes, per second that a flush ran, if one did.
    pub flush_mb_per_s: Option<f64>,
    /// Bytes read and written by compactions, per second that one ran, if one did.
    pub compaction_mb_per_s: Option<f64>,
    /// Blocks that an accelerator served, both directions.
    pub accelerated_blocks: u64,
    /// Blocks that software of this framework served.
    pub software_blocks: u64,
    /// What was asked for.
    pub rows: u32,
    pub partitions: u32,
    pub threads: usize,
    pub block_size: usize,
    pub wal: bool,
    pub seed: u64,
}

/// Runs every configuration once a round, in turn; `runs` has those that were finished, whatever comes.
pub fn run(args: &Args, runs: &mut Vec<Run>) -> Result<(), Failure> {
    let plans = Plan::of(&args.workloads);
    let rounds = args.rounds.get();
    // Each once, however often it was named.
    let mut configs: Vec<Config> = Vec::new();
    for config in &args.configs {
        if !configs.contains(config) {
            configs.push(*config);
        }
    }
    let bar = ProgressBar::new((rounds * configs.len() * plans.len()) as u64);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta:>4} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));

    for plan in &plans {
        let rows = plan.rows(args);
        for round in 0..rounds {
            for config in in_turn(&configs, round) {
                bar.set_message(format!("{config}, {}", plan.name()));
                let pace = Pace {
                    given: args.rate,
                    runs,
                    round,
                    stock: config.stock().to_string(),
                };
                let more = plan.run(*config, args, round, &rows, &pace)?;
                runs.extend(more);
                bar.inc(1);
            }
        }
    }
    bar.finish_and_clear();
    Ok(())
}

/// Those that others are compared with first, for they set the rate of a round; the others begin
/// with another one each round.
fn in_turn(configs: &[Config], round: usize) -> impl Iterator<Item = &Config> {
    let (stock, others): (Vec<_>, Vec<_>) =
        configs.iter().partition(|config| config.who == Who::Stock);
    let skip = round % others.len().max(1);
    let turned = others
        .clone()
        .into_iter()
        .skip(skip)
        .chain(others.into_iter().take(skip));
    stock.into_iter().chain(turned)
}

/// At which rate latencies are measured.
struct Pace<'a> {
    given: Option<f64>,
    runs: &'a [Run],
    round: usize,
    stock: String,
}

impl Pace<'_> {
    /// Half of what stock reached in this workload and round; of `own`, if it did not run.
    fn rate(&self, workload: &str, own: f64) -> f64 {
        let stock = self.runs.iter().find(|run| {
            run.round == self.round && run.workload == workload && run.config == self.stock
        });
        self.given
            .unwrap_or_else(|| stock.map_or(own, |run| run.ops_per_s) / 2.0)
            .max(1.0)
    }
}

/// The workloads that share a database.
#[derive(Debug)]
struct Plan {
    shape: Shape,
    draw: Draw,
    write: Option<Workload>,
    read: Option<Workload>,
    mixed: Option<Workload>,
}

impl Plan {
    fn of(workloads: &[Workload]) -> Vec<Self> {
        let asked = |workload| workloads.contains(&workload).then_some(workload);
        let plans = [
            Self {
                shape: Shape::Small,
                draw: Draw::Uniform,
                write: asked(Workload::WriteUniform),
                read: asked(Workload::ReadUniform),
                mixed: asked(Workload::MixedUniform),
            },
            Self {
                shape: Shape::Small,
                draw: Draw::Zipf,
                write: asked(Workload::WriteZipf),
                read: asked(Workload::ReadZipf),
                mixed: asked(Workload::MixedZipf),
            },
            Self {
                shape: Shape::Large,
                draw: Draw::Uniform,
                write: None,
                read: None,
                mixed: asked(Workload::LargeRows),
            },
        ];
        let asked = |plan: &Self| {
            [plan.write, plan.read, plan.mixed]
                .iter()
                .any(Option::is_some)
        };
        plans.into_iter().filter(asked).collect()
    }

    fn name(&self) -> &'static str {
        match (self.shape, self.draw) {
            (Shape::Large, _) => "large rows",
            (_, Draw::Uniform) => "uniform keys",
            (_, Draw::Zipf) => "Zipf keys",
        }
    }

    fn rows(&self, args: &Args) -> Rows {
        Rows::new(self.shape, self.draw, args.partitions.get(), args.seed)
    }

    /// Makes a database, runs the workloads on it, and removes it.
    fn run(
        &self,
        config: Config,
        args: &Args,
        round: usize,
        rows: &Rows,
        pace: &Pace<'_>,
    ) -> Result<Vec<Run>, Failure> {
        let mut folder = tempfile::Builder::new();
        let folder = folder.prefix("rocksdb-workload-");
        let folder = match &args.dir {
            Some(dir) => folder.tempdir_in(dir),
            None => folder.tempdir(),
        }
        .map_err(|error| {
            let dir = args.dir.clone().unwrap_or_else(std::env::temp_dir);
            Failure::of(format!(
                "cannot make a database in {}: {error}",
                dir.display()
            ))
        })?;
        let (options, handle) = config.options(args)?;
        let db = DB::open(&options, folder.path())?;
        let mut bench = Bench {
            table: Table::new(&db, rows, args.partitions.get(), args.wal),
            options: &options,
            handle: handle.as_ref(),
            args,
            config,
            round,
            pace,
            seed: args.seed.wrapping_add(round as u64),
        };
        let loaded = match self.shape {
            Shape::Small => u64::from(args.rows.get()),
            // The same number of bytes, or nearly.
            Shape::Large => u64::from(args.rows.get()).div_ceil(30),
        };

        let mut runs = Vec::new();
        let before = bench.counts();
        let load = spent(|| {
            at_full_speed(args.threads.get(), loaded, bench.seed, |_, worker| {
                bench.table.write(worker)
            })?;
            bench.table.compact()
        })?;
        bench.table.settle()?;
        if let Some(workload) = self.write {
            let write = |table: &Table<'_>, _, worker: &mut Worker| table.write(worker);
            runs.push(bench.finish(workload, loaded, load, before, write)?);
            // What was written at a fixed rate is not to be read from memory.
            bench.table.compact()?;
        }
        if let Some(workload) = self.read {
            runs.push(bench.work(workload, loaded, |table, _, worker| table.read(worker))?);
        }
        if let Some(workload) = self.mixed {
            let run = match self.shape {
                Shape::Small => bench.work(workload, loaded, |table, _, worker| {
                    table.read_or_write(worker)
                }),
                // Readers and writers are different threads.
                Shape::Large => bench.work(workload, 4 * loaded, |table, thread, worker| {
                    if thread % 2 == 0 {
                        table.write(worker)
                    } else {
                        table.read(worker)
                    }
                }),
            };
            runs.push(run?);
        }
        Ok(runs)
    }
}

/// One database at work.
struct Bench<'a> {
    table: Table<'a>,
    options: &'a Options,
    handle: Option<&'a Handle>,
    args: &'a Args,
    config: Config,
    round: usize,
    pace: &'a Pace<'a>,
    seed: u64,
}

/// What RocksDB and the framework have counted so far.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    flushed: u64,
    flush_micros: u64,
    compacted: u64,
    compaction_micros: u64,
    accelerated: u64,
    software: u64,
}

impl Bench<'_> {
    /// Measures `op` at full speed, then its latencies.
    fn work(
        &self,
        workload: Workload,
        ops: u64,
        op: impl Fn(&Table<'_>, usize, &mut Worker) -> Result<(), Failure> + Sync,
    ) -> Result<Run, Failure> {
        let before = self.counts();
        let threads = self.args.threads.get();
        let spent = spent(|| {
            at_full_speed(threads, ops, self.seed ^ 1, |thread, worker| {
                op(&self.table, thread, worker)
            })
        })?;
        self.finish(workload, ops, spent, before, op)
    }

    /// Measures latencies at a fixed rate, and puts the run together.
    fn finish(
        &self,
        workload: Workload,
        ops: u64,
        spent: Spent,
        before: Counts,
        op: impl Fn(&Table<'_>, usize, &mut Worker) -> Result<(), Failure> + Sync,
    ) -> Result<Run, Failure> {
        let after = self.counts();
        let bytes_on_disk = self.table.bytes_on_disk()?;
        let workload = workload.to_string();
        let ops_per_s = ops as f64 / spent.seconds;
        let rate = self.pace.rate(&workload, ops_per_s);
        let latencies = at_rate(
            self.args.threads.get(),
            rate,
            self.args.latency_time,
            self.seed ^ 2,
            |thread, worker| op(&self.table, thread, worker),
        )?;
        Ok(Run {
            config: self.config.to_string(),
            workload,
            round: self.round,
            stock: self.config.stock().to_string(),
            ops_per_s,
            cpu_s_per_mop: spent.cpu_seconds / ops as f64 * 1e6,
            p50_us: micros(&latencies, 0.5),
            p99_us: micros(&latencies, 0.99),
            p999_us: micros(&latencies, 0.999),
            rate,
            // Rounding may make one operation of a thread more or less.
            rate_reached: (latencies.len() + self.args.threads.get() as u64) as f64
                >= rate * self.args.latency_time.as_secs_f64(),
            bytes_on_disk,
            flush_mb_per_s: per_second(
                after.flushed - before.flushed,
                after.flush_micros - before.flush_micros,
            ),
            compaction_mb_per_s: per_second(
                after.compacted - before.compacted,
                after.compaction_micros - before.compaction_micros,
            ),
            accelerated_blocks: after.accelerated - before.accelerated,
            software_blocks: after.software - before.software,
            rows: self.args.rows.get(),
            partitions: self.args.partitions.get(),
            threads: self.args.threads.get(),
            block_size: self.args.block_size.get(),
            wal: self.args.wal,
            seed: self.args.seed,
        })
    }

    fn counts(&self) -> Counts {
        let count = |ticker| self.options.get_ticker_count(ticker);
        let time = |timer| self.options.get_histogram_data(timer).sum();
        let served = self.handle.map(|handle| handle.report(self.options));
        let served = served.map_or((0, 0), |report| {
            Direction::BOTH
                .map(|direction| report.ops(direction))
                .into_iter()
                .fold((0, 0), |sum, ops| (sum.0 + ops.0, sum.1 + ops.1))
        });
        Counts {
            flushed: count(Ticker::FlushWriteBytes),
            flush_micros: time(Timer::FlushTime),
            compacted: count(Ticker::CompactReadBytes) + count(Ticker::CompactWriteBytes),
            compaction_micros: time(Timer::CompactionTime),
            accelerated: served.0,
            software: served.1,
        }
    }
}

fn micros(latencies: &Histogram<u64>, quantile: f64) -> Option<f64> {
    (!latencies.is_empty()).then(|| latencies.value_at_quantile(quantile) as f64 / 1e3)
}

/// Megabytes a second; bytes per microsecond are the same.
fn per_second(bytes: u64, micros: u64) -> Option<f64> {
    (micros != 0).then(|| bytes as f64 / micros as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stock_runs_first_and_all_run() {
        let configs = Config::all();
        for round in 0..10 {
            let turn: Vec<_> = in_turn(&configs, round).copied().collect();
            assert_eq!(turn.len(), configs.len());
            assert!(configs.iter().all(|config| turn.contains(config)));
            let stock = turn
                .iter()
                .filter(|config| config.who == Who::Stock)
                .count();
            assert!(turn[..stock].iter().all(|config| config.who == Who::Stock));
        }
        assert_eq!(in_turn(&[], 3).count(), 0);
    }

    #[test]
    fn each_workload_is_in_one_plan() {
        for workload in Workload::ALL {
            assert_eq!(Plan::of(&[workload]).len(), 1, "{workload}");
        }
        assert_eq!(Plan::of(&Workload::ALL).len(), 3);
    }
}

//! The command line.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::config::Config;

/// Measure RocksDB with its own compression against the same served by this framework.
///
/// A time-series table: machine id and sensor name, then the time; a value, a station id and a text,
/// 200 bytes a row. Each configuration loads it, compacts it fully, reads it and works on it, once a
/// round and in turn. The configurations of one compression type are compared with RocksDB's own.
#[derive(Debug, Parser)]
#[command(name = "rocksdb-workload", version, max_term_width = 100)]
#[command(after_help = "\
Workloads: `write` loads the table from several writers and ends with a full compaction; `read` reads
single rows that are not in a cache; `mixed` reads and writes half and half; each with partitions
drawn uniformly or by Zipf's law. `large-rows` has rows of 6 KB, half of the threads reading and half
writing.

Throughput and CPU time are measured at full speed. Latencies are measured at a fixed rate, half of
what RocksDB's own compression reached in the same round unless --rate says otherwise, and from the
moment at which an operation was due, so that a stall counts for all who had to wait for it.

Ctrl-C and SIGTERM remove the database and print the runs that were finished.

Exit status: 0 success, 1 a run failed or a row was missing, 2 usage, 128 and the signal for a signal.")]
pub struct Args {
    /// Configurations to run, as TYPE/WHO: stock is RocksDB's own code, software this framework
    /// without accelerators, ours with them, and an effort after it another trade of ratio for speed;
    /// several with commas between them, or the option again
    #[arg(long = "config", value_name = "CONFIG", value_delimiter = ',', default_values_t = Config::all())]
    pub configs: Vec<Config>,

    /// Workloads to run
    #[arg(long = "workload", value_enum, value_name = "WORKLOAD", value_delimiter = ',', default_values_t = Workload::ALL)]
    pub workloads: Vec<Workload>,

    /// Rounds: every configuration runs once in each
    #[arg(long, value_name = "N", default_value = "5")]
    pub rounds: NonZeroUsize,

    /// Rows to load
    #[arg(long, value_name = "N", default_value = "300000", value_parser = rows)]
    pub rows: NonZeroU32,

    /// Partitions of the table, up to 10,000,000
    #[arg(long, value_name = "N", default_value = "2000", value_parser = partitions)]
    pub partitions: NonZeroU32,

    /// Threads that write or read at once, up to 1,024
    #[arg(long, value_name = "N", default_value = "2", value_parser = threads)]
    pub threads: NonZeroUsize,

    /// Seconds for which latencies are measured, per run
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds, allow_negative_numbers = true)]
    pub latency_time: Duration,

    /// Operations per second, over all threads, at which latencies are measured
    #[arg(long, value_name = "OPS", value_parser = rate, allow_negative_numbers = true)]
    pub rate: Option<f64>,

    /// Size of a block in bytes
    #[arg(long, value_name = "BYTES", default_value = "4096")]
    pub block_size: NonZeroUsize,

    /// Writes the log before each write
    #[arg(long)]
    pub wal: bool,

    /// The folder to make the databases in; the default is the system's for temporary files
    #[arg(long, value_name = "PATH")]
    pub dir: Option<PathBuf>,

    /// Seed of the data and of the choice of rows
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,

    /// Prints an array of runs: config, workload, round, ops_per_s, cpu_s_per_mop, p50_us, p99_us,
    /// p999_us (at rate operations a second, if rate_reached), bytes_on_disk, and more that says itself
    #[arg(long)]
    pub json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .filter(|seconds| (0.05..=3600.0).contains(seconds))
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "not a number of seconds from 0.05 to 3600".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|rate: &f64| rate.is_finite() && *rate > 0.0)
        .ok_or_else(|| "not a finite number above 0".to_owned())
}

fn rows(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .map_err(|_| "not a whole number from 1 to 4294967295".to_owned())
}

/// Each partition takes eight bytes of memory, before any row is written.
fn partitions(text: &str) -> Result<NonZeroU32, String> {
    text.parse()
        .ok()
        .filter(|partitions: &NonZeroU32| partitions.get() <= 10_000_000)
        .ok_or_else(|| "not a whole number from 1 to 10000000".to_owned())
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|threads: &NonZeroUsize| threads.get() <= 1024)
        .ok_or_else(|| "not a whole number from 1 to 1024".to_owned())
}

/// What is done with the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Workload {
    WriteUniform,
    ReadUniform,
    MixedUniform,
    WriteZipf,
    ReadZipf,
    MixedZipf,
    LargeRows,
}

impl Workload {
    /// Every workload, in the order in which they run.
    pub const ALL: [Self; 7] = [
        Self::WriteUniform,
        Self::ReadUniform,
        Self::MixedUniform,
        Self::WriteZipf,
        Self::ReadZipf,
        Self::MixedZipf,
        Self::LargeRows,
    ];
}

impl std::fmt::Display for Workload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::WriteUniform => "write-uniform",
            Self::ReadUniform => "read-uniform",
            Self::MixedUniform => "mixed-uniform",
            Self::WriteZipf => "write-zipf",
            Self::ReadZipf => "read-zipf",
            Self::MixedZipf => "mixed-zipf",
            Self::LargeRows => "large-rows",
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, ValueEnum};

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for text in ["0", "-5", "nan", "inf", "x"] {
            assert!(rate(text).is_err(), "{text}");
        }
        for text in ["0", "1e18", "nan", "-1"] {
            assert!(seconds(text).is_err(), "{text}");
        }
        assert!(rows("0").is_err());
        assert!(threads("1025").is_err());
        assert!(partitions("4000000000").is_err());
        assert_eq!(rate("0.5"), Ok(0.5));
        assert_eq!(threads("1024").map(NonZeroUsize::get), Ok(1024));
    }

    #[test]
    fn a_workload_parses_from_what_it_prints() {
        for workload in Workload::ALL {
            assert_eq!(
                Workload::from_str(&workload.to_string(), false),
                Ok(workload)
            );
        }
    }
}

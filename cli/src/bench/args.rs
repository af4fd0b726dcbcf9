//! What to measure, on what, for how long.

use std::collections::HashSet;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use compressor::{ErrorKind, Format, Spec};
use compressor_benches::data::{DataSet, Kind, generate};

use super::efforts::EffortsArgs;
use super::measure::Extent;
use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::{room, values};

/// Measure software and the accelerated path side by side.
///
/// Each file is cut into blocks, and each block is compressed and decompressed by the software
/// codec of the format and by the accelerated path: what an engine gets, an accelerator with
/// software behind it. Both run in turn, about a millisecond each, so that whatever else the machine
/// does slows them alike. All that is measured was decompressed and compared with the original
/// first.
///
/// A format without an accelerator is served by software on the accelerated path too: its speed-up
/// is about 1.00, and shows what the framework costs.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub struct Args {
    /// Formats to measure: none, lz4-block, lz4-sized, zstd, zlib, deflate-raw, gzip, snappy
    /// [default: all, or all that the providers named serve].
    #[arg(
        long = "format",
        value_name = "FORMAT,...",
        value_delimiter = ',',
        value_parser = values::format
    )]
    formats: Vec<Format>,
    /// The level, on the format's own scale [default: the format's].
    #[arg(long, allow_negative_numbers = true)]
    pub level: Option<i32>,
    #[command(flatten)]
    pub efforts: EffortsArgs,
    /// Lengths of the blocks: 4KiB,16KiB.
    #[arg(
        long = "block-size",
        value_name = "BYTES,...",
        default_value = "16KiB",
        value_delimiter = ',',
        value_parser = values::size
    )]
    block_sizes: Vec<NonZeroUsize>,
    /// Accelerators to measure instead of the one that would be chosen, side by side; an error if
    /// one of them cannot serve.
    #[arg(long = "provider", value_name = "PROVIDER,...", value_delimiter = ',')]
    providers: Vec<String>,
    /// What `compressor calibrate` wrote: where it says who serves, that path is measured too, as
    /// `calibrated`, beside the one chosen by priority [default: the configuration's, or
    /// COMPRESSOR_CALIBRATION].
    #[arg(long, value_name = "PATH", conflicts_with = "providers")]
    pub calibration: Option<PathBuf>,
    #[command(flatten)]
    pub plugins: PluginArgs,
    /// Built-in data sets to measure on [default: all of them if no FILE is given].
    #[arg(long = "data", value_name = "KIND,...", value_delimiter = ',')]
    kinds: Vec<Kind>,
    /// How much of each built-in data set to make [default: 4MiB].
    #[arg(long, value_name = "BYTES", value_parser = values::size)]
    size: Option<NonZeroUsize>,
    /// What the built-in data sets are made from: the same seed gives the same bytes [default: 1].
    #[arg(long)]
    seed: Option<u64>,
    /// How long to measure each direction of each cell (data, format, block size). Preparing and
    /// checking comes on top.
    #[arg(long, default_value = "500ms", value_parser = values::time)]
    time: Duration,
    /// Print JSON: an array with a row for each file, format, block size, path and direction.
    #[arg(long)]
    pub json: bool,
    /// With how many threads at once to measure how long single operations take: 1,2,4. Half of
    /// --time for each number and direction, on top [default with --html: 1,2,4].
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = values::threads)]
    threads: Vec<NonZeroUsize>,
    /// Write a page with plots to this file, and measure also what the framework adds to an
    /// operation. A file that is there is replaced once all is measured.
    #[arg(long, value_name = "OUT")]
    pub html: Option<PathBuf>,
    /// Files to measure on; each is read into memory. If one cannot be read or is empty, nothing is
    /// measured.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// How much of a built-in data set is made if nobody says how much.
const SIZE: usize = 4 << 20;
/// What it is made from.
const SEED: u64 = 1;
/// With how many threads a page shows latency: one, two, and more.
const THREADS: [NonZeroUsize; 3] = [
    NonZeroUsize::MIN,
    NonZeroUsize::MIN.saturating_add(1),
    NonZeroUsize::MIN.saturating_add(3),
];

const AFTER_HELP: &str = "\
Built-in data sets:
  rows        sensor readings of a time-series store, about 130 bytes a row
  wide-rows   rows of about 6 KB: ids, numbers, short strings, JSON and prose
  logs        JSON log lines of several services, with trace ids and latencies
  text        English-like prose
  random      incompressible bytes

What is printed:
  MB/s        10^6 bytes of uncompressed data a second, whichever the direction
  speed-up    software's time through the accelerated path's for the same blocks: the median over
              rounds that ran next to each other, so not always the quotient of the two MB/s.
              Decompressing, both get the units that software compressed
  ratio       compressed through original length: smaller is better, as in Cassandra
  CPU ns/B    CPU time of the calling thread for a byte of uncompressed data
  latency     with --threads: half of the operations took no longer than p50, 99 % no longer than
              p99, 99.9 % no longer than p99.9; of fewer than 1,000 operations p99.9 is the longest.
              More threads than CPUs wait for each other
  operations  how many the accelerator did, how many software did in its place, and why

JSON has a row for software (its speedup is 1) and one for each accelerated path, per direction:
file, format, level, block_size, provider, direction, mb_per_s, speedup, ratio, cpu_ns_per_byte,
accelerated_ops, software_ops, reasons (a count of operations for each); where one was asked
for, effort; where a calibration says who serves, calibrated (true); with --threads latency (for
each number: threads, ops, p50_us, p99_us, p999_us, max_us, mb_per_s of all threads); with --html
overhead (direct_ns of an operation, added_ns by the framework, added_low_ns to added_high_ns).
That the machine was busy, or data shorter than a block, is logged as a warning.";

impl Args {
    /// The formats that were asked for, each once.
    pub fn formats(&self) -> Vec<Format> {
        values::each_once(&self.formats)
    }

    /// The lengths of the blocks, each once.
    pub fn block_sizes(&self) -> Vec<NonZeroUsize> {
        values::each_once(&self.block_sizes)
    }

    /// The providers that were named, each once.
    pub fn providers(&self) -> Vec<String> {
        values::each_once(&self.providers)
    }

    /// What to measure of each cell.
    pub fn extent(&self) -> Extent {
        let threads = match (&self.threads[..], &self.html) {
            ([], Some(_)) => THREADS.into(),
            (threads, _) => values::each_once(threads),
        };
        Extent {
            time: self.time,
            threads,
            overhead: self.html.is_some(),
        }
    }

    /// The data, in the order it was asked for: files first.
    pub fn data_sets(&self) -> Result<Vec<DataSet>, Failure> {
        let kinds = self.kinds();
        if kinds.is_empty() && (self.size.is_some() || self.seed.is_some()) {
            return Err(Failure::usage(
                "--size and --seed go with --data; a FILE is measured as it is",
            ));
        }
        let mut sets = Vec::new();
        for path in &self.files {
            sets.push(file(path)?);
        }
        let size = self.size.map_or(SIZE, NonZeroUsize::get);
        for kind in kinds {
            room::check(size, kind.name())?;
            sets.push(generate(kind, self.seed.unwrap_or(SEED), size));
        }
        self.tell_apart(&mut sets);
        Ok(sets)
    }

    /// The built-in data sets that were asked for, each once; all of them if nothing was.
    fn kinds(&self) -> Vec<Kind> {
        match (self.files.is_empty(), &self.kinds[..]) {
            (true, []) => Kind::ALL.into(),
            (_, kinds) => values::each_once(kinds),
        }
    }

    /// The spec of a format at the level that was asked for.
    pub fn spec(&self, format: Format) -> Result<Spec, Failure> {
        let spec = Spec::new(format);
        match self.level {
            None => Ok(spec),
            Some(level) => spec.with_level(level).map_err(|error| match &self.formats()[..] {
                [_] => Failure::from(error),
                _ => Failure::usage(format_args!(
                    "{error}; --level goes for every format, so name those that have it with --format"
                )),
            }),
        }
    }

    /// Calls files by their paths where their names alone are not unique.
    fn tell_apart(&self, sets: &mut [DataSet]) {
        let names: HashSet<&str> = sets.iter().map(|set| set.name.as_str()).collect();
        if names.len() < sets.len() {
            for (set, path) in sets.iter_mut().zip(&self.files) {
                set.name = path.display().to_string();
            }
        }
    }
}

/// The content of a file, of which there is some.
fn file(path: &Path) -> Result<DataSet, Failure> {
    let set = DataSet::from_file(path).map_err(|error| match error.kind() {
        io::ErrorKind::OutOfMemory => Failure::data(ErrorKind::OutOfMemory, error),
        _ => Failure::usage(error),
    })?;
    if set.bytes.is_empty() {
        let path = path.display();
        return Err(Failure::usage(format_args!(
            "{path}: the file is empty, there is nothing to measure"
        )));
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_describes_every_data_set() {
        for kind in Kind::ALL {
            let line = format!("  {:<11} {}\n", kind.name(), kind.description());
            assert!(AFTER_HELP.contains(&line), "{line}");
        }
    }
}

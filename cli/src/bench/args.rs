//! What to measure, on what, for how long.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use compressor::{Format, Spec};
use compressor_benches::data::{DataSet, Kind, generate};

use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::values;

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
    /// A format to measure: none, lz4-block, lz4-sized, zstd, zlib, deflate-raw, gzip or snappy; may
    /// be given several times [default: all, or all that the providers named serve].
    #[arg(long = "format", value_name = "FORMAT", value_parser = values::format)]
    pub formats: Vec<Format>,
    /// The level, on the format's own scale [default: the format's].
    #[arg(long, allow_negative_numbers = true)]
    pub level: Option<i32>,
    /// Lengths of the blocks, separated by commas: 4KiB,16KiB.
    #[arg(
        long = "block-size",
        value_name = "BYTES,...",
        default_value = "16KiB",
        value_delimiter = ',',
        value_parser = values::size
    )]
    pub block_sizes: Vec<NonZeroUsize>,
    /// An accelerator to measure instead of the one that would be chosen; several are measured side
    /// by side.
    #[arg(long = "provider", value_name = "PROVIDER")]
    pub providers: Vec<String>,
    #[command(flatten)]
    pub plugins: PluginArgs,
    /// A built-in data set to measure on; may be given several times [default: all of them if no
    /// FILE is given].
    #[arg(long = "data", value_name = "KIND")]
    pub kinds: Vec<Kind>,
    /// How much of each built-in data set to make.
    #[arg(long, value_name = "BYTES", default_value = "4MiB", value_parser = values::size)]
    pub size: NonZeroUsize,
    /// What the built-in data sets are made from: the same seed gives the same bytes.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How long to measure each direction of each cell (data, format, block size). Preparing and
    /// checking comes on top.
    #[arg(long, default_value = "500ms", value_parser = values::time)]
    pub time: Duration,
    /// Print JSON: an array with a row for each file, format, block size, path and direction.
    #[arg(long)]
    pub json: bool,
    /// Files to measure on; each is read into memory.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

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
  operations  how many the accelerator did, how many software did in its place, and why

JSON has a row for software (its speedup is 1) and one for each accelerated path, per direction:
file, format, level, block_size, provider, direction, mb_per_s, speedup, ratio, cpu_ns_per_byte,
accelerated_ops, software_ops, reasons (a count of operations for each).";

impl Args {
    /// The data, in the order it was asked for: files first.
    pub fn data_sets(&self) -> Result<Vec<DataSet>, Failure> {
        let mut sets = Vec::new();
        for path in &self.files {
            let set = DataSet::from_file(path).map_err(Failure::usage)?;
            if set.bytes.is_empty() {
                let path = path.display();
                return Err(Failure::data(
                    compressor::ErrorKind::InvalidArgument,
                    format_args!("{path}: the file is empty, there is nothing to measure"),
                ));
            }
            sets.push(set);
        }
        let kinds = match (self.files.is_empty(), &self.kinds[..]) {
            (true, []) => &Kind::ALL[..],
            (_, kinds) => kinds,
        };
        let made = kinds
            .iter()
            .map(|kind| generate(*kind, self.seed, self.size.get()));
        sets.extend(made);
        self.tell_apart(&mut sets);
        Ok(sets)
    }

    /// The spec of a format at the level that was asked for.
    pub fn spec(&self, format: Format) -> Result<Spec, Failure> {
        let spec = Spec::new(format);
        match self.level {
            None => Ok(spec),
            Some(level) => spec.with_level(level).map_err(|error| match &self.formats[..] {
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

//! `compressor inspect`: what a pair's metadata tells.

use std::io::Write;

use chunk_file::{Bucket, Inspected};
use serde::Serialize;

use super::opened::PairArg;
use super::serving::{self, Serving};
use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::table::{self, number, text};

/// Show the metadata of a pair, how well it compressed, and who would decompress it.
///
/// Reads no content: `compressor verify` does. Lengths are in bytes.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pair: PairArg,
    #[command(flatten)]
    plugins: PluginArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    inspected: Inspected,
    served: Vec<Serving>,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let engine = args.plugins.setup()?.engine()?;
    let source = args.pair.open(&engine)?;
    let report = Report {
        inspected: Inspected::new(source.reader.info()),
        served: vec![source.served()],
    };
    if args.json {
        table::print_json(&report, out)
    } else {
        print(&report, out)
    }
}

fn print(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let inspected = &report.inspected;
    let columns = [text("metadata"), number("value")];
    table::print(&columns, metadata(inspected), out)?;
    writeln!(out, "\nStored length of chunks through their content's\n")
        .map_err(Failure::output)?;
    let columns = [number("percent"), number("chunks")];
    table::print(&columns, inspected.histogram.iter().map(bucket), out)?;
    serving::print(&report.served, out)
}

fn metadata(inspected: &Inspected) -> impl Iterator<Item = Vec<String>> {
    let options = inspected.options.iter();
    let options: Vec<_> = options.map(|(k, v)| format!("{k}={v}")).collect();
    let never = || "never".into();
    let raw_from = inspected
        .max_compressed_len
        .map_or_else(never, |len| len.to_string());
    [
        ("class", inspected.class.clone()),
        ("options", options.join(", ")),
        ("format", inspected.format.into()),
        ("chunk length", inspected.chunk_len.to_string()),
        ("raw from", raw_from),
        (
            "min_compress_ratio",
            format!("{:.3}", inspected.min_compress_ratio),
        ),
        ("content", inspected.data_len.to_string()),
        ("data file", inspected.file_len.to_string()),
        ("ratio", format!("{:.3}", inspected.ratio)),
        ("chunks", inspected.chunks.to_string()),
        ("raw chunks", inspected.raw_chunks.to_string()),
    ]
    .into_iter()
    .map(|(name, value)| vec![name.into(), value])
}

fn bucket(bucket: &Bucket) -> Vec<String> {
    let range = match bucket.below_percent {
        Some(below) => format!("{} to {below}", bucket.from_percent),
        None => format!("from {}", bucket.from_percent),
    };
    vec![range, bucket.chunks.to_string()]
}

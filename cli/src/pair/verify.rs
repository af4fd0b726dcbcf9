//! `compressor verify`: every chunk of a pair.

use std::io::Write;

use chunk_file::{BadChunk, Verified};
use serde::Serialize;

use super::opened::PairArg;
use super::progress::Bar;
use super::serving::{self, Serving};
use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::table::{self, number, text};

/// Check every CRC of a pair and decompress every chunk.
///
/// Lists the chunks that cannot be read; the exit status is 1 if there are any.
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
    verified: Verified,
    served: Vec<Serving>,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let engine = args.plugins.setup()?.engine()?;
    let source = args.pair.open(&engine)?;
    let bar = Bar::chunks(source.reader.info().chunk_count());
    let verified = source.reader.verify(|done| bar.set(done));
    drop(bar);
    let served = vec![source.served()];
    let report = Report { verified, served };
    if args.json {
        table::print_json(&report, out)?;
    } else {
        print(&report, out)?;
    }
    // What was found comes before the error.
    out.flush().map_err(Failure::output)?;
    verdict(&report.verified)
}

fn verdict(verified: &Verified) -> Result<(), Failure> {
    match verified.bad.as_slice() {
        [] => Ok(()),
        [only] => Err(Failure::check(&only.error)),
        [first, others @ ..] => Err(Failure::check(format_args!(
            "{}; and {} more of {} chunks",
            first.error,
            others.len(),
            verified.chunks
        ))),
    }
}

fn print(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let Verified {
        chunks,
        bad,
        good_bytes,
        ..
    } = &report.verified;
    if !bad.is_empty() {
        let columns = [
            number("bad chunk"),
            number("offset"),
            number("stored"),
            text("error"),
        ];
        table::print(&columns, bad.iter().map(row), out)?;
        writeln!(out).map_err(Failure::output)?;
    }
    let bad = bad.len();
    writeln!(
        out,
        "{chunks} chunks, {bad} bad; {good_bytes} bytes can be read"
    )
    .map_err(Failure::output)?;
    serving::print(&report.served, out)
}

fn row(bad: &BadChunk) -> Vec<String> {
    vec![
        bad.chunk.to_string(),
        bad.offset.to_string(),
        bad.stored_len.to_string(),
        bad.error.clone(),
    ]
}

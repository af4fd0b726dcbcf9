//! `compressor unpack`: a pair to a file.

use serde::Serialize;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::opened::{Opened, PairArg};
use super::progress::Bar;
use super::serving::{self, Serving};
use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::table;

/// Write the content of a pair to a file, or to standard output.
///
/// Every CRC is checked. If a chunk is bad, no file is left; standard output has got what comes
/// before it. A file that exists is never replaced.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pair: PairArg,
    /// The file to write; - for standard output, and then what is printed otherwise goes to standard
    /// error.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    plugins: PluginArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    /// Bytes of content.
    data_len: u64,
    served: Vec<Serving>,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let engine = args.plugins.setup()?.engine()?;
    let source = args.pair.open(&engine)?;
    if args.output == Path::new("-") {
        let data_len = to_stdout(&source, out)?;
        // The content is out; where standard error is closed there is nobody to tell the rest.
        let _ = report(args, &source, data_len, &mut io::stderr());
        Ok(())
    } else {
        let data_len = to_file(&source, &args.output)?;
        report(args, &source, data_len, out)
    }
}

fn to_file(source: &Opened, path: &Path) -> Result<u64, Failure> {
    let file = File::create_new(path)
        .map_err(|error| Failure::usage(format_args!("{}: {error}", path.display())))?;
    let unpacked = unpack(source, &file, path);
    if unpacked.is_err() {
        // The error is what there is to tell; that the file stays could only come on top.
        let _ = fs::remove_file(path);
    }
    unpacked.map_err(Failure::from)
}

fn to_stdout(source: &Opened, out: &mut dyn Write) -> Result<u64, Failure> {
    unpack(source, out, Path::new("standard output")).map_err(|error| match &error {
        // Whoever read it has had enough.
        chunk_file::Error::Io { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => {
            Failure::Closed
        }
        _ => error.into(),
    })
}

fn unpack(source: &Opened, output: impl Write, name: &Path) -> Result<u64, chunk_file::Error> {
    let bar = Bar::bytes(source.reader.info().data_len());
    chunk_file::unpack(&source.reader, output, name, |done| bar.set(done))
}

fn report(args: &Args, source: &Opened, data_len: u64, out: &mut dyn Write) -> Result<(), Failure> {
    let served = vec![source.served()];
    let report = Report { data_len, served };
    if args.json {
        return table::print_json(&report, out);
    }
    writeln!(out, "{data_len} bytes").map_err(Failure::output)?;
    serving::print(&report.served, out)
}

//! `compressor pack`: a file to a pair.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use compressor::Direction;

use super::params::ParamsArgs;
use super::progress::Bar;
use super::serving::Serving;
use super::target::{Report, TargetArgs};
use crate::failure::Failure;
use crate::plugins::PluginArgs;

/// Compress a file to a pair as Cassandra keeps it: NAME-Data.db and NAME-CompressionInfo.db.
///
/// Both files are durable and become visible together, when all is written. A pair that exists is
/// never replaced; what a command that was killed left half made is.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file to compress.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    params: ParamsArgs,
    #[command(flatten)]
    plugins: PluginArgs,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let params = args.params.params()?;
    let pair = args.target.pair()?;
    let unreadable = |error| Failure::usage(format_args!("{}: {error}", args.file.display()));
    let input = File::open(&args.file).map_err(unreadable)?;
    let len = input.metadata().map_err(unreadable)?.len();

    let engine = args.params.engine(&args.plugins.setup()?)?;
    let compressor = engine.compressor(params.spec())?;
    let chunk_len = params.chunk_len();
    args.target.make_dir()?;
    let bar = Bar::bytes(len);
    let written = chunk_file::pack(
        input,
        &args.file,
        &pair,
        params,
        compressor.clone(),
        args.params.writer(),
        |done| bar.set(done),
    )?;
    drop(bar);
    let served = vec![Serving::of(&compressor, Direction::Compress, chunk_len)];
    Report::new(&pair, written, served).print(args.json, out)
}

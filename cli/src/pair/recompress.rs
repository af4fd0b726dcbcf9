//! `compressor recompress`: a pair to another pair.

use std::io::Write;

use compressor::Direction;

use super::opened::PairArg;
use super::params::ParamsArgs;
use super::progress::Bar;
use super::serving::Serving;
use super::target::{Report, TargetArgs};
use crate::failure::Failure;
use crate::plugins::PluginArgs;

/// Rewrite a pair with another class, other options or another chunk length, as another pair.
///
/// Every CRC is checked on the way; no new pair is left if a chunk is bad. The old pair stays; if it
/// is to go, write the new one with --verify-all.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pair: PairArg,
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
    let target = args.target.pair()?;
    let engine = args.params.engine(&args.plugins.setup()?)?;
    let source = args.pair.open(&engine)?;
    let compressor = engine.compressor(params.spec())?;
    let chunk_len = params.chunk_len();

    args.target.make_dir()?;
    let bar = Bar::bytes(source.reader.info().data_len());
    let written = chunk_file::recompress(
        &source.reader,
        &target,
        params,
        compressor.clone(),
        args.params.writer(),
        |done| bar.set(done),
    )?;
    drop(bar);
    let served = vec![
        source.served(),
        Serving::of(&compressor, Direction::Compress, chunk_len),
    ];
    Report::new(&target, written, served).print(args.json, out)
}

//! The `compressor` command: what is there to compress with, why a device is not, how fast it is, who
//! is fastest on this host, single units, and chunk files.
//!
//! Exit status: 0 success, 1 bad data or a failed check, 2 usage. An error is one line on standard
//! error that starts with its kind. Standard output gets the result and nothing else.
#![forbid(unsafe_code)]

#[cfg(test)]
mod absent;
mod bench;
mod block;
mod calibrate;
mod doctor;
mod effort;
mod failure;
mod list;
mod logging;
mod pair;
mod plugins;
mod room;
mod setup;
mod table;
mod values;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Accelerated block compression: list, measure and calibrate providers, compress units and files.
#[derive(Debug, Parser)]
#[command(name = "compressor", version, max_term_width = 100)]
#[command(after_help = "\
Exit status: 0 success, 1 bad data or a failed check, 2 usage. An error is one line on standard
error that starts with its kind, as in `CorruptInput: ...`.

COMPRESSOR_CONFIG names a configuration file, COMPRESSOR_PLUGIN_PATH directories with plugins,
separated as in PATH. COMPRESSOR_LOG sets what is logged to standard error: error, warn (the
default), info, debug, trace, or per module as in warn,compressor_decorator=debug.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::Args),
    Doctor(doctor::Args),
    Bench(bench::Args),
    Calibrate(calibrate::Args),
    Block(block::Args),
    Pack(pair::pack::Args),
    Unpack(pair::unpack::Args),
    Verify(pair::verify::Args),
    Inspect(pair::inspect::Args),
    Recompress(pair::recompress::Args),
    Clean(pair::clean::Args),
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run() -> Result<(), Failure> {
    let cli = Cli::try_parse()?;
    logging::start()?;
    let mut out = io::stdout().lock();
    match cli.command {
        Command::List(args) => list::run(&args, &mut out)?,
        Command::Doctor(args) => doctor::run(&args, &mut out)?,
        Command::Bench(args) => bench::run(&args, &mut out)?,
        Command::Calibrate(args) => calibrate::run(&args, &mut out)?,
        Command::Block(args) => block::run(&args, &mut io::stdin().lock(), &mut out)?,
        Command::Pack(args) => pair::pack::run(&args, &mut out)?,
        Command::Unpack(args) => pair::unpack::run(&args, &mut out)?,
        Command::Verify(args) => pair::verify::run(&args, &mut out)?,
        Command::Inspect(args) => pair::inspect::run(&args, &mut out)?,
        Command::Recompress(args) => pair::recompress::run(&args, &mut out)?,
        Command::Clean(args) => pair::clean::run(&args, &mut out)?,
    }
    out.flush().map_err(Failure::output)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}

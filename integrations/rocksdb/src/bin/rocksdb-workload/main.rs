//! Measures RocksDB with its own compression against the same RocksDB served by this framework.
//!
//! Every configuration runs once a round, in turn, so that whatever else the machine does falls on
//! all of them alike; what is quoted is the median of the ratios within a round.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod config;
mod failure;
mod paced;
mod report;
mod rows;
mod stop;
mod table;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::Args;
use failure::Failure;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run() -> Result<(), Failure> {
    let args = Args::try_parse()?;
    stop::on_signals()?;
    let mut runs = Vec::new();
    let ended = bench::run(&args, &mut runs);
    if !matches!(ended, Ok(()) | Err(Failure::Stopped(_))) {
        return ended;
    }
    let mut out = io::stdout().lock();
    if args.json {
        report::json(&runs, &mut out)?;
    } else {
        report::tables(&runs, &mut out)?;
    }
    out.flush().map_err(Failure::output)?;
    ended
}

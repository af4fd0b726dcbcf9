//! `compressor list`: the providers, what they can do, and who serves what.

mod print;
mod report;

use std::io::Write;

use crate::failure::Failure;
use crate::{setup, table};

use report::Report;

/// List providers, their capabilities, and who serves each format.
///
/// Opens every provider, as an engine would when it first needs it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Say for each format and direction who was considered, and what came of it.
    #[arg(long)]
    explain: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let report = Report::of(&setup::engine()?, args.explain);
    if args.json {
        table::print_json(&report, out)
    } else {
        print::print(&report, out)
    }
}

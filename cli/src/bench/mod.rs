//! `compressor bench`: software and the accelerated path side by side.

mod args;
mod measure;
mod progress;
mod row;
mod subject;
mod table;

use std::io::Write;

use crate::failure::Failure;

pub use args::Args;
use measure::Cell;

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let subjects = subject::subjects(args)?;
    let data = args.data_sets()?;
    let cells = data.len() * subjects.len() * args.block_sizes.len();
    let progress = progress::Bar::new(cells);
    let mut measured: Vec<Cell> = Vec::new();
    for set in &data {
        for subject in &subjects {
            for block_size in &args.block_sizes {
                progress.begin(set, subject, *block_size);
                let cell = measure::cells(set, subject, *block_size, args.time, &progress)?;
                measured.extend(cell);
                progress.end();
            }
        }
    }
    progress.finish();
    if args.json {
        let rows: Vec<_> = measured.iter().flat_map(Cell::rows).collect();
        crate::table::print_json(&rows, out)
    } else {
        table::print(&measured, out)
    }
}

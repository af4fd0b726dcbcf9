//! `compressor bench`: software and the accelerated path side by side.

mod args;
mod measure;
mod notes;
mod progress;
mod reasons;
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
    let block_sizes = args.block_sizes();
    let cells = data.len() * subjects.len() * block_sizes.len();
    let progress = progress::Bar::new(cells);
    let mut measured: Vec<Cell> = Vec::new();
    for set in &data {
        for subject in &subjects {
            for block_size in &block_sizes {
                progress.begin(set, subject, *block_size);
                let cell = measure::cells(set, subject, *block_size, args.time, &progress)?;
                measured.extend(cell);
                progress.end();
            }
        }
    }
    progress.finish();
    if args.json {
        // Programs read standard output; what makes the numbers doubtful is for people.
        for note in notes::notes(&measured) {
            tracing::warn!("{note}");
        }
        let rows: Vec<_> = measured.iter().flat_map(Cell::rows).collect();
        crate::table::print_json(&rows, out)
    } else {
        table::print(&measured, out)
    }
}

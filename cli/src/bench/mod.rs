//! `compressor bench`: software and the accelerated path side by side.

mod args;
mod direct;
mod efforts;
mod html;
mod measure;
mod notes;
mod overhead;
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
    let (subjects, providers) = subject::subjects(args)?;
    let data = args.data_sets()?;
    // What cannot be written is said before the run, not after it.
    let page = args.html.as_deref().map(html::Out::open).transpose()?;
    let extent = args.extent();
    let block_sizes = args.block_sizes();
    let cells = data.len() * subjects.len() * block_sizes.len();
    let progress = progress::Bar::new(cells * extent.steps());
    let mut measured: Vec<Cell> = Vec::new();
    for set in &data {
        for subject in &subjects {
            for block_size in &block_sizes {
                progress.begin(set, subject, *block_size);
                let cell = measure::cells(set, subject, *block_size, &extent, &progress)?;
                measured.extend(cell);
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
        crate::table::print_json(&rows, out)?;
    } else {
        table::print(&measured, out)?;
    }
    match page {
        Some(page) => page.save(&html::page(&measured, &providers)?),
        None => Ok(()),
    }
}

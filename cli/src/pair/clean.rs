//! `compressor clean`: what killed commands left.

use std::io::Write;
use std::path::PathBuf;

use crate::failure::Failure;
use crate::table;

/// Remove what commands that were killed left in a directory, and list it.
///
/// That is temporary files of pairs, and metadata whose data file never came. Complete pairs stay,
/// and so does what a writer that lives is making: it holds a lock on its files. Without this,
/// `compressor pack` and `compressor recompress` of the same name replace what is left over.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory; those inside it are not looked at.
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Print JSON: an array of paths.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let removed = chunk_file::clean(&args.dir)?;
    if args.json {
        return table::print_json(&removed, out);
    }
    for path in &removed {
        writeln!(out, "{}", path.display()).map_err(Failure::output)?;
    }
    writeln!(out, "files removed: {}", removed.len()).map_err(Failure::output)
}

//! A pair to write, and what was written.

use std::io::Write;
use std::path::{Path, PathBuf};

use chunk_file::{Pair, Written};
use serde::Serialize;

use super::serving::{self, Serving};
use crate::failure::Failure;
use crate::table::{self, number, text};

/// The arguments that name a pair that does not exist yet.
#[derive(Debug, clap::Args)]
pub struct TargetArgs {
    /// The directory to write the pair in; it has to exist.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    dir: PathBuf,
    /// What the names of both files begin with.
    #[arg(long, default_value = "nb-1-big")]
    name: String,
}

impl TargetArgs {
    /// The pair to write.
    pub fn pair(&self) -> Result<Pair, Failure> {
        let name = &self.name;
        if name.is_empty() || name.contains('/') {
            return Err(Failure::usage(format_args!(
                "--name is the beginning of a file's name, which {name:?} is not"
            )));
        }
        Ok(Pair::new(&self.dir, name))
    }
}

/// What came of writing a pair.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    data: &'a Path,
    info: &'a Path,
    #[serde(flatten)]
    written: Written,
    /// Length of the data file over bytes of content: smaller is better; 0 without content.
    ratio: f64,
    /// Who read the old pair and who wrote the new one.
    served: Vec<Serving>,
}

impl<'a> Report<'a> {
    /// From what was written where, by whom.
    pub fn new(pair: &'a Pair, written: Written, served: Vec<Serving>) -> Self {
        Self {
            data: pair.data(),
            info: pair.info(),
            written,
            ratio: match written.data_len {
                0 => 0.0,
                data_len => written.file_len as f64 / data_len as f64,
            },
            served,
        }
    }

    /// Prints it, as JSON or as tables.
    pub fn print(&self, json: bool, out: &mut dyn Write) -> Result<(), Failure> {
        if json {
            return table::print_json(self, out);
        }
        let columns = [
            text("written"),
            number("content"),
            number("data file"),
            number("ratio"),
            number("chunks"),
            number("raw chunks"),
        ];
        let row = vec![
            self.data.display().to_string(),
            self.written.data_len.to_string(),
            self.written.file_len.to_string(),
            format!("{:.3}", self.ratio),
            self.written.chunks.to_string(),
            self.written.raw_chunks.to_string(),
        ];
        table::print(&columns, [row], out)?;
        serving::print(&self.served, out)
    }
}

//! A pair to write, and what was written.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use chunk_file::{Pair, Written};
use serde::Serialize;

use super::serving::{self, Serving};
use crate::failure::Failure;
use crate::table::{self, number, text};

/// The arguments that name a pair that does not exist yet.
#[derive(Debug, clap::Args)]
pub struct TargetArgs {
    /// The directory to write the pair in; it is made if there is none.
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

    /// Makes the directory, and those that it is in, unless it is there.
    pub fn make_dir(&self) -> Result<(), Failure> {
        make_durably(&self.dir).map_err(|error| {
            let dir = self.dir.display();
            Failure::io(format_args!("{dir}: cannot make the directory: {error}"))
        })
    }
}

/// As [`fs::create_dir_all`]; what it makes survives a crash, as what is then written in it does.
fn make_durably(dir: &Path) -> io::Result<()> {
    // The current directory, or what a path of one name is in.
    if dir.as_os_str().is_empty() || dir.is_dir() {
        return Ok(());
    }
    let Some(parent) = dir.parent() else {
        return fs::create_dir(dir);
    };
    make_durably(parent)?;
    match fs::create_dir(dir) {
        // Somebody else was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && dir.is_dir() => {}
        made => made?,
    }
    let parent = if parent.as_os_str().is_empty() {
        Path::new(".")
    } else {
        parent
    };
    File::open(parent)?.sync_all()
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

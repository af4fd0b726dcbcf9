//! Files that the result is written to.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A file that can be written, opened before anything is run: a result that took minutes is not lost
/// to a mistyped path.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    file: File,
}

impl Output {
    /// Opens the file; what it holds stays until something is saved.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let mut options = File::options();
        let opened = options.write(true).create(true).truncate(false).open(path);
        Ok(Self {
            path: path.into(),
            file: opened.map_err(|error| Failure::file(path, error))?,
        })
    }

    /// Whether both are the same file.
    pub fn is(&self, other: &Self) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        self.path == other.path
            || real(&self.path).is_some_and(|own| Some(own) == real(&other.path))
    }

    /// Writes it, in the place of what it held.
    pub fn save(
        self,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let Self { path, file } = self;
        let save = || {
            // A pipe or a terminal has no length.
            if file.metadata()?.is_file() {
                file.set_len(0)?;
            }
            let mut file = BufWriter::new(file);
            write(&mut file)?;
            file.flush()
        };
        save().map_err(|error| Failure::file(&path, error))
    }
}

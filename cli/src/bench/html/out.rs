//! The file that the page goes to.

use std::io;
use std::path::{Path, PathBuf};

use compressor::WholeFile;

use crate::failure::Failure;

/// A place for the page, made before anything is measured, so that no run is in vain. What was
/// there before stays until [`save`](Self::save), and then gives way at once and as a whole.
pub struct Out {
    path: PathBuf,
    file: WholeFile,
}

impl Out {
    /// Makes a file beside `path`.
    ///
    /// # Errors
    ///
    /// Exit status 2: the folder does not exist or cannot be written, or what is there is no file.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |error: io::Error| {
            Failure::usage(format_args!(
                "{}: the page cannot be written there: {error}",
                path.display()
            ))
        };
        Ok(Self {
            path: path.to_owned(),
            file: WholeFile::at(path).map_err(failed)?,
        })
    }

    /// Puts the page where it was to go.
    ///
    /// # Errors
    ///
    /// Exit status 1: the system says no; what was there before is still there.
    pub fn save(self, page: &str) -> Result<(), Failure> {
        self.file.save(page.as_bytes()).map_err(|error| {
            Failure::io(format_args!(
                "cannot write {}: {error}",
                self.path.display()
            ))
        })
    }
}

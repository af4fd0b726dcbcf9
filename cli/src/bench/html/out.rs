//! The file that the page goes to.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::{Builder, NamedTempFile};

use crate::failure::Failure;

/// A place for the page, made before anything is measured, so that no run is in vain. What was
/// there before stays until [`save`](Self::save), and then gives way at once and as a whole.
pub struct Out {
    path: PathBuf,
    file: NamedTempFile,
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
        // What a link leads to is replaced, not the link.
        let target = match fs::canonicalize(path) {
            Ok(target) if target.is_file() => target,
            Ok(_) => return Err(failed(io::Error::other("it is not a file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(failed(error)),
        };
        if target.file_name().is_none() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".compressor-bench-");
        readable(&mut builder);
        let file = builder.tempfile_in(folder).map_err(failed)?;
        Ok(Self { path: target, file })
    }

    /// Puts the page where it was to go.
    ///
    /// # Errors
    ///
    /// Exit status 1: the system says no; what was there before is still there.
    pub fn save(mut self, page: &str) -> Result<(), Failure> {
        let written = self.file.write_all(page.as_bytes());
        let saved = written.and_then(|()| {
            let persisted = self.file.persist(&self.path);
            persisted.map(drop).map_err(|error| error.error)
        });
        saved.map_err(|error| {
            Failure::io(format_args!(
                "cannot write {}: {error}",
                self.path.display()
            ))
        })
    }
}

/// As readable as any new file, where a temporary one would be for its owner alone.
#[cfg(unix)]
fn readable(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;

    // The system takes off what the user's mask says.
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn readable(_: &mut Builder<'_, '_>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_stays_until_the_page_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        fs::write(&path, "before").unwrap();

        drop(Out::open(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");

        let out = Out::open(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        out.save("after").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_target_of_a_link_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("link"), folder.path().join("target"));
        fs::write(&target, "before").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        Out::open(&link).unwrap().save("after").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "after");
    }
}

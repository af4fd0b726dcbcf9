use std::io::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use tempfile::{Builder, NamedTempFile};

/// A file that is to be there whole or not at all. What was there before stays until
/// [`save`](Self::save), and then gives way at once and as a whole.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    file: NamedTempFile,
}

impl WholeFile {
    /// Makes a file beside `path`, of a name that nobody else has.
    ///
    /// # Errors
    ///
    /// The folder does not exist or cannot be written, or what is there is no file.
    pub fn at(path: &Path) -> io::Result<Self> {
        // What a link leads to is replaced, not the link.
        let target = match fs::canonicalize(path) {
            Ok(target) if target.is_file() => target,
            Ok(_) => return Err(io::Error::other("it is not a file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(error),
        };
        if target.file_name().is_none() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".compressor-");
        readable(&mut builder);
        let file = builder.tempfile_in(folder)?;
        Ok(Self { path: target, file })
    }

    /// Puts this content where it was to go.
    ///
    /// # Errors
    ///
    /// The system says no; what was there before is still there.
    pub fn save(mut self, content: &[u8]) -> io::Result<()> {
        self.file.write_all(content)?;
        // Else the name may outlive the content when the power fails.
        self.file.as_file().sync_all()?;
        let persisted = self.file.persist(&self.path);
        persisted.map(drop).map_err(|error| error.error)
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
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn what_was_there_stays_until_it_is_saved() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "before").unwrap();

        drop(WholeFile::at(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");

        let file = WholeFile::at(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        file.save(b"after").unwrap();
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
        WholeFile::at(&link).unwrap().save(b"after").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "after");
    }

    #[test]
    fn of_two_that_save_at_once_one_is_there_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let contents = [vec![b'a'; 100_000], vec![b'b'; 200_000]];
        let both_made = Barrier::new(contents.len());
        thread::scope(|scope| {
            for content in &contents {
                scope.spawn(|| {
                    let file = WholeFile::at(&path).unwrap();
                    both_made.wait();
                    file.save(content).unwrap();
                });
            }
        });
        assert!(contents.contains(&fs::read(&path).unwrap()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

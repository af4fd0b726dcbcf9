//! Who may make a pair: one at a time, and nobody whose process is gone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::{Errno, retry_on_intr};

use crate::{Error, Pair};

/// How often a file that went away between opening and locking it is looked for again. Each time
/// another writer of the same name has ended; that many do not in so short a time.
const ATTEMPTS: usize = 64;

/// The right to a pair's name, held by a lock (`flock`) on its temporary data file.
///
/// The system lets go of the lock when the process ends, however it does, so that a file which is
/// not locked is what a dead writer left, and is replaced. (A child that was forked and runs no
/// other program holds the lock as well.) Whoever removes or renames the file does so before it lets
/// go of the lock, and whoever gets the lock looks whether it is that of the file of that name.
#[derive(Debug)]
pub(crate) struct Claim {
    /// New and empty; locked as long as it is open.
    pub(crate) file: File,
    /// Whether one that a dead writer left was there before.
    pub(crate) replaced: bool,
}

impl Claim {
    /// Claims the name, and makes the file.
    ///
    /// # Errors
    ///
    /// [`Error::Busy`], [`Error::Io`].
    pub(crate) fn of(pair: &Pair) -> Result<Self, Error> {
        let path = pair.unfinished_data();
        let mut replaced = false;
        for _ in 0..ATTEMPTS {
            let (file, left) = open(&path)?;
            match retry_on_intr(|| flock(&file, FlockOperation::NonBlockingLockExclusive)) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Err(busy(path)),
                // Where there are no locks, that it is new is all there is to go by.
                Err(error) if left => return Err(cannot_tell(&path, error)),
                Err(_) => {}
            }
            if !is_at(&file, &path)? {
                continue;
            }
            if !left {
                return Ok(Self { file, replaced });
            }
            // Not written to: it may have other names.
            fs::remove_file(&path).map_err(|error| Error::io(&path, "replace", error))?;
            replaced = true;
        }
        Err(busy(path))
    }
}

fn busy(path: PathBuf) -> Error {
    Error::Busy {
        path: Arc::from(path),
    }
}

fn cannot_tell(path: &Path, error: Errno) -> Error {
    let why = format!(
        "{error}; so nobody can tell whether the writer that made it lives: if none does, remove \
         the file"
    );
    Error::io(
        path,
        "lock",
        io::Error::new(io::Error::from(error).kind(), why),
    )
}

/// The file, and whether it was there before. Follows no link and waits for nothing.
fn open(path: &Path) -> Result<(File, bool), Error> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(flags.bits().cast_signed());
    // Whichever of the two was tried first, the file may come or go before the other; both come to
    // an end, for only a writer of the same name makes it come and go.
    for _ in 0..ATTEMPTS {
        match options.clone().create_new(true).open(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => {
                return made
                    .map(|file| (file, false))
                    .map_err(|error| Error::io(path, "create", error));
            }
        }
        match options.open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => {
                return opened
                    .and_then(regular)
                    .map(|file| (file, true))
                    .map_err(|error| Error::io(path, "open", error));
            }
        }
    }
    Err(busy(path.to_path_buf()))
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    let why = "it is not a regular file";
    Err(io::Error::new(ErrorKind::InvalidInput, why))
}

/// Whether the file is the one of that name.
pub(crate) fn is_at(file: &File, path: &Path) -> Result<bool, Error> {
    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    let held = file.metadata().map(identity);
    match (held, fs::symlink_metadata(path).map(identity)) {
        (Ok(held), Ok(there)) => Ok(held == there),
        (Ok(_), Err(error)) if error.kind() == ErrorKind::NotFound => Ok(false),
        (Err(error), _) | (_, Err(error)) => Err(Error::io(path, "look up", error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_claimed_by_one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair::new(dir.path(), "nb-1-big");
        let claim = Claim::of(&pair).unwrap();
        assert!(!claim.replaced);
        assert!(matches!(Claim::of(&pair), Err(Error::Busy { .. })));
        drop(claim);
        // The file is still there, as after a crash.
        assert!(Claim::of(&pair).unwrap().replaced);
    }

    #[test]
    fn another_name_of_a_file_that_was_left_keeps_its_content() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair::new(dir.path(), "nb-1-big");
        let other = dir.path().join("other");
        fs::write(&other, b"content").unwrap();
        fs::hard_link(&other, pair.unfinished_data()).unwrap();
        let claim = Claim::of(&pair).unwrap();
        assert_eq!(claim.file.metadata().unwrap().len(), 0);
        assert_eq!(fs::read(&other).unwrap(), b"content");
    }

    #[test]
    fn a_file_that_was_replaced_is_not_the_one_of_that_name() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("one"), dir.path().join("other"));
        let file = File::create(&path).unwrap();
        assert!(is_at(&file, &path).unwrap());
        fs::rename(&path, &other).unwrap();
        assert!(!is_at(&file, &path).unwrap());
        File::create(&path).unwrap();
        assert!(!is_at(&file, &path).unwrap());
        assert!(is_at(&file, &other).unwrap());
    }

    #[test]
    fn where_there_are_no_locks_the_remedy_is_named() {
        let error = cannot_tell(Path::new("/d/nb-1-big-Data.db.tmp"), Errno::OPNOTSUPP);
        let said = error.to_string();
        assert!(said.starts_with("Io: /d/nb-1-big-Data.db.tmp: cannot lock: "));
        assert!(said.ends_with("if none does, remove the file"), "{said}");
    }

    #[test]
    fn what_is_no_file_is_an_error_and_never_followed() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair::new(dir.path(), "nb-1-big");
        let path = pair.unfinished_data();
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), &path).unwrap();
        assert!(matches!(Claim::of(&pair), Err(Error::Io { .. })));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(Claim::of(&pair), Err(Error::Io { .. })));
    }
}

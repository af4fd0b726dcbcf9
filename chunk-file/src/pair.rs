use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;

const DATA: &str = "-Data.db";
const INFO: &str = "-CompressionInfo.db";
/// What a file is called while it is not complete.
const UNFINISHED: &str = ".tmp";

/// The two files of a compressed SSTable: `NAME-Data.db` and `NAME-CompressionInfo.db`.
///
/// # What is on disk, and when
///
/// A writer makes both under temporary names (`.tmp` behind the name), and makes their contents
/// durable. Then it renames the metadata, then the data, each followed by the directory's `fsync`.
/// The rename of the data file is the moment at which the pair exists: **a pair is there if its
/// data file is**, and whoever lists a directory by data files never sees half a pair. That order
/// is the safe one, because a data file without metadata would pass for an uncompressed one.
///
/// What a crash leaves besides is never taken for a pair: temporary files, and metadata whose data
/// file is not there. A writer of the same name replaces metadata without a data file, but not a
/// temporary data file, which may be that of a writer that lives: it fails with [`Error::Exists`],
/// which names the file. [`clean`] removes all of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    data: PathBuf,
    info: PathBuf,
}

impl Pair {
    /// The pair called `name` in `dir`; Cassandra's names are like `nb-1-big`.
    #[must_use]
    pub fn new(dir: impl AsRef<Path>, name: &str) -> Self {
        let file = |component: &str| dir.as_ref().join(format!("{name}{component}"));
        Self {
            data: file(DATA),
            info: file(INFO),
        }
    }

    /// The pair that a path to either of its files names; `None` if it ends in neither
    /// `-Data.db` nor `-CompressionInfo.db`.
    #[must_use]
    pub fn of(path: impl AsRef<Path>) -> Option<Self> {
        let path = path.as_ref();
        let file = path.file_name()?.to_str()?;
        let name = file
            .strip_suffix(DATA)
            .or_else(|| file.strip_suffix(INFO))?;
        Some(Self::new(path.parent()?, name))
    }

    /// The compressed chunks.
    #[must_use]
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The metadata.
    #[must_use]
    pub fn info(&self) -> &Path {
        &self.info
    }

    pub(crate) fn unfinished_data(&self) -> PathBuf {
        unfinished(&self.data)
    }

    pub(crate) fn unfinished_info(&self) -> PathBuf {
        unfinished(&self.info)
    }

    /// The directory that both are in.
    pub(crate) fn dir(&self) -> &Path {
        match self.data.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        }
    }
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

/// Removes what writers that died left in `dir`; returns the paths.
///
/// For start-up: nobody may be writing a pair in this directory. Complete pairs and files that are
/// no part of a pair stay.
///
/// # Errors
///
/// [`Error::Io`]. What was removed before stays removed; call again.
pub fn clean(dir: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
    let dir = dir.as_ref();
    let listed = |error| Error::io(dir, "list", error);
    let mut removed = Vec::new();
    for entry in fs::read_dir(dir).map_err(listed)? {
        let path = entry.map_err(listed)?.path();
        if is_left_over(&path).map_err(|error| Error::io(&path, "look up", error))? {
            fs::remove_file(&path).map_err(|error| Error::io(&path, "remove", error))?;
            removed.push(path);
        }
    }
    if !removed.is_empty() {
        sync_dir(dir)?;
    }
    Ok(removed)
}

fn is_left_over(path: &Path) -> io::Result<bool> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Ok(false);
    };
    if let Some(name) = name.strip_suffix(UNFINISHED) {
        return Ok(name.ends_with(DATA) || name.ends_with(INFO));
    }
    match Pair::of(path) {
        Some(pair) if pair.info() == path => Ok(!pair.data().try_exists()?),
        _ => Ok(false),
    }
}

/// Makes renames in a directory durable.
pub(crate) fn sync_dir(dir: &Path) -> Result<(), Error> {
    File::open(dir)
        .and_then(|dir| dir.sync_all())
        .map_err(|error| Error::io(dir, "sync", error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_file_names_the_pair() {
        let pair = Pair::new("/d", "nb-1-big");
        assert_eq!(pair.data(), Path::new("/d/nb-1-big-Data.db"));
        assert_eq!(pair.info(), Path::new("/d/nb-1-big-CompressionInfo.db"));
        assert_eq!(Pair::of(pair.data()), Some(pair.clone()));
        assert_eq!(Pair::of(pair.info()), Some(pair));
        assert_eq!(Pair::of("/d/nb-1-big-Index.db"), None);
        assert_eq!(Pair::of("x-Data.db").unwrap().dir(), Path::new("."));
    }

    #[test]
    fn left_overs_go_and_all_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let keep = [
            "a-Data.db",
            "a-CompressionInfo.db",
            "b-Data.db",
            "notes.tmp",
            "x.db",
        ];
        let left = [
            "c-CompressionInfo.db",
            "d-Data.db.tmp",
            "d-CompressionInfo.db.tmp",
            "a-CompressionInfo.db.tmp",
        ];
        for name in keep.iter().chain(&left) {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let mut removed = clean(dir.path()).unwrap();
        removed.sort();
        let mut expected: Vec<_> = left.iter().map(|name| dir.path().join(name)).collect();
        expected.sort();
        assert_eq!(removed, expected);
        assert!(keep.iter().all(|name| dir.path().join(name).exists()));
        assert_eq!(clean(dir.path()).unwrap(), Vec::<PathBuf>::new());
    }
}

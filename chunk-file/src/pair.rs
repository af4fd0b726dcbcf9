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
/// file is not there. A writer of the same name replaces them, and [`clean`](crate::clean) removes
/// those of all names.
///
/// A writer that lives holds a lock (`flock`) on its temporary data file, which tells it from one
/// that died: another writer of that name fails with [`Error::Busy`], and what it has made stays.
/// On a file system without locks nobody can tell. There a temporary data file is in the way of
/// every later writer of the name, whose [`Error::Io`] says so, until somebody removes it.
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

    /// The pair that a path to one of its temporary files names.
    pub(crate) fn of_unfinished(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(UNFINISHED)?;
        Self::of(path.with_file_name(name))
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

    /// Whether the name is taken: there is something where the data file belongs. A link that leads
    /// nowhere is; what it should lead to may come back.
    pub(crate) fn is_there(&self) -> Result<bool, Error> {
        match fs::symlink_metadata(&self.data) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Error::io(&self.data, "look up", error)),
        }
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
        assert_eq!(Pair::of(pair.info()), Some(pair.clone()));
        assert_eq!(Pair::of("/d/nb-1-big-Index.db"), None);
        for file in [pair.unfinished_data(), pair.unfinished_info()] {
            assert_eq!(Pair::of(&file), None);
            assert_eq!(Pair::of_unfinished(&file), Some(pair.clone()));
        }
        assert_eq!(Pair::of("x-Data.db").unwrap().dir(), Path::new("."));
    }
}

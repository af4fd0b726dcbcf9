use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::claim::Claim;
use crate::pair::sync_dir;
use crate::{Error, Pair};

/// Removes what writers that died left in `dir`; returns the paths, sorted by pair.
///
/// What a writer that lives is making stays, as do complete pairs, metadata whose data file is a
/// link that leads nowhere, files that are no part of a pair, and whatever else than a file has the
/// name of one. See [`Pair`] for how the living are told from the dead.
///
/// # Errors
///
/// [`Error::Io`], also for a temporary data file on a file system without locks. What was removed
/// before stays removed; call again.
pub fn clean(dir: impl AsRef<Path>) -> Result<Vec<PathBuf>, Error> {
    let dir = dir.as_ref();
    let listed = |error| Error::io(dir, "list", error);
    let mut suspects = BTreeMap::new();
    for entry in fs::read_dir(dir).map_err(listed)? {
        let path = entry.map_err(listed)?.path();
        if let Some(pair) = suspect(&path)? {
            suspects.insert(pair.data().to_path_buf(), pair);
        }
    }
    let mut removed = Vec::new();
    for pair in suspects.values() {
        clean_pair(pair, &mut removed)?;
    }
    if !removed.is_empty() {
        sync_dir(dir)?;
    }
    Ok(removed)
}

/// The pair whose writer may have left this file.
fn suspect(path: &Path) -> Result<Option<Pair>, Error> {
    if let Some(pair) = Pair::of_unfinished(path) {
        return Ok(Some(pair));
    }
    match Pair::of(path) {
        Some(pair) if pair.info() == path && !pair.is_there()? => Ok(Some(pair)),
        _ => Ok(None),
    }
}

/// Removes what is left of a pair, unless somebody makes it just now.
fn clean_pair(pair: &Pair, removed: &mut Vec<PathBuf>) -> Result<(), Error> {
    let data = pair.unfinished_data();
    if is_file(&data)? == Some(false) {
        // No writer left that, and none can begin.
        return Ok(());
    }
    // As a writer of the same name does, so that none begins meanwhile.
    let claim = match Claim::of(pair) {
        Ok(claim) => claim,
        Err(Error::Busy { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut left = vec![pair.unfinished_info()];
    if !pair.is_there()? {
        left.push(pair.info().to_path_buf());
    }
    for path in left {
        if is_file(&path)? == Some(true) {
            remove(&path)?;
            removed.push(path);
        }
    }
    remove(&data)?;
    if claim.replaced {
        removed.push(data);
    }
    Ok(())
}

/// Whether what is there is a file; `None` for nothing. A link is none.
fn is_file(path: &Path) -> Result<Option<bool>, Error> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata.is_file())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(path, "look up", error)),
    }
}

fn remove(path: &Path) -> Result<(), Error> {
    fs::remove_file(path).map_err(|error| Error::io(path, "remove", error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn names(dir: &Path) -> Vec<String> {
        let listed = fs::read_dir(dir).unwrap();
        let mut names: Vec<_> = listed
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn left_overs_go_and_all_else_stays() {
        let dir = tempfile::tempdir().unwrap();
        let keep = [
            "a-CompressionInfo.db",
            "a-Data.db",
            "b-Data.db",
            "notes.tmp",
            "x.db",
        ];
        let left = [
            "a-CompressionInfo.db.tmp",
            "c-CompressionInfo.db",
            "d-CompressionInfo.db.tmp",
            "d-Data.db.tmp",
        ];
        for name in keep.iter().chain(&left) {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let removed = clean(dir.path()).unwrap();
        assert_eq!(removed, left.map(|name| dir.path().join(name)));
        assert_eq!(names(dir.path()), keep);
        assert_eq!(clean(dir.path()).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn what_a_living_writer_makes_stays() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair::new(dir.path(), "a");
        let claim = Claim::of(&pair).unwrap();
        for info in [pair.info(), &pair.unfinished_info()] {
            fs::write(info, b"on its way").unwrap();
        }
        let before = names(dir.path());
        assert_eq!(clean(dir.path()).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(names(dir.path()), before);
        drop(claim);
        assert_eq!(clean(dir.path()).unwrap().len(), 3);
        assert_eq!(names(dir.path()), Vec::<String>::new());
    }

    #[test]
    fn metadata_of_a_data_file_that_is_elsewhere_stays() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair::new(dir.path(), "a");
        symlink("/nowhere/a-Data.db", pair.data()).unwrap();
        fs::write(pair.info(), b"of data on another disk").unwrap();
        assert_eq!(clean(dir.path()).unwrap(), Vec::<PathBuf>::new());
        assert!(pair.info().exists());
    }

    #[test]
    fn what_is_no_file_is_passed_by() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("x-Data.db.tmp")).unwrap();
        fs::create_dir(dir.path().join("y-CompressionInfo.db.tmp")).unwrap();
        fs::create_dir(dir.path().join("y-CompressionInfo.db")).unwrap();
        symlink("/nowhere", dir.path().join("w-Data.db.tmp")).unwrap();
        let before = names(dir.path());
        let left = dir.path().join("z-Data.db.tmp");
        fs::write(&left, b"half").unwrap();
        assert_eq!(clean(dir.path()).unwrap(), [left]);
        assert_eq!(names(dir.path()), before);
    }
}

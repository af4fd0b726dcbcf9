//! What is known of a library before any of its code runs: that it is a file, whose, and which.

use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::{PluginError, Refusal};

/// Permission bits that let somebody else write: of the group, and of all others.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Which file it is, whatever its names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
}

/// A library that may be loaded.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    /// Without symbolic links.
    pub(super) path: PathBuf,
    pub(super) id: FileId,
}

/// Looks at the file without loading it.
///
/// The file and its directory must belong to root or to the user of this process, and nobody else
/// may write to them. Directories further up are the operator's: whoever can rename one of them can
/// swap the file after this check.
///
/// # Errors
///
/// A relative path, no regular file, a file or directory that others could have written, no shared
/// library.
pub(super) fn check(path: &Path) -> Result<Checked, PluginError> {
    let refuse = |refusal| PluginError::new(path, refusal);
    if !path.is_absolute() {
        return Err(refuse(Refusal::RelativePath));
    }
    let real = fs::canonicalize(path).map_err(|error| refuse(not_there(&error)))?;
    let metadata = fs::metadata(&real).map_err(|error| refuse(not_there(&error)))?;
    if !metadata.is_file() {
        return Err(refuse(Refusal::NotAFile));
    }
    secure(&real, &metadata).map_err(refuse)?;
    if let Some(directory) = real.parent() {
        let metadata = fs::metadata(directory).map_err(|error| refuse(not_there(&error)))?;
        secure(directory, &metadata).map_err(refuse)?;
    }
    if !starts_like_a_library(&real).map_err(|error| refuse(not_there(&error)))? {
        return Err(refuse(Refusal::NotALibrary));
    }
    Ok(Checked {
        path: real,
        id: FileId {
            device: metadata.dev(),
            inode: metadata.ino(),
        },
    })
}

/// Refuses what somebody else owns or may write.
pub(super) fn secure(path: &Path, metadata: &Metadata) -> Result<(), Refusal> {
    let refuse = |why| {
        Err(Refusal::Insecure {
            what: path.into(),
            why,
        })
    };
    let (owner, user) = (metadata.uid(), rustix::process::geteuid().as_raw());
    if owner != 0 && owner != user {
        return refuse(format!(
            "belongs to user {owner}, who is neither root nor user {user} of this process"
        ));
    }
    let mode = metadata.mode() & 0o7777;
    if mode & WRITABLE_BY_OTHERS != 0 {
        return refuse(format!("has mode {mode:04o}, which lets others write"));
    }
    Ok(())
}

pub(super) fn not_there(error: &std::io::Error) -> Refusal {
    Refusal::NotThere {
        why: error.to_string(),
    }
}

/// Whether the loader would take it for a library at all. Its own message, "invalid ELF header" or
/// "file too short", says nothing to whoever has mistyped a path.
fn starts_like_a_library(path: &Path) -> std::io::Result<bool> {
    if !cfg!(target_os = "linux") {
        return Ok(true);
    }
    let mut start = [0; 4];
    match File::open(path)?.read_exact(&mut start) {
        Ok(()) => Ok(&start == b"\x7fELF"),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

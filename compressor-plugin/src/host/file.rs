//! What is known of a file before it is used: that it is a regular one, whose, and which.

use std::fs::{self, File, Metadata, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::elf;
use super::error::{PluginError, Refusal};

/// Permission bits that let somebody else write: of the group, and of all others.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Which file it is, whatever its names are, and as of which change of its content.
///
/// Device and inode alone are given to the next file once this one is deleted: who compares keeps
/// the file open meanwhile. Size and time tell a file that was written over in its place. The time
/// of a change of its status is no part of it: renaming a file, or a change of mode and back, makes
/// no other file of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
    size: u64,
    /// Of the last change of its content: seconds and nanoseconds.
    modified: (i64, i64),
}

impl FileId {
    fn new(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }

    /// Whether both are in one place of one device, be their content the same or not.
    pub(super) fn is_same_inode(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }

    /// Whether nothing tells them apart but the time of a change.
    pub(super) fn is_same_but_for_time(&self, other: &Self) -> bool {
        self.is_same_inode(other) && self.size == other.size
    }
}

/// A regular file that nobody else could have written, open for reading.
#[derive(Debug)]
pub(super) struct Checked {
    /// Without symbolic links.
    pub(super) path: PathBuf,
    pub(super) id: FileId,
    pub(super) file: File,
}

/// Looks at a library without loading it.
///
/// # Errors
///
/// A relative path, what [`open`] refuses, what the loader could not take for a library of this
/// machine, or would step beyond the end of.
pub(super) fn check(path: &Path) -> Result<Checked, PluginError> {
    let refuse = |refusal| PluginError::new(path, refusal);
    if !path.is_absolute() {
        return Err(refuse(Refusal::RelativePath));
    }
    let checked = open(path).map_err(refuse)?;
    if cfg!(target_os = "linux") {
        elf::check(&checked.file).map_err(refuse)?;
    }
    Ok(checked)
}

/// Opens a file to which nobody but root and the user of this process may write.
///
/// The same goes for the directory in which it really lies. Directories further up are the
/// operator's: whoever can rename one of them can swap the file after this check. Never waits for
/// another process, as opening a FIFO would.
///
/// # Errors
///
/// Nothing there, no regular file, a file or directory that others could have written.
pub(super) fn open(path: &Path) -> Result<Checked, Refusal> {
    let real = fs::canonicalize(path).map_err(|error| not_there(&error))?;
    // Asked before it is opened, for opening a device can have effects of its own; and again after,
    // of what was opened then.
    let found = fs::metadata(&real).map_err(|error| not_there(&error))?;
    if !found.is_file() {
        return Err(Refusal::NotAFile);
    }
    secure(&real, &found)?;
    if let Some(directory) = real.parent() {
        let metadata = fs::metadata(directory).map_err(|error| not_there(&error))?;
        secure(directory, &metadata)?;
    }
    let file = open_without_waiting(&real).map_err(|error| not_there(&error))?;
    let opened = file.metadata().map_err(|error| not_there(&error))?;
    if !opened.is_file() {
        return Err(Refusal::NotAFile);
    }
    secure(&real, &opened)?;
    Ok(Checked {
        path: real,
        id: FileId::new(&opened),
        file,
    })
}

fn open_without_waiting(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed())
        .open(path)
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

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use crate::Error;

/// Opens a file to read, and returns its length as well. Only a regular file will do.
///
/// Never waits: to open a pipe takes a writer, who may never come, and what else can be in a file's
/// place has no length and no positions.
///
/// # Errors
///
/// [`Error::Io`].
pub(crate) fn open_regular(path: &Path) -> Result<(File, u64), Error> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let open = |path| {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            return Ok((file, metadata.len()));
        }
        let why = "it is not a regular file";
        Err(io::Error::new(io::ErrorKind::InvalidInput, why))
    };
    open(path).map_err(|error| Error::io(path, "open", error))
}

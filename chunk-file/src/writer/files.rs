use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use crate::claim::{Claim, is_at};
use crate::pair::sync_dir;
use crate::{Error, Pair};

/// Bytes that gather before the data file is written to.
const BUFFER_LEN: usize = 256 << 10;

/// A pair that nobody can see yet. Dropped before it is published, its files go.
#[derive(Debug)]
pub(super) struct Unfinished {
    pair: Pair,
    data: BufWriter<File>,
    published: bool,
}

impl Unfinished {
    /// Makes both files, which keeps other writers from the name as long as this one lives.
    pub(super) fn create(pair: &Pair) -> Result<Self, Error> {
        not_there(pair)?;
        let data = Claim::of(pair)?.file;
        let unfinished = Self {
            pair: pair.clone(),
            data: BufWriter::with_capacity(BUFFER_LEN, data),
            published: false,
        };
        // Another writer may have ended between the look and the claim. From here on none can.
        not_there(pair)?;
        // Whoever left metadata there is dead as well.
        let info = pair.unfinished_info();
        match fs::remove_file(&info) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(Error::io(&info, "replace", error));
            }
            _ => {}
        }
        create(&info)?;
        Ok(unfinished)
    }

    pub(super) fn no_memory(&self, bytes: u64) -> Error {
        let path = self.data_path();
        Error::OutOfMemory { path, bytes }
    }

    pub(super) fn data_path(&self) -> Arc<Path> {
        Arc::from(self.pair.data())
    }

    /// Appends a chunk and its CRC.
    pub(super) fn append(&mut self, stored: &[u8], crc: u32) -> Result<(), Error> {
        self.data
            .write_all(stored)
            .and_then(|()| self.data.write_all(&crc.to_be_bytes()))
            .map_err(|error| Error::io(&self.pair.unfinished_data(), "write", error))
    }

    /// Puts a device that is always full in place of the disk.
    #[cfg(test)]
    pub(super) fn fill_disk(&mut self) {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        self.data = BufWriter::with_capacity(BUFFER_LEN, full);
    }

    /// Makes the pair durable and visible; see [`Pair`] for the order.
    pub(super) fn publish(&mut self, info: &[u8]) -> Result<(), Error> {
        let (data, info_path) = (self.pair.unfinished_data(), self.pair.unfinished_info());
        self.data
            .flush()
            .and_then(|()| self.data.get_ref().sync_all())
            .map_err(|error| Error::io(&data, "write", error))?;
        write_durably(&info_path, info).map_err(|error| Error::io(&info_path, "write", error))?;
        not_there(&self.pair)?;
        // Where there are no locks, somebody may have taken this writer for a dead one.
        if !is_at(self.data.get_ref(), &data)? {
            return Err(Error::Busy {
                path: Arc::from(data),
            });
        }

        rename(&info_path, self.pair.info())?;
        sync_dir(self.pair.dir()).inspect_err(|_| {
            // Not yet a pair; without its data file this would be left over.
            let _ = fs::remove_file(self.pair.info());
        })?;
        rename(&data, self.pair.data()).inspect_err(|_| {
            let _ = fs::remove_file(self.pair.info());
        })?;
        self.published = true;
        sync_dir(self.pair.dir())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.published {
            // Whatever cannot be removed now is left over, and not taken for a pair.
            let _ = fs::remove_file(self.pair.unfinished_info());
            let _ = fs::remove_file(self.pair.unfinished_data());
        }
    }
}

fn create(path: &Path) -> Result<File, Error> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(|error| Error::io(path, "create", error))
}

fn not_there(pair: &Pair) -> Result<(), Error> {
    if !pair.is_there()? {
        return Ok(());
    }
    Err(Error::Exists {
        path: Arc::from(pair.data()),
    })
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(|error| Error::io(from, "rename", error))
}

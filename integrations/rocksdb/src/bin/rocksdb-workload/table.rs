//! The table in a database, worked on by several threads.

use std::sync::atomic::{AtomicU32, Ordering};

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rocksdb::{DB, FlushOptions, WaitForCompactOptions, WriteOptions};

use crate::failure::Failure;
use crate::rows::Rows;

/// An open database and what is in it.
pub struct Table<'a> {
    db: &'a DB,
    rows: &'a Rows,
    write: WriteOptions,
    /// The next row of each partition.
    next: Vec<AtomicU32>,
    /// Rows of each partition that may be read: those that were there when [`Table::settle`] ran.
    readable: Vec<u32>,
}

/// A thread's own.
pub struct Worker {
    rng: ChaCha8Rng,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Worker {
    pub fn new(rng: ChaCha8Rng) -> Self {
        Self {
            rng,
            key: Vec::new(),
            value: Vec::new(),
        }
    }
}

impl<'a> Table<'a> {
    pub fn new(db: &'a DB, rows: &'a Rows, partitions: u32, wal: bool) -> Self {
        let mut write = WriteOptions::default();
        write.disable_wal(!wal);
        Self {
            db,
            rows,
            write,
            next: (0..partitions).map(|_| AtomicU32::new(0)).collect(),
            readable: Vec::new(),
        }
    }

    /// Writes the next row of some partition.
    pub fn write(&self, worker: &mut Worker) -> Result<(), Failure> {
        let Worker { rng, key, value } = worker;
        let partition = self.rows.partition(rng);
        let Some(next) = self.next.get(partition as usize) else {
            return Err(Failure::of("a partition that does not exist was drawn"));
        };
        self.rows
            .key(partition, next.fetch_add(1, Ordering::Relaxed), key);
        self.rows.value(partition, rng, value);
        Ok(self.db.put_opt(&*key, &*value, &self.write)?)
    }

    /// Reads some row that was there when the table settled.
    pub fn read(&self, worker: &mut Worker) -> Result<(), Failure> {
        let Worker { rng, key, .. } = worker;
        let (partition, rows) = loop {
            let partition = self.rows.partition(rng);
            match self.readable.get(partition as usize) {
                Some(0) => {}
                Some(rows) => break (partition, *rows),
                None => return Err(Failure::of("reading before the table settled")),
            }
        };
        self.rows.key(partition, rng.random_range(0..rows), key);
        match self.db.get_pinned(&*key)? {
            Some(_) => Ok(()),
            None => Err(Failure::of("a row that was written is missing")),
        }
    }

    /// Reads or writes, with equal chance.
    pub fn read_or_write(&self, worker: &mut Worker) -> Result<(), Failure> {
        if worker.rng.random() {
            self.read(worker)
        } else {
            self.write(worker)
        }
    }

    /// Flushes, and compacts everything.
    pub fn compact(&self) -> Result<(), Failure> {
        let mut wait = FlushOptions::default();
        wait.set_wait(true);
        self.db.flush_opt(&wait)?;
        self.db.compact_range(None::<&[u8]>, None::<&[u8]>);
        Ok(self
            .db
            .wait_for_compact(&WaitForCompactOptions::default())?)
    }

    /// From now on every row that is there may be read. Nobody else writes meanwhile.
    pub fn settle(&mut self) -> Result<(), Failure> {
        self.readable = self.next.iter_mut().map(|next| *next.get_mut()).collect();
        if self.readable.iter().all(|rows| *rows == 0) {
            return Err(Failure::of("there is nothing to read"));
        }
        Ok(())
    }

    /// Bytes of the tables on disk.
    pub fn bytes_on_disk(&self) -> Result<u64, Failure> {
        let files = self.db.live_files()?;
        Ok(files.iter().map(|file| file.size as u64).sum())
    }
}

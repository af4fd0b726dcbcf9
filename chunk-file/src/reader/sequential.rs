use std::borrow::Borrow;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

use super::Reader;
use super::batch::Batch;
use crate::Error;

/// Content that is read ahead, unless a single chunk is longer: 256 KiB.
const AHEAD_LEN: u64 = 256 << 10;

impl Reader {
    /// The content in sequence, from the beginning.
    ///
    /// Begins at another place after [`Seek::seek`]. Chunks are read and decoded some at a time,
    /// past the cache.
    #[must_use]
    pub fn sequential(&self) -> Sequential<&Self> {
        Sequential::new(self)
    }
}

/// Reads the content of a pair in sequence; holds a reader as `&Reader` or `Arc<Reader>`.
///
/// Bytes before a bad chunk come first, then its error, at each call again: nothing is skipped.
/// The [`io::Error`] holds the [`Error`].
#[derive(Debug)]
pub struct Sequential<R> {
    reader: R,
    position: u64,
    batch: Batch,
    /// The chunk that the batch begins with, and one past its last.
    loaded: std::ops::Range<u64>,
}

impl<R: Borrow<Reader>> Sequential<R> {
    /// From the beginning of the content.
    #[must_use]
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            position: 0,
            batch: Batch::default(),
            loaded: 0..0,
        }
    }

    /// The content from the position on, as far as the chunk there goes; empty at the end.
    ///
    /// # Errors
    ///
    /// As [`Reader::read_at`].
    pub(crate) fn rest_of_chunk(&mut self) -> Result<&[u8], Error> {
        let reader = self.reader.borrow();
        let info = reader.info();
        if self.position >= info.data_len() {
            return Ok(&[]);
        }
        let chunk_len = u64::from(info.chunk_len());
        let index = self.position / chunk_len;
        if !self.loaded.contains(&index) {
            let ahead = Batch::chunks_in(AHEAD_LEN, chunk_len);
            let end = info.data_len().div_ceil(chunk_len).min(index + ahead);
            self.batch.load(reader, index..end);
            self.loaded = index..end;
        }
        let nth = (index - self.loaded.start) as usize;
        match self.batch.get(nth) {
            Some((_, Ok(content))) => {
                let skip = (self.position % chunk_len) as usize;
                Ok(content.get(skip..).unwrap_or_default())
            }
            Some((_, Err(error))) => {
                let error = error.clone();
                // Whoever tries again reads the file again.
                self.loaded = 0..0;
                Err(error)
            }
            None => Ok(&[]),
        }
    }
}

impl<R: Borrow<Reader>> BufRead for Sequential<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.rest_of_chunk()?)
    }

    fn consume(&mut self, amount: usize) {
        self.position = self.position.saturating_add(amount as u64);
    }
}

impl<R: Borrow<Reader>> Read for Sequential<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buf)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: Borrow<Reader>> Seek for Sequential<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let data_len = self.reader.borrow().info().data_len();
        let (base, offset) = match to {
            SeekFrom::Start(position) => (position, 0),
            SeekFrom::End(offset) => (data_len, offset),
            SeekFrom::Current(offset) => (self.position, offset),
        };
        self.position = base
            .checked_add_signed(offset)
            .ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

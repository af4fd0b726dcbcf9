//! Reads pairs at random, in sequence and in batches.

mod batch;
mod cache;
mod chance;
mod decode;
mod many;
mod open;
mod sequential;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use compressor::{Compressor, SessionPool};

use crate::error::Damage;
use crate::info::CRC_LEN;
use crate::{Chunk, CompressionInfo, Error};
use cache::Cache;
use chance::Chance;

pub use open::ReaderOptions;
pub use sequential::Sequential;

/// Calls whose working buffers rest between calls; calls beyond that many at once make their own.
const IDLE_CALLS: usize = 8;

/// Sessions that rest between calls.
const IDLE_SESSIONS: usize = 16;

/// The longest buffer that rests, 1 MiB, so that all of them are 16 MiB at most. What needs more
/// works for long enough not to notice that memory is taken for it.
const IDLE_LEN: usize = 1 << 20;

/// What a call works with. Each keeps its part in every call: if they changed places, the longer
/// part would be filled with zeros again and again.
#[derive(Debug, Default)]
struct Buffers {
    /// Chunks as they are in the file.
    stored: Vec<u8>,
    /// Their content.
    content: Vec<u8>,
}

/// A pair, opened: reads its content at random.
///
/// Shared by any number of threads; reads never wait for each other, but for the moment that the
/// cache of decoded chunks takes, if there is one. Reads with `pread`, so that a file that shrinks
/// under it is an error and not a signal.
///
/// # What a caller can rely on
///
/// - Bytes that come back are those of chunks that were whole: CRC checked (by the chance that was
///   asked for), decompressed to exactly the content they must have. If any chunk of a read fails,
///   the read fails.
/// - Whether a chunk is raw follows from its length alone; one that does not decompress is never
///   read as raw.
/// - A CRC that does not fit is found before any compressor sees the bytes. Where the check was
///   skipped, or bytes fit their CRC and are wrong all the same, the decorator asks software
///   before it believes that the data is bad, and holds nothing against the device.
///
/// With a `crc_check_chance` below 1, damage that a format does not notice itself comes back as
/// content, as it does in Cassandra: `lz4-sized`, `snappy`, `none` and raw chunks have no checksum.
#[derive(Debug)]
pub struct Reader {
    path: Arc<Path>,
    file: File,
    info: CompressionInfo,
    pool: SessionPool,
    cache: Option<Cache>,
    chance: Chance,
    idle: Mutex<Vec<Buffers>>,
}

impl Reader {
    /// What the metadata says.
    #[must_use]
    pub const fn info(&self) -> &CompressionInfo {
        &self.info
    }

    /// What decompresses the chunks.
    #[must_use]
    pub fn compressor(&self) -> &Arc<dyn Compressor> {
        self.pool.compressor()
    }

    /// The data file, as errors name it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Fills `buf` with the content from `position` on, as far as there is any; returns how many
    /// bytes that were: all of `buf`, unless the data ends before.
    ///
    /// # Errors
    ///
    /// Any error of a chunk: [`Error::Io`], [`Error::Corrupt`], [`Error::Codec`]. Then `buf` holds
    /// zeros where it was written at all.
    pub fn read_at(&self, position: u64, buf: &mut [u8]) -> Result<usize, Error> {
        let len = usize::try_from(self.info.data_len().saturating_sub(position))
            .map_or(buf.len(), |left| left.min(buf.len()));
        let buf = buf.get_mut(..len).unwrap_or_default();
        let read = self.fill(position, buf);
        if read.is_err() {
            buf.fill(0);
        }
        read.map(|()| len)
    }

    /// As [`read_at`](Self::read_at), with all of `buf` inside the data.
    fn fill(&self, position: u64, mut buf: &mut [u8]) -> Result<(), Error> {
        if buf.is_empty() {
            return Ok(());
        }
        let chunk_len = u64::from(self.info.chunk_len());
        let Buffers {
            mut stored,
            mut content,
        } = self.buffers();
        let mut at = position;
        while !buf.is_empty() {
            let chunk = self.chunk(at / chunk_len)?;
            let skip = (at % chunk_len) as usize;
            let take = (chunk.content_len - skip).min(buf.len());
            let (part, rest) = buf.split_at_mut(take);
            if take == chunk.content_len && self.cache.is_none() {
                // A whole chunk is decoded where it is wanted.
                self.load(chunk, &mut stored, part)?;
            } else {
                self.copy(chunk, skip, part, &mut stored, &mut content)?;
            }
            buf = rest;
            at += take as u64;
        }
        self.keep(Buffers { stored, content });
        Ok(())
    }

    /// Copies content of a chunk from `skip` on to all of `part`, by way of the cache.
    fn copy(
        &self,
        chunk: Chunk,
        skip: usize,
        part: &mut [u8],
        stored: &mut Vec<u8>,
        content: &mut Vec<u8>,
    ) -> Result<(), Error> {
        if let Some(cached) = self.cached(chunk.index) {
            copy_from(&cached, skip, part);
            return Ok(());
        }
        self.plausible(chunk)?;
        content.resize(chunk.content_len, 0);
        self.load(chunk, stored, content)?;
        copy_from(content, skip, part);
        self.remember(chunk, content);
        Ok(())
    }

    /// Reads one chunk and decodes it to all of `content`.
    fn load(&self, chunk: Chunk, stored: &mut Vec<u8>, content: &mut [u8]) -> Result<(), Error> {
        stored.resize(chunk.stored_len + CRC_LEN as usize, 0);
        self.read_exact(chunk, stored)?;
        self.decode(chunk, stored, content)
    }

    /// Reads a chunk, compares its CRC and decodes it, past the cache.
    pub(crate) fn verify_chunk(
        &self,
        chunk: Chunk,
        stored: &mut Vec<u8>,
        content: &mut Vec<u8>,
    ) -> Result<(), Error> {
        self.plausible(chunk)?;
        stored.resize(chunk.stored_len + CRC_LEN as usize, 0);
        content.resize(chunk.content_len, 0);
        self.read_exact(chunk, stored)?;
        self.checked(chunk, stored, true)?;
        self.decode(chunk, stored, content)
    }

    /// Reads all of `stored` from where a chunk begins.
    fn read_exact(&self, first: Chunk, stored: &mut [u8]) -> Result<(), Error> {
        self.file
            .read_exact_at(stored, first.offset)
            .map_err(|error| match error.kind() {
                // It was long enough when it was opened.
                io::ErrorKind::UnexpectedEof => self.corrupt(first, Damage::Cut),
                _ => Error::io(&self.path, "read", error),
            })
    }

    fn chunk(&self, index: u64) -> Result<Chunk, Error> {
        self.info.chunk(index).ok_or_else(|| Error::OutOfRange {
            path: self.path.clone(),
            start: index.saturating_mul(u64::from(self.info.chunk_len())),
            end: u64::MAX,
            data_len: self.info.data_len(),
        })
    }

    fn check(&self, range: &Range<u64>) -> Result<(), Error> {
        let data_len = self.info.data_len();
        if range.start <= range.end && range.end <= data_len {
            return Ok(());
        }
        Err(Error::OutOfRange {
            path: self.path.clone(),
            start: range.start,
            end: range.end,
            data_len,
        })
    }

    fn cached(&self, chunk: u64) -> Option<Arc<[u8]>> {
        self.cache.as_ref()?.find(chunk)
    }

    fn remember(&self, chunk: Chunk, content: &[u8]) {
        if let Some(cache) = &self.cache {
            cache.keep(chunk.index, content);
        }
    }

    fn corrupt(&self, chunk: Chunk, damage: Damage) -> Error {
        Error::Corrupt {
            path: self.path.clone(),
            chunk: chunk.index,
            offset: chunk.offset,
            damage,
        }
    }

    fn buffers(&self) -> Buffers {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop().unwrap_or_default()
    }

    /// What a failed call had is dropped instead; that is rare.
    fn keep(&self, buffers: Buffers) {
        let Buffers { stored, content } = &buffers;
        if stored.capacity().max(content.capacity()) > IDLE_LEN {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_CALLS {
            idle.push(buffers);
        }
    }
}

/// Copies from `skip` on to all of `part`; both lie inside `content` by construction.
fn copy_from(content: &[u8], skip: usize, part: &mut [u8]) {
    if let Some(bytes) = content.get(skip..skip + part.len()) {
        part.copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pair, Params, ReaderOptions, Writer, WriterOptions};
    use compressor::{Engine, Format, Spec};

    #[test]
    fn what_rests_between_calls_is_bounded() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair::new(dir.path(), "nb-1-big");
        let params = Params::new(Spec::new(Format::None)).unwrap();
        let params = params.with_chunk_len(2 << 20).unwrap();
        let engine = Engine::new().unwrap();
        let stored = engine.compressor(params.spec()).unwrap();
        let mut writer = Writer::create(&pair, params, stored, WriterOptions::new()).unwrap();
        writer.append(&[7; 3 << 20]).unwrap();
        writer.finish().unwrap();

        let reader = Reader::open(&pair, &engine, ReaderOptions::default()).unwrap();
        for _ in 0..3 {
            assert_eq!(reader.read_at(9, &mut [0; 9]).unwrap(), 9);
            assert_eq!(reader.read_many(&[5..6, 7..8])[1].as_ref().unwrap(), &[7]);
        }
        assert!(reader.idle.lock().unwrap().is_empty());
        let buffer = || Vec::with_capacity(IDLE_LEN);
        for _ in 0..100 {
            let (stored, content) = (buffer(), buffer());
            reader.keep(Buffers { stored, content });
        }
        assert_eq!(reader.idle.lock().unwrap().len(), IDLE_CALLS);
    }

    #[test]
    fn buffers_keep_their_part_and_their_length_from_call_to_call() {
        let dir = tempfile::tempdir().unwrap();
        let pair = Pair::new(dir.path(), "nb-1-big");
        let params = Params::new(Spec::new(Format::Zlib)).unwrap();
        let engine = Engine::new().unwrap();
        let zlib = engine.compressor(params.spec()).unwrap();
        let mut writer = Writer::create(&pair, params, zlib, WriterOptions::new()).unwrap();
        writer.append(&[7; 100_000]).unwrap();
        writer.finish().unwrap();

        let reader = Reader::open(&pair, &engine, ReaderOptions::default()).unwrap();
        let rest = || {
            let idle = reader.idle.lock().unwrap();
            let [buffers] = idle.as_slice() else {
                panic!("{idle:?}")
            };
            [&buffers.stored, &buffers.content].map(|buffer| (buffer.as_ptr(), buffer.len()))
        };
        reader.read_at(9, &mut [0; 9]).unwrap();
        let before = rest();
        assert!(before[0].1 < before[1].1);
        reader.read_at(9, &mut [0; 9]).unwrap();
        assert_eq!(rest(), before);
        let many = || drop(reader.read_many(&[5..6, 20_000..20_001]));
        many();
        let before = rest();
        many();
        assert_eq!(rest(), before);
    }
}

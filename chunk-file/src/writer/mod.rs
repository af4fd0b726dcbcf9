//! Writes pairs: chunks compressed side by side, kept in order, visible when complete.

mod compress;
mod files;
mod pipeline;

use std::io::{self, Write};
use std::sync::Arc;

use compressor::Compressor;

use crate::info::CRC_LEN;
use crate::{CompressionInfo, Error, Pair, Params};
use compress::{Compress, Task};
use files::Unfinished;
use pipeline::{Died, NoMemory, NotStarted, Pipeline};

/// The most threads of a writer.
const MAX_THREADS: usize = 1024;

/// The most chunks that a thread may have before it: it is busy for long enough to be given more.
const MAX_DEPTH: usize = 256;

/// How a [`Writer`] works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriterOptions {
    /// Threads that compress. 1, the default, is the caller's own and starts none.
    pub threads: usize,
    /// Chunks that each thread may have before it, if there are several. The memory of a writer
    /// is that of `threads` × `depth` chunks and one more, each with room for it compressed, and 8
    /// bytes for each chunk of the file.
    pub depth: usize,
}

impl WriterOptions {
    /// One thread.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            threads: 1,
            depth: 4,
        }
    }

    /// The same with so many threads; 0 is 1, and more than 1,024 are 1,024.
    #[must_use]
    pub const fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The same with so many chunks before each thread; 0 is 1, and more than 256 are 256.
    #[must_use]
    pub const fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// What numbers that anybody may have set stand for.
    fn in_bounds(self) -> Self {
        Self {
            threads: self.threads.clamp(1, MAX_THREADS),
            depth: self.depth.clamp(1, MAX_DEPTH),
        }
    }
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Written {
    /// Bytes of content.
    pub data_len: u64,
    /// Length of the data file.
    pub file_len: u64,
    /// Chunks.
    pub chunks: u64,
    /// Chunks that are stored raw.
    pub raw_chunks: u64,
}

/// Writes a pair from a stream.
///
/// Chunks are compressed on [`threads`](WriterOptions::threads), and reach the file in their order.
/// Whoever writes faster than that waits in `write`.
///
/// Nothing is visible before [`finish`](Self::finish), which makes the pair durable and visible; a
/// writer that is dropped before, or fails, takes its files with it. What a crash leaves is never
/// taken for a pair: see [`Pair`].
///
/// ```
/// use std::io::Write;
/// use chunk_file::{Pair, Params, Reader, ReaderOptions, Writer, WriterOptions};
/// use compressor::Engine;
///
/// # let dir = tempfile::tempdir()?;
/// let engine = Engine::new()?;
/// let params = Params::from_cql([("class", "LZ4Compressor"), ("chunk_length_in_kb", "4")])?;
/// let pair = Pair::new(dir.path(), "nb-1-big");
/// let lz4 = engine.compressor(params.spec())?;
/// let mut writer = Writer::create(&pair, params, lz4, WriterOptions::new().threads(2))?;
/// writer.write_all(&b"row ".repeat(10_000))?;
/// assert_eq!(writer.finish()?.chunks, 10);
///
/// let reader = Reader::open(&pair, &engine, ReaderOptions::default())?;
/// let mut row = [0; 4];
/// reader.read_at(20_000, &mut row)?;
/// assert_eq!(&row, b"row ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    params: Params,
    files: Unfinished,
    pipeline: Pipeline,
    /// The chunk that is being filled.
    filling: Task,
    sink: Sink,
}

/// What was appended to the data file, chunk by chunk.
#[derive(Debug)]
struct Sink {
    offsets: Vec<u64>,
    written: Written,
    broken: bool,
}

impl Writer {
    /// Begins a pair; `compressor` compresses its chunks.
    ///
    /// # Errors
    ///
    /// - [`Error::Exists`]: there is a pair of that name. [`Error::Busy`]: another writer, which
    ///   lives, makes one. What one that died left is replaced.
    /// - [`Error::Unavailable`]: the compressor is for another format than `params`, cannot take
    ///   chunks of that length, or asks for more room than twice that and 64 KiB.
    /// - [`Error::Io`], [`Error::OutOfMemory`].
    pub fn create(
        pair: &Pair,
        params: Params,
        compressor: Arc<dyn Compressor>,
        options: WriterOptions,
    ) -> Result<Self, Error> {
        let unavailable = |why: &str| Error::Unavailable {
            path: Arc::from(pair.data()),
            why: why.into(),
        };
        if compressor.spec().format() != params.spec().format() {
            return Err(unavailable("the compressor is for another format"));
        }
        let chunk_len = params.chunk_len() as usize;
        let bound = compressor
            .max_compressed_len(chunk_len)
            .ok_or_else(|| unavailable("the compressor cannot take so long a chunk"))?;
        if bound > most_room(chunk_len) {
            let why = "bytes of room to compress a chunk of";
            return Err(unavailable(&format!(
                "the compressor asks for {bound} {why} {chunk_len}"
            )));
        }
        let files = Unfinished::create(pair)?;
        let compress = Compress::new(&params, compressor.as_ref());
        let mut pipeline = Pipeline::new(&compressor, options, compress, chunk_len, bound)
            .map_err(|error| match error {
                NotStarted::Session(error) => unavailable(&error.to_string()),
                NotStarted::Thread(error) => Error::io(pair.data(), "start a thread for", error),
            })?;
        Ok(Self {
            filling: pipeline
                .spare()
                .map_err(|NoMemory { bytes }| files.no_memory(bytes))?,
            params,
            files,
            pipeline,
            sink: Sink {
                offsets: Vec::new(),
                written: Written::default(),
                broken: false,
            },
        })
    }

    /// Bytes of content so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.sink.written.data_len + self.pipeline.content_len() + self.filling.content.len() as u64
    }

    /// Whether nothing was written yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes all of `content`: [`write_all`](Write::write_all), with a typed error.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Codec`], [`Error::TooLong`], [`Error::OutOfMemory`]; after any of
    /// them, and after a panic of the compressor, [`Error::Broken`].
    pub fn append(&mut self, mut content: &[u8]) -> Result<(), Error> {
        while !content.is_empty() {
            let taken = self.take(content)?;
            content = content.get(taken..).unwrap_or_default();
        }
        Ok(())
    }

    fn take(&mut self, content: &[u8]) -> Result<usize, Error> {
        self.intact()?;
        let chunk_len = self.params.chunk_len() as usize;
        if self.filling.content.len() == chunk_len && !content.is_empty() {
            // Until it ended well, so that a writer out of which a panic came stays broken as well:
            // the chunk is gone.
            self.sink.broken = true;
            self.submit()?;
            self.sink.broken = false;
        }
        let room = chunk_len - self.filling.content.len();
        let taken = content.get(..room).unwrap_or(content);
        self.filling.content.extend_from_slice(taken);
        Ok(taken.len())
    }

    /// Completes the pair, makes it durable, and lets it be seen.
    ///
    /// # Errors
    ///
    /// - [`Error::Exists`]: meanwhile somebody else made a pair of that name.
    /// - [`Error::Io`], [`Error::Codec`], [`Error::TooLong`], [`Error::OutOfMemory`],
    ///   [`Error::Broken`]. Nothing is left then; but if it was the very last step that failed, the
    ///   `fsync` of the directory after the pair became visible, the pair stays and may not survive
    ///   a power failure.
    pub fn finish(mut self) -> Result<Written, Error> {
        self.intact()?;
        // An empty file has one empty chunk, as readers expect at least one.
        let empty = self.is_empty();
        if empty || !self.filling.content.is_empty() {
            self.submit()?;
        }
        while let Some(task) = self.finished()? {
            self.put(&task)?;
        }
        let written = self.sink.written;
        let data_len = i64::try_from(written.data_len).map_err(|_| self.too_long())?;
        let info = CompressionInfo::encode(&self.params, data_len, &self.sink.offsets)
            .ok_or_else(|| self.too_long())?;
        self.files.publish(&info)?;
        Ok(written)
    }

    /// Hands over the chunk that was filled; waits while the pipeline is full.
    fn submit(&mut self) -> Result<(), Error> {
        if self.pipeline.is_full()
            && let Some(task) = self.finished()?
        {
            self.put(&task)?;
            self.pipeline.take_back(task);
        }
        let spare = self.pipeline.spare();
        let next = spare.map_err(|NoMemory { bytes }| self.files.no_memory(bytes))?;
        let full = std::mem::replace(&mut self.filling, next);
        self.pipeline.submit(full).map_err(|Died| self.broken())
    }

    fn finished(&mut self) -> Result<Option<Task>, Error> {
        self.pipeline.finished().map_err(|Died| self.broken())
    }

    fn put(&mut self, task: &Task) -> Result<(), Error> {
        let Sink {
            offsets, written, ..
        } = &mut self.sink;
        let stored = task.stored().map_err(|error| Error::Codec {
            path: self.files.data_path(),
            chunk: written.chunks,
            offset: written.file_len,
            error,
        })?;
        if i32::try_from(offsets.len() + 1).is_err() {
            return Err(self.too_long());
        }
        offsets
            .try_reserve(1)
            .map_err(|_| self.files.no_memory(8 * (offsets.len() as u64 + 1)))?;
        self.files.append(stored, task.crc)?;
        offsets.push(written.file_len);
        written.file_len += stored.len() as u64 + CRC_LEN;
        written.data_len += task.content_len as u64;
        written.chunks += 1;
        written.raw_chunks += u64::from(task.raw);
        Ok(())
    }

    fn too_long(&self) -> Error {
        Error::TooLong {
            path: self.files.data_path(),
        }
    }

    fn intact(&self) -> Result<(), Error> {
        if self.sink.broken {
            return Err(self.broken());
        }
        Ok(())
    }

    fn broken(&self) -> Error {
        Error::Broken {
            path: self.files.data_path(),
        }
    }
}

/// The most room that a compressor may ask for: more than any needs for a chunk, and little enough
/// that a wrong number does not become memory.
const fn most_room(chunk_len: usize) -> usize {
    2 * chunk_len + (64 << 10)
}

impl Write for Writer {
    /// Takes as much of `buf` as the chunk still has room for.
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        Ok(self.take(buf)?)
    }

    /// Does nothing: a chunk is written when it is full, and nothing is visible before the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(self.intact()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DEFAULT_CHUNK_LEN;
    use compressor::{Engine, Format, Spec};
    use std::fs;

    /// A writer whose disk is full, and its directory.
    fn on_a_full_disk(threads: usize) -> (tempfile::TempDir, Writer) {
        let dir = tempfile::tempdir().unwrap();
        let params = Params::new(Spec::new(Format::None)).unwrap();
        let stored = Engine::new().unwrap().compressor(params.spec()).unwrap();
        let options = WriterOptions::new().threads(threads);
        let pair = Pair::new(dir.path(), "nb-1-big");
        let mut writer = Writer::create(&pair, params, stored, options).unwrap();
        writer.files.fill_disk();
        (dir, writer)
    }

    fn is_full(error: &Error) -> bool {
        matches!(error, Error::Io { error, .. } if error.kind() == io::ErrorKind::StorageFull)
    }

    #[test]
    fn a_full_disk_fails_the_write_and_all_that_follow_and_leaves_nothing() {
        for threads in [1, 3] {
            let (dir, mut writer) = on_a_full_disk(threads);
            let error = writer.append(&vec![7; 4 << 20]).unwrap_err();
            assert!(is_full(&error), "{error}");
            assert!(matches!(writer.append(b"more"), Err(Error::Broken { .. })));
            assert!(matches!(writer.finish(), Err(Error::Broken { .. })));
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_disk_that_is_full_at_the_end_leaves_nothing() {
        let (dir, mut writer) = on_a_full_disk(1);
        writer.append(b"less than a buffer").unwrap();
        let error = writer.finish().unwrap_err();
        assert!(is_full(&error), "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn numbers_of_threads_and_chunks_have_bounds() {
        let bounds = |threads, depth| {
            let options = WriterOptions::new().threads(threads).depth(depth);
            let WriterOptions { threads, depth } = options.in_bounds();
            (threads, depth)
        };
        assert_eq!(bounds(0, 0), (1, 1));
        assert_eq!(bounds(3, 5), (3, 5));
        assert_eq!(bounds(usize::MAX, usize::MAX), (1024, 256));
    }

    #[test]
    fn no_more_is_under_way_than_was_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let params = Params::new(Spec::new(Format::None)).unwrap();
        let stored = Engine::new().unwrap().compressor(params.spec()).unwrap();
        let options = WriterOptions::new().threads(3).depth(2);
        let pair = Pair::new(dir.path(), "nb-1-big");
        let mut writer = Writer::create(&pair, params, stored, options).unwrap();
        let chunk = vec![7; DEFAULT_CHUNK_LEN as usize];
        for _ in 0..100 {
            writer.append(&chunk).unwrap();
            assert!(writer.pipeline.content_len() <= 6 * u64::from(DEFAULT_CHUNK_LEN));
        }
        assert_eq!(writer.finish().unwrap().chunks, 100);
    }
}

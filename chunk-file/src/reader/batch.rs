use std::ops::Range;

use compressor::{DecompressSession, Error as CodecError, Job};

use super::{Buffers, Reader};
use crate::info::CRC_LEN;
use crate::{Chunk, Error};

/// A number of chunks, read and decoded together: adjacent ones by one read, all that need a codec
/// by one submission.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The chunks back to back, as they are in the file and decoded.
    buffers: Buffers,
    chunks: Vec<Loaded>,
}

/// The most chunks of a batch, as many as 4 KiB are in 4 MiB: what is kept of each besides its bytes,
/// about 200 bytes, stays little beside those where chunks are short.
const MOST_CHUNKS: u64 = 1024;

#[derive(Debug)]
struct Loaded {
    chunk: Chunk,
    /// Where it is in `stored`.
    stored: Range<usize>,
    /// Where its content is in `content`.
    content: Range<usize>,
    /// Whether a codec has to see it.
    coded: bool,
    result: Result<(), Error>,
}

impl Batch {
    /// How many chunks to load together for `len` bytes of content; at least 1.
    pub(super) fn chunks_in(len: u64, chunk_len: u64) -> u64 {
        (len / chunk_len.max(1)).clamp(1, MOST_CHUNKS)
    }

    /// With buffers to use again.
    pub(super) const fn with_buffers(buffers: Buffers) -> Self {
        let chunks = Vec::new();
        Self { buffers, chunks }
    }

    /// Its buffers, for others to use.
    pub(super) fn into_buffers(self) -> Buffers {
        self.buffers
    }

    /// Loads chunks, whose indices ascend. What was there before is gone.
    pub(super) fn load(&mut self, reader: &Reader, indices: impl IntoIterator<Item = u64>) {
        self.plan(reader, indices);
        self.read(reader);
        self.decode(reader);
    }

    /// The content of the `nth` chunk of the batch, and which chunk it is.
    pub(super) fn get(&self, nth: usize) -> Option<(Chunk, Result<&[u8], &Error>)> {
        let loaded = self.chunks.get(nth)?;
        let content = match &loaded.result {
            Ok(()) => Ok(self.buffers.content.get(loaded.content.clone())?),
            Err(error) => Err(error),
        };
        Some((loaded.chunk, content))
    }

    /// The chunks in their order, with what came of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Chunk, Result<&[u8], &Error>)> {
        (0..self.chunks.len()).filter_map(|nth| self.get(nth))
    }

    fn plan(&mut self, reader: &Reader, indices: impl IntoIterator<Item = u64>) {
        self.chunks.clear();
        let (mut stored, mut content) = (0, 0);
        for chunk in indices
            .into_iter()
            .filter_map(|index| reader.info.chunk(index))
        {
            let result = reader.plausible(chunk);
            let fits = usize::from(result.is_ok());
            let stored_end = stored + fits * (chunk.stored_len + CRC_LEN as usize);
            let content_end = content + fits * chunk.content_len;
            self.chunks.push(Loaded {
                chunk,
                stored: stored..stored_end,
                content: content..content_end,
                coded: false,
                result,
            });
            (stored, content) = (stored_end, content_end);
        }
        self.buffers.stored.resize(stored, 0);
        self.buffers.content.resize(content, 0);
    }

    /// Reads runs of chunks that lie side by side in the file; they do in `stored` as well.
    fn read(&mut self, reader: &Reader) {
        for run in self.chunks.chunk_by_mut(|one, next| {
            one.result.is_ok() && next.result.is_ok() && one.chunk.index + 1 == next.chunk.index
        }) {
            if read_run(reader, run, &mut self.buffers.stored).is_err() {
                // Which of them it was; the others are there all the same.
                for loaded in run.chunks_mut(1) {
                    if let Err(error) = read_run(reader, loaded, &mut self.buffers.stored) {
                        loaded
                            .iter_mut()
                            .for_each(|l| l.result = Err(error.clone()));
                    }
                }
            }
        }
    }

    fn decode(&mut self, reader: &Reader) {
        let Buffers { stored, content } = &mut self.buffers;
        let mut rest = content.as_mut_slice();
        let mut jobs = Vec::with_capacity(self.chunks.len());
        for loaded in &mut self.chunks {
            let (content, after) = rest.split_at_mut(loaded.content.len());
            rest = after;
            let stored = stored.get(loaded.stored.clone()).unwrap_or_default();
            loaded.coded = false;
            if loaded.result.is_err() {
                continue;
            }
            let unit = reader.checked(loaded.chunk, stored, reader.chance.draw());
            loaded.result = unit.and_then(|unit| {
                loaded.coded = !reader.without_codec(loaded.chunk, unit, content)?;
                if loaded.coded {
                    jobs.push(Job::new(unit, content));
                }
                Ok(())
            });
        }
        if jobs.is_empty() {
            return;
        }
        let results: Vec<_> = match reader.pool.decompress_session() {
            Ok(mut session) => {
                session.decompress_many(&mut jobs);
                let exact = |job| exact(&mut session, job);
                jobs.into_iter().map(exact).collect()
            }
            Err(error) => vec![Err(error); jobs.len()],
        };
        let coded = self.chunks.iter_mut().filter(|loaded| loaded.coded);
        for (loaded, result) in coded.zip(results) {
            let stored = stored.get(loaded.stored.clone()).unwrap_or_default();
            loaded.result = result.map_err(|error| reader.not_decoded(loaded.chunk, stored, error));
        }
    }
}

/// Reads chunks that lie side by side, by one read.
fn read_run(reader: &Reader, run: &[Loaded], stored: &mut [u8]) -> Result<(), Error> {
    let (Some(first), Some(last)) = (run.first(), run.last()) else {
        return Ok(());
    };
    match stored.get_mut(first.stored.start..last.stored.end) {
        Some(bytes) if first.result.is_ok() => reader.read_exact(first.chunk, bytes),
        _ => Ok(()),
    }
}

/// The result of a job whose content must fill its buffer.
fn exact(session: &mut dyn DecompressSession, job: Job<'_>) -> Result<(), CodecError> {
    if job.result? == job.dst.len() {
        return Ok(());
    }
    // Told the length, the session finds out whether the data is short or who read it was wrong.
    session.decompress_exact(job.src, job.dst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_bounded_by_bytes_and_by_chunks() {
        let four_mib = 4 << 20;
        for (chunk_len, chunks) in [
            (1, 1024),
            (4 << 10, 1024),
            (8 << 10, 512),
            (4 << 20, 1),
            (16 << 20, 1),
        ] {
            assert_eq!(Batch::chunks_in(four_mib, chunk_len), chunks, "{chunk_len}");
        }
    }
}

use std::collections::TryReserveError;
use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use super::Reader;
use super::batch::Batch;
use crate::Error;
use crate::error::Damage;

/// Content that one batch holds, unless a single chunk is longer: 4 MiB.
const BATCH_LEN: u64 = 4 << 20;

impl Reader {
    /// Reads many ranges of the content; a result for each, in the caller's order.
    ///
    /// Requests are grouped by chunk: each chunk is read and decoded once, however many want it.
    /// Chunks that lie side by side are read at once, and decoded by one submission
    /// ([`decompress_many`](compressor::DecompressSession::decompress_many)). One request's error
    /// is the error of the first of its chunks that failed, and touches no other request that
    /// does not need that chunk.
    ///
    /// Memory: the results, which grow as their chunks are decoded, so that no range costs memory
    /// before there is content for it; and up to 4 MiB of chunks at a time, compressed and decoded,
    /// or one chunk if that is longer.
    ///
    /// # Errors
    ///
    /// Per request: [`Error::OutOfRange`] unless the range lies inside the data,
    /// [`Error::OutOfMemory`], and as [`read_at`](Self::read_at).
    #[must_use]
    pub fn read_many(&self, requests: &[Range<u64>]) -> Vec<Result<Vec<u8>, Error>> {
        let mut results: Vec<_> = requests
            .iter()
            .map(|range| self.check(range).map(|()| Vec::new()))
            .collect();
        let ordered = self.in_order(requests, &results);
        let mut wanted = wanted(&ordered);
        let mut under_way = UnderWay {
            waiting: ordered.iter().peekable(),
            begun: Vec::new(),
        };
        let at_once = Batch::chunks_in(BATCH_LEN, u64::from(self.info.chunk_len()));
        let mut batch = Batch::with_buffers(self.buffers());
        loop {
            let chunks: Vec<u64> = wanted.by_ref().take(at_once as usize).collect();
            if chunks.is_empty() {
                break;
            }
            let cached: Vec<_> = chunks.iter().map(|chunk| self.cached(*chunk)).collect();
            let missing = chunks
                .iter()
                .zip(&cached)
                .filter(|(_, cached)| cached.is_none());
            batch.load(self, missing.map(|(chunk, _)| *chunk));
            let mut loaded = batch.iter();
            for (index, cached) in chunks.iter().zip(&cached) {
                let content = match cached {
                    Some(content) => Ok(&**content),
                    None => loaded.next().map_or(Ok(&[][..]), |(chunk, content)| {
                        content.inspect(|content| self.remember(chunk, content))
                    }),
                };
                for request in under_way.at(*index) {
                    if let Some(result) = results.get_mut(request.nth) {
                        self.serve(request, *index, content, result);
                    }
                }
            }
        }
        self.keep(batch.into_buffers());
        results
    }

    /// The requests that want anything, by where they begin.
    fn in_order(
        &self,
        requests: &[Range<u64>],
        results: &[Result<Vec<u8>, Error>],
    ) -> Vec<Request> {
        let mut ordered: Vec<_> = requests
            .iter()
            .zip(results)
            .enumerate()
            .filter(|(_, (bytes, result))| result.is_ok() && !bytes.is_empty())
            .map(|(nth, (bytes, _))| Request {
                nth,
                bytes: bytes.clone(),
                chunks: self.info.chunks_of(bytes.clone()),
            })
            .collect();
        ordered.sort_unstable_by_key(|request| request.bytes.start);
        ordered
    }

    /// Appends to a request's result what it wants of a chunk; chunks come in their order.
    fn serve(
        &self,
        request: &Request,
        chunk: u64,
        content: Result<&[u8], &Error>,
        result: &mut Result<Vec<u8>, Error>,
    ) {
        let Ok(bytes) = result else {
            return;
        };
        let appended = content.map_err(Error::clone).and_then(|content| {
            let chunk_len = u64::from(self.info.chunk_len());
            let at = chunk * chunk_len;
            let start = request.bytes.start.saturating_sub(at) as usize;
            let end = (request.bytes.end - at).min(chunk_len) as usize;
            let part = content.get(start..end);
            // What a request wants of a chunk lies in its content, by the data length.
            let part = part.ok_or_else(|| match self.chunk(chunk) {
                Ok(chunk) => self.corrupt(chunk, Damage::Cut),
                Err(error) => error,
            })?;
            append(bytes, part, request.len()).map_err(|_| Error::OutOfMemory {
                path: self.path.clone(),
                bytes: request.len(),
            })
        });
        if let Err(error) = appended {
            *result = Err(error);
        }
    }
}

/// A request that lies inside the data and wants at least a byte.
#[derive(Debug)]
struct Request {
    /// Its place in the caller's order.
    nth: usize,
    bytes: Range<u64>,
    /// Where they are.
    chunks: Range<u64>,
}

impl Request {
    const fn len(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }
}

/// The chunks that anybody wants, each once, in their order.
fn wanted(ordered: &[Request]) -> impl Iterator<Item = u64> {
    let mut next = 0;
    ordered.iter().flat_map(move |request| {
        let chunks = request.chunks.start.max(next)..request.chunks.end;
        next = next.max(chunks.end);
        chunks
    })
}

/// The requests on a way through the chunks from the first to the last.
struct UnderWay<'a> {
    /// Those that begin later, in order.
    waiting: Peekable<Iter<'a, Request>>,
    /// Those that have begun and may not be complete.
    begun: Vec<&'a Request>,
}

impl<'a> UnderWay<'a> {
    /// The requests that want that chunk, which is behind the one of the last call.
    fn at(&mut self, chunk: u64) -> &[&'a Request] {
        let begins = |request: &&Request| request.chunks.start <= chunk;
        while let Some(request) = self.waiting.next_if(begins) {
            self.begun.push(request);
        }
        self.begun.retain(|request| request.chunks.end > chunk);
        &self.begun
    }
}

/// Appends content to a result that will be `whole` bytes long. Asks for no more memory at a time
/// than doubles what is there, a batch at least: the data is there for that much.
fn append(result: &mut Vec<u8>, part: &[u8], whole: u64) -> Result<(), TryReserveError> {
    if result.capacity() - result.len() < part.len() {
        let left =
            usize::try_from(whole).map_or(usize::MAX, |len| len.saturating_sub(result.len()));
        let more = result.len().max(BATCH_LEN as usize).min(left);
        result.try_reserve_exact(more.max(part.len()))?;
    }
    result.extend_from_slice(part);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_takes_memory_as_its_content_comes_and_no_more_than_it_needs() {
        let part = [7; 1 << 20];
        let whole = 9 * part.len();
        let mut result = Vec::new();
        for _ in 0..9 {
            append(&mut result, &part, whole as u64).unwrap();
            let most = (2 * result.len()).max(BATCH_LEN as usize);
            assert!(result.capacity() <= most.min(whole), "{}", result.len());
        }
        assert_eq!(result.len(), whole);

        let mut short = Vec::new();
        append(&mut short, &part[..100], 100).unwrap();
        assert_eq!(short.capacity(), 100);
        append(&mut Vec::new(), &part[..100], u64::MAX).unwrap();
    }

    #[test]
    fn each_chunk_is_wanted_once_and_in_order() {
        let requests = |chunks: &[Range<u64>]| -> Vec<Request> {
            let requests = chunks.iter().map(|chunks| Request {
                nth: 0,
                bytes: 0..1,
                chunks: chunks.clone(),
            });
            requests.collect()
        };
        let ordered = requests(&[0..2, 0..1, 1..7, 3..4, 6..9, 20..21]);
        let chunks: Vec<u64> = wanted(&ordered).collect();
        assert_eq!(chunks, [0, 1, 2, 3, 4, 5, 6, 7, 8, 20]);
    }
}

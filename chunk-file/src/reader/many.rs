use std::ops::Range;

use super::batch::Batch;
use super::{Reader, copy_from};
use crate::{Chunk, Error};

/// Content that one batch holds, unless a single chunk is longer: 4 MiB.
const BATCH_LEN: usize = 4 << 20;

/// What one request wants of one chunk.
#[derive(Clone, Copy, Debug)]
struct Piece {
    chunk: u64,
    /// Which request.
    request: usize,
    /// Where its bytes begin in the chunk.
    skip: usize,
    /// Where they go in the request's result.
    to: usize,
    len: usize,
}

impl Reader {
    /// Reads many ranges of the content; a result for each, in the caller's order.
    ///
    /// Requests are grouped by chunk: each chunk is read and decoded once, however many want it.
    /// Chunks that lie side by side are read at once, and decoded by one submission
    /// ([`decompress_many`](compressor::DecompressSession::decompress_many)). One request's error
    /// is the error of the first of its chunks that failed, and touches no other request that
    /// does not need that chunk.
    ///
    /// Memory: the results, and 4 MiB of chunks at a time.
    ///
    /// # Errors
    ///
    /// Per request: [`Error::OutOfRange`] unless the range lies inside the data, and as
    /// [`read_at`](Self::read_at).
    #[must_use]
    pub fn read_many(&self, requests: &[Range<u64>]) -> Vec<Result<Vec<u8>, Error>> {
        let mut results: Vec<_> = requests
            .iter()
            .map(|range| {
                self.check(range)?;
                let len = usize::try_from(range.end - range.start);
                Ok(vec![0; len.unwrap_or_default()])
            })
            .collect();
        let mut pieces = self.pieces(requests, &results);
        pieces.sort_unstable_by_key(|piece| (piece.chunk, piece.request));
        let pieces = self.take_cached(pieces, &mut results);

        let chunk_len = self.info.chunk_len() as usize;
        let at_once = (BATCH_LEN / chunk_len).max(1);
        let by_chunk: Vec<&[Piece]> = pieces.chunk_by(|a, b| a.chunk == b.chunk).collect();
        let mut batch = Batch::default();
        for wanted in by_chunk.chunks(at_once) {
            let chunks = wanted.iter().filter_map(|pieces| pieces.first());
            batch.load(self, chunks.map(|piece| piece.chunk));
            for ((chunk, content), pieces) in batch.iter().zip(wanted) {
                self.scatter(chunk, content, pieces, &mut results);
            }
        }
        results
    }

    fn pieces(&self, requests: &[Range<u64>], results: &[Result<Vec<u8>, Error>]) -> Vec<Piece> {
        let chunk_len = u64::from(self.info.chunk_len());
        let mut pieces = Vec::with_capacity(requests.len());
        for (request, range) in requests.iter().enumerate() {
            if results.get(request).is_none_or(Result::is_err) {
                continue;
            }
            for chunk in self.info.chunks_of(range.clone()) {
                let start = range.start.max(chunk * chunk_len);
                let end = range.end.min((chunk + 1) * chunk_len);
                pieces.push(Piece {
                    chunk,
                    request,
                    skip: (start - chunk * chunk_len) as usize,
                    to: (start - range.start) as usize,
                    len: (end - start) as usize,
                });
            }
        }
        pieces
    }

    /// Serves what the cache has; returns the rest.
    fn take_cached(
        &self,
        pieces: Vec<Piece>,
        results: &mut [Result<Vec<u8>, Error>],
    ) -> Vec<Piece> {
        let Some(cache) = &self.cache else {
            return pieces;
        };
        let mut rest = Vec::with_capacity(pieces.len());
        for wanted in pieces.chunk_by(|a, b| a.chunk == b.chunk) {
            let chunk = wanted.first().map_or(0, |piece| piece.chunk);
            match cache.find(chunk) {
                Some(content) => wanted.iter().for_each(|p| p.copy(&content, results)),
                None => rest.extend(wanted),
            }
        }
        rest
    }

    fn scatter(
        &self,
        chunk: Chunk,
        content: Result<&[u8], &Error>,
        pieces: &[Piece],
        results: &mut [Result<Vec<u8>, Error>],
    ) {
        match content {
            Ok(content) => {
                pieces.iter().for_each(|piece| piece.copy(content, results));
                self.remember(chunk, content);
            }
            Err(error) => {
                for piece in pieces {
                    match results.get_mut(piece.request) {
                        Some(result) if result.is_ok() => *result = Err(error.clone()),
                        _ => {}
                    }
                }
            }
        }
    }
}

impl Piece {
    /// Copies this piece of a chunk's content to its request, unless that failed.
    fn copy(&self, content: &[u8], results: &mut [Result<Vec<u8>, Error>]) {
        if let Some(Ok(result)) = results.get_mut(self.request)
            && let Some(part) = result.get_mut(self.to..self.to + self.len)
        {
            copy_from(content, self.skip, part);
        }
    }
}

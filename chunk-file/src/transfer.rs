//! Whole files in and out of pairs: what the commands do.

use std::io::{BufRead, Read, Write};
use std::path::Path;
use std::sync::Arc;

use compressor::Compressor;

use crate::{Error, Pair, Params, Reader, Writer, WriterOptions, Written};

/// Bytes between two reports of progress, and read at once: 256 KiB.
const STEP: usize = 256 << 10;

/// Writes all of `input` as a pair; `name` is the input's, for errors.
///
/// `progress` is told how many bytes of the input were taken.
///
/// # Errors
///
/// As [`Writer`]'s methods; [`Error::Io`] if the input cannot be read. No pair is left.
pub fn pack(
    mut input: impl Read,
    name: &Path,
    pair: &Pair,
    params: Params,
    compressor: Arc<dyn Compressor>,
    options: WriterOptions,
    mut progress: impl FnMut(u64),
) -> Result<Written, Error> {
    let mut writer = Writer::create(pair, params, compressor, options)?;
    let mut buffer = vec![0; STEP];
    loop {
        let n = match input.read(&mut buffer) {
            Ok(0) => return writer.finish(),
            Ok(n) => n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Error::io(name, "read", error)),
        };
        writer.append(buffer.get(..n).unwrap_or_default())?;
        progress(writer.len());
    }
}

/// Writes all the content of a pair to `output`; `name` is the output's, for errors.
///
/// Content before a bad chunk was written by then. `progress` is told how many bytes were.
///
/// # Errors
///
/// As [`Reader::read_at`]; [`Error::Io`] if the output cannot be written.
pub fn unpack(
    reader: &Reader,
    mut output: impl Write,
    name: &Path,
    mut progress: impl FnMut(u64),
) -> Result<u64, Error> {
    let io = |error| Error::io(name, "write", error);
    each_chunk(reader, |content, done| {
        output.write_all(content).map_err(io)?;
        progress(done);
        Ok(())
    })?;
    output.flush().map_err(io)?;
    Ok(reader.info().data_len())
}

/// Rewrites a pair with other parameters, as another pair; what compaction does with one file.
///
/// Memory is bounded by what reader and writer take, whatever the length. `progress` is told how
/// many bytes of content were taken.
///
/// # Errors
///
/// As [`Reader::read_at`] and [`Writer`]'s methods. No pair is left.
pub fn recompress(
    reader: &Reader,
    pair: &Pair,
    params: Params,
    compressor: Arc<dyn Compressor>,
    options: WriterOptions,
    mut progress: impl FnMut(u64),
) -> Result<Written, Error> {
    let mut writer = Writer::create(pair, params, compressor, options)?;
    each_chunk(reader, |content, done| {
        writer.append(content)?;
        progress(done);
        Ok(())
    })?;
    writer.finish()
}

/// Calls `take` with the content of each chunk and the bytes up to its end.
fn each_chunk(
    reader: &Reader,
    mut take: impl FnMut(&[u8], u64) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut content = reader.sequential();
    let mut done = 0;
    loop {
        let chunk = content.rest_of_chunk()?;
        if chunk.is_empty() {
            return Ok(());
        }
        let len = chunk.len();
        done += len as u64;
        take(chunk, done)?;
        content.consume(len);
    }
}

use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use compressor::{Format, Spec, cassandra};

use crate::error::Flaw;
use crate::params::{NEVER_RAW, is_chunk_len, is_max_compressed_len, min_compress_ratio};
use crate::regular::open_regular;
use crate::{Error, Pair, Params, mutf8};

/// Bytes of the CRC32 behind each chunk.
pub(crate) const CRC_LEN: u64 = 4;

/// More options than any compressor class has; a larger count is a corrupt one.
const MAX_OPTIONS: i32 = 64;

/// Empty chunks that may follow the content. Cassandra 5.0 writes one for each sync and one for
/// the end, and syncs once.
const MAX_SURPLUS: u64 = 8;

/// Offsets that memory is taken for at first: 8 KiB of it, the metadata of 16 MiB in chunks of 16 KiB.
const FIRST_OFFSETS: usize = 1024;

/// The longest unit that holds nothing; the longest is an empty zstd frame with its checksum, 13.
const EMPTY_UNIT: usize = 16;

/// What `CompressionInfo.db` says, checked against itself and the length of the data file.
///
/// See the [crate](crate) for the layout.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressionInfo {
    class: String,
    options: Vec<(String, String)>,
    spec: Spec,
    chunk_len: u32,
    max_compressed_len: u32,
    data_len: u64,
    offsets: Vec<u64>,
    /// Length of the data file: where the last chunk's CRC ends.
    file_len: u64,
}

/// Where one chunk is, and how much is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Which one, from 0.
    pub index: u64,
    /// Where it begins in the data file.
    pub offset: u64,
    /// Bytes in the data file, its CRC not among them.
    pub stored_len: usize,
    /// Bytes of content.
    pub content_len: usize,
    /// Whether it is stored raw.
    pub raw: bool,
}

impl CompressionInfo {
    /// Reads and checks the metadata of a pair; reads nothing of its data file but the length.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also for a file that is not a regular one; [`Error::Refused`];
    /// [`Error::OutOfMemory`].
    pub fn of(pair: &Pair) -> Result<Self, Error> {
        let (_, file_len) = open_regular(pair.data())?;
        Self::read(pair.info(), file_len)
    }

    /// Reads and checks `path`, for a data file of `file_len` bytes.
    ///
    /// Takes no memory for what a number in the file promises: offsets are counted against the
    /// lengths of both files first, and as sparse files have any length, memory for them is taken
    /// as they are read and found possible.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], also for a file that is not a regular one; [`Error::Refused`];
    /// [`Error::OutOfMemory`].
    pub fn read(path: &Path, file_len: u64) -> Result<Self, Error> {
        let (file, info_len) = open_regular(path)?;
        let mut input = Input {
            inner: BufReader::new(file),
            left: info_len,
        };
        Self::parse(&mut input, file_len).map_err(|bad| match bad {
            Bad::Flaw(flaw) => Error::refused(path, flaw),
            Bad::Io(error) => Error::io(path, "read", error),
            Bad::NoMemory { bytes } => Error::OutOfMemory {
                path: Arc::from(path),
                bytes,
            },
        })
    }

    fn parse(input: &mut Input<impl Read>, file_len: u64) -> Result<Self, Bad> {
        let class = input.text()?;
        let option_count = input.int()?;
        if !(0..=MAX_OPTIONS).contains(&option_count) {
            return Err(Flaw::OptionCount(option_count).into());
        }
        let mut options = Vec::new();
        for _ in 0..option_count {
            options.push((input.text()?, input.text()?));
        }
        let pairs = options.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        let spec = cassandra::spec(&class, pairs).map_err(Flaw::Class)?;

        let chunk_len = input.int()?;
        let chunk_len = u32::try_from(chunk_len)
            .ok()
            .filter(|len| is_chunk_len(*len))
            .ok_or(Flaw::ChunkLen(chunk_len))?;
        let max = input.int()?;
        let max_compressed_len = u32::try_from(max)
            .ok()
            .filter(|len| is_max_compressed_len(*len, chunk_len))
            .ok_or(Flaw::MaxCompressedLen(max))?;
        let data_len = input.long()?;
        let data_len = u64::try_from(data_len).map_err(|_| Flaw::DataLen(data_len))?;

        let found = input.int()?;
        let count = chunk_count(found, data_len, chunk_len)?;
        // Each chunk has 8 bytes here and at least 4 in the data file, so that a count which passes
        // is one that the files have paid for.
        let needed = count * 8;
        if input.left != needed {
            let flaw = match input.left.checked_sub(needed) {
                Some(surplus) => Flaw::Surplus(surplus),
                None => Flaw::Cut,
            };
            return Err(flaw.into());
        }
        if count > file_len / CRC_LEN {
            let offset = (count - 1) * CRC_LEN;
            return Err(Flaw::BeyondFile { offset, file_len }.into());
        }
        let longest = longest_stored(chunk_len);
        let mut offsets = Vec::new();
        for chunk in 0..count {
            let offset = input.long()?.cast_unsigned();
            let fits = match offsets.last() {
                None => offset == 0,
                Some(last) => offset
                    .checked_sub(*last)
                    .is_some_and(|len| (CRC_LEN..=CRC_LEN + longest).contains(&len)),
            };
            if !fits {
                return Err(Flaw::Offset { chunk, offset }.into());
            }
            reserve(&mut offsets, count)?;
            offsets.push(offset);
        }
        let last = offsets.last().copied().unwrap_or_default();
        let fits = file_len
            .checked_sub(last)
            .is_some_and(|len| (CRC_LEN..=CRC_LEN + longest).contains(&len));
        if !fits {
            let flaw = Flaw::BeyondFile {
                offset: last,
                file_len,
            };
            return Err(flaw.into());
        }
        let info = Self {
            class,
            options,
            spec,
            chunk_len,
            max_compressed_len,
            data_len,
            offsets,
            file_len,
        };
        if info.surplus().any(|chunk| chunk.stored_len > EMPTY_UNIT) {
            let expected = data_len.div_ceil(u64::from(chunk_len)).max(1);
            return Err(Flaw::ChunkCount { found, expected }.into());
        }
        Ok(info)
    }

    /// The bytes of the metadata file; `None` if an option is too long for it.
    pub(crate) fn encode(params: &Params, data_len: i64, offsets: &[u64]) -> Option<Vec<u8>> {
        let class = params.class();
        let mut out = Vec::with_capacity(256 + offsets.len() * 8);
        mutf8::write(class.name, &mut out)?;
        out.extend(i32::try_from(class.options.len()).ok()?.to_be_bytes());
        for (name, value) in &class.options {
            mutf8::write(name, &mut out)?;
            mutf8::write(value, &mut out)?;
        }
        out.extend(params.chunk_len().to_be_bytes());
        out.extend(params.max_compressed_len().to_be_bytes());
        out.extend(data_len.to_be_bytes());
        out.extend(i32::try_from(offsets.len()).ok()?.to_be_bytes());
        out.extend(offsets.iter().flat_map(|offset| offset.to_be_bytes()));
        Some(out)
    }

    /// The compressor class as the file names it.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.class
    }

    /// The compressor's options as the file has them.
    #[must_use]
    pub fn options(&self) -> &[(String, String)] {
        &self.options
    }

    /// What class and options stand for.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Bytes of content in each chunk but the last.
    #[must_use]
    pub const fn chunk_len(&self) -> u32 {
        self.chunk_len
    }

    /// A chunk of this many bytes or more is stored raw; `i32::MAX` for none.
    #[must_use]
    pub const fn max_compressed_len(&self) -> u32 {
        self.max_compressed_len
    }

    /// The ratio that [`max_compressed_len`](Self::max_compressed_len) stands for; 0 for none.
    #[must_use]
    pub fn min_compress_ratio(&self) -> f64 {
        min_compress_ratio(self.chunk_len, self.max_compressed_len)
    }

    /// Bytes of content in all chunks.
    #[must_use]
    pub const fn data_len(&self) -> u64 {
        self.data_len
    }

    /// Length of the data file.
    #[must_use]
    pub const fn file_len(&self) -> u64 {
        self.file_len
    }

    /// How many chunks there are; never 0.
    #[must_use]
    pub fn chunk_count(&self) -> u64 {
        self.offsets.len() as u64
    }

    /// One chunk; `None` beyond the last.
    #[must_use]
    pub fn chunk(&self, index: u64) -> Option<Chunk> {
        let at = usize::try_from(index).ok()?;
        let offset = *self.offsets.get(at)?;
        let end = self.offsets.get(at + 1).copied().unwrap_or(self.file_len);
        // Between 0 and `longest_stored`: checked when the file was read.
        let stored_len = usize::try_from(end - offset - CRC_LEN).ok()?;
        let chunk_len = u64::from(self.chunk_len);
        let content_len = self
            .data_len
            .saturating_sub(index * chunk_len)
            .min(chunk_len);
        Some(Chunk {
            index,
            offset,
            stored_len,
            content_len: usize::try_from(content_len).ok()?,
            raw: stored_len as u64 >= u64::from(self.max_compressed_len),
        })
    }

    /// Every chunk, in order.
    pub fn chunks(&self) -> impl Iterator<Item = Chunk> + '_ {
        (0..self.chunk_count()).filter_map(|index| self.chunk(index))
    }

    /// The chunks behind the last one that has content.
    pub(crate) fn surplus(&self) -> impl Iterator<Item = Chunk> + '_ {
        let with_content = self.data_len.div_ceil(u64::from(self.chunk_len));
        (with_content..self.chunk_count()).filter_map(|index| self.chunk(index))
    }

    /// The chunks that hold these bytes of the content.
    #[must_use]
    pub(crate) fn chunks_of(&self, bytes: Range<u64>) -> Range<u64> {
        if bytes.is_empty() {
            return 0..0;
        }
        let chunk_len = u64::from(self.chunk_len);
        bytes.start / chunk_len..bytes.end.div_ceil(chunk_len)
    }

    /// The bytes of a raw chunk with that much content: less than the max compressed length is
    /// filled up with zeros, so that the length alone tells raw from compressed.
    pub(crate) fn raw_len(content_len: usize, max_compressed_len: usize) -> usize {
        content_len.max(max_compressed_len)
    }
}

/// The number of chunks, at least those that `data_len` makes. Some empty chunks more are right:
/// Cassandra writes one for an empty file, and another each time a file is synced before its end,
/// as its writer does when it opens a table early.
fn chunk_count(found: i32, data_len: u64, chunk_len: u32) -> Result<u64, Flaw> {
    let expected = data_len.div_ceil(u64::from(chunk_len));
    match u64::try_from(found) {
        Ok(count) if (expected.max(1)..=expected + MAX_SURPLUS).contains(&count) => Ok(count),
        _ => {
            let expected = expected.max(1);
            Err(Flaw::ChunkCount { found, expected })
        }
    }
}

/// More than any compressor makes of a chunk: Snappy's bound is 32 + n + n/6, and every other one
/// is smaller.
pub(crate) fn longest_stored(chunk_len: u32) -> u64 {
    let len = u64::from(chunk_len);
    len + len / 4 + 1024
}

/// Whether so many compressed bytes can hold so much content.
pub(crate) fn can_hold(format: Format, stored: u64, content: u64) -> bool {
    let expansion = format.max_expansion();
    expansion.is_none_or(|expansion| stored.saturating_mul(expansion) >= content)
}

/// Makes room for one offset more, of `count` in all: no more at a time than doubles those that
/// were read, [`FIRST_OFFSETS`] at least.
fn reserve(offsets: &mut Vec<u64>, count: u64) -> Result<(), Bad> {
    if offsets.len() < offsets.capacity() {
        return Ok(());
    }
    let left = count.saturating_sub(offsets.len() as u64);
    let most = offsets.len().max(FIRST_OFFSETS);
    let more = usize::try_from(left).map_or(most, |left| left.min(most));
    let bytes = (offsets.len() as u64).saturating_add(more as u64) * 8;
    offsets
        .try_reserve_exact(more)
        .map_err(|_| Bad::NoMemory { bytes })
}

const _: () = assert!(NEVER_RAW as i32 == i32::MAX);

/// A file that is read field by field.
struct Input<R> {
    inner: R,
    /// Bytes that are still to come.
    left: u64,
}

impl<R: Read> Input<R> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], Bad> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Bad> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or(Flaw::Cut)?;
        self.inner
            .read_exact(bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Flaw::Cut.into(),
                _ => Bad::Io(error),
            })
    }

    fn int(&mut self) -> Result<i32, Bad> {
        self.bytes().map(i32::from_be_bytes)
    }

    fn long(&mut self) -> Result<i64, Bad> {
        self.bytes().map(i64::from_be_bytes)
    }

    fn text(&mut self) -> Result<String, Bad> {
        let len = u16::from_be_bytes(self.bytes()?);
        let mut bytes = vec![0; usize::from(len)];
        self.fill(&mut bytes)?;
        mutf8::read(&bytes).ok_or(Flaw::Text.into())
    }
}

enum Bad {
    Flaw(Flaw),
    Io(io::Error),
    NoMemory { bytes: u64 },
}

impl From<Flaw> for Bad {
    fn from(flaw: Flaw) -> Self {
        Self::Flaw(flaw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two full chunks and one of 100 bytes, of 1,000 bytes each as stored.
    fn sample() -> (Params, Vec<u8>) {
        let spec = Spec::new(Format::Zstd).with_level(5).unwrap();
        let params = Params::new(spec).unwrap();
        let params = params.with_min_compress_ratio(1.0).unwrap();
        let info = CompressionInfo::encode(&params, 2 * 16_384 + 100, &[0, 1004, 2008]);
        (params, info.unwrap())
    }

    fn parse(bytes: &[u8], file_len: u64) -> Result<CompressionInfo, Flaw> {
        let mut input = Input {
            inner: bytes,
            left: bytes.len() as u64,
        };
        CompressionInfo::parse(&mut input, file_len).map_err(|bad| match bad {
            Bad::Flaw(flaw) => flaw,
            Bad::Io(error) => panic!("{error}"),
            Bad::NoMemory { bytes } => panic!("no memory for {bytes}"),
        })
    }

    #[test]
    fn offsets_take_memory_as_they_are_read_and_no_more_than_they_need() {
        let mut offsets = Vec::new();
        for at in 0..5000 {
            reserve(&mut offsets, 5000).ok().unwrap();
            offsets.push(at);
            let most = (2 * offsets.len()).clamp(FIRST_OFFSETS, 5000);
            assert!(offsets.capacity() <= most, "{at}: {}", offsets.capacity());
        }
        let mut few = Vec::new();
        reserve(&mut few, 3).ok().unwrap();
        assert_eq!(few.capacity(), 3);
    }

    #[test]
    fn the_file_is_laid_out_as_cassandra_does() {
        let mut expected = b"\0\x0eZstdCompressor\0\0\0\x01\0\x11compression_level\0\x015".to_vec();
        expected.extend(b"\0\0\x40\0\0\0\x40\0\0\0\0\0\0\0\x80\x64\0\0\0\x03");
        expected.extend([0_u64, 1004, 2008].iter().flat_map(|n| n.to_be_bytes()));
        assert_eq!(sample().1, expected);
    }

    #[test]
    fn what_is_written_is_read() {
        let (params, bytes) = sample();
        let info = parse(&bytes, 3012).unwrap();
        assert_eq!(info.spec(), params.spec());
        assert_eq!(info.data_len(), 2 * 16_384 + 100);
        let chunks: Vec<_> = info.chunks().collect();
        let contents: Vec<_> = chunks.iter().map(|c| (c.offset, c.content_len)).collect();
        assert_eq!(contents, [(0, 16_384), (1004, 16_384), (2008, 100)]);
        assert!(chunks.iter().all(|c| c.stored_len == 1000 && !c.raw));
        assert_eq!(info.chunk(3), None);
    }

    #[test]
    fn every_cut_and_every_surplus_is_refused() {
        let (_, bytes) = sample();
        for len in 0..bytes.len() {
            assert_eq!(parse(&bytes[..len], 3012), Err(Flaw::Cut), "{len}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert_eq!(parse(&longer, 3012), Err(Flaw::Surplus(1)));
    }

    #[test]
    fn numbers_that_cannot_be_are_refused() {
        let (_, bytes) = sample();
        let fields = bytes.len() - 44;
        let with = |at: usize, field: &[u8]| {
            let mut bytes = bytes.clone();
            bytes[at..at + field.len()].copy_from_slice(field);
            parse(&bytes, 3012).unwrap_err()
        };
        assert_eq!(with(16, &[0xff; 4]), Flaw::OptionCount(-1));
        assert_eq!(with(16, &[0x7f; 4]), Flaw::OptionCount(0x7f7f_7f7f));
        for len in [0, -1, 3, 1 << 25, i32::MIN] {
            assert_eq!(with(fields, &len.to_be_bytes()), Flaw::ChunkLen(len));
        }
        for len in [0, -1, 16_385, i32::MAX - 1] {
            assert_eq!(
                with(fields + 4, &len.to_be_bytes()),
                Flaw::MaxCompressedLen(len)
            );
        }
        assert_eq!(with(fields + 8, &[0xff; 8]), Flaw::DataLen(-1));
        for found in [0, 2, 12, -3, i32::MAX] {
            let expected = 3;
            let flaw = Flaw::ChunkCount { found, expected };
            assert_eq!(with(fields + 16, &found.to_be_bytes()), flaw);
        }
        for (chunk, offset) in [
            (0, 1),
            (1, 0),
            (1, 3),
            (1, 2009),
            (2, 1004),
            (2, u64::MAX),
            (2, 40_000),
        ] {
            let at = fields + 20 + 8 * chunk as usize;
            let found = with(at, &offset.to_be_bytes());
            // Moving one boundary may also show at the next.
            assert!(
                matches!(found, Flaw::Offset { .. }),
                "{chunk} {offset}: {found}"
            );
        }
        let beyond = |file_len| parse(&bytes, file_len).unwrap_err();
        for file_len in [0, 11, 2008, 2011, 2008 + 4 + 16_384 + 4096 + 1024 + 1] {
            assert!(
                matches!(beyond(file_len), Flaw::BeyondFile { .. }),
                "{file_len}"
            );
        }
    }

    #[test]
    fn some_empty_chunks_may_follow_and_one_is_all_of_an_empty_file() {
        for (data_len, count, fits) in [
            (0, 0, false),
            (0, 1, true),
            (0, 2, true),
            (16_384, 0, false),
            (16_384, 1, true),
            (16_384, 2, true),
            (16_385, 1, false),
            (16_385, 3, true),
            (16_385, 10, true),
            (16_385, 11, false),
        ] {
            let found = chunk_count(count, data_len, 16_384);
            assert_eq!(found.is_ok(), fits, "{data_len} in {count}");
        }
    }

    #[test]
    fn a_chunk_that_holds_something_is_no_empty_one() {
        let (_, mut bytes) = sample();
        let fields = bytes.len() - 44;
        bytes[fields + 8..fields + 16].copy_from_slice(&100_u64.to_be_bytes());
        let (found, expected) = (3, 1);
        let flaw = Flaw::ChunkCount { found, expected };
        assert_eq!(parse(&bytes, 3012), Err(flaw));
    }

    #[test]
    fn a_huge_count_takes_no_memory() {
        let (_, mut bytes) = sample();
        let fields = bytes.len() - 44;
        bytes[fields + 8..fields + 16]
            .copy_from_slice(&(i64::from(i32::MAX) * 16_384).to_be_bytes());
        bytes[fields + 16..fields + 20].copy_from_slice(&i32::MAX.to_be_bytes());
        assert_eq!(parse(&bytes, u64::MAX), Err(Flaw::Cut));
    }
}

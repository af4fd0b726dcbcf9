use std::sync::Arc;

use compressor_api::inspect::deflate::{self, Extent};
use compressor_api::{
    CompressSession, DecompressSession, Error, ErrorKind, Format, ProviderId, inspect,
};

use crate::igzip::{Deflater, Inflater, Settings};
use crate::library::Library;
use crate::limits::{MAX_CONTENT, MAX_UNIT, max_compressed_len};
use crate::{ID, frame};

const fn error(kind: ErrorKind) -> Error {
    Error::new(kind, ID)
}

pub(crate) struct Compress {
    format: Format,
    header: Vec<u8>,
    deflater: Deflater,
    /// Where a unit is written whose `dst` is shorter than the bound: as long as the longest bound
    /// that was needed so far.
    scratch: Vec<u8>,
}

impl Compress {
    pub(crate) fn new(
        library: Arc<Library>,
        settings: Settings,
        header: Vec<u8>,
    ) -> Result<Self, Error> {
        let deflater = Deflater::new(library, settings).ok_or(error(ErrorKind::OutOfMemory))?;
        Ok(Self {
            format: settings.format,
            header,
            deflater,
            scratch: Vec::new(),
        })
    }
}

impl CompressSession for Compress {
    /// In a `dst` below the bound ISA-L might refuse what just fits, and does not fall back to
    /// stored blocks; so such units are written elsewhere, and copied if they fit.
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let bound =
            max_compressed_len(self.format, src.len()).ok_or(error(ErrorKind::Unsupported))?;
        if let Some(dst) = dst.get_mut(..bound) {
            return write(&self.header, &mut self.deflater, src, dst);
        }
        let unit = within(&mut self.scratch, bound).ok_or(error(ErrorKind::OutOfMemory))?;
        let n = write(&self.header, &mut self.deflater, src, unit)?;
        let unit = unit.get(..n).ok_or(error(ErrorKind::Device))?;
        dst.get_mut(..n)
            .ok_or(error(ErrorKind::OutputTooSmall))?
            .copy_from_slice(unit);
        Ok(n)
    }
}

/// The first `len` bytes of `scratch`, which grows to that; `None` if there is no memory for it.
fn within(scratch: &mut Vec<u8>, len: usize) -> Option<&mut [u8]> {
    if let Some(more) = len.checked_sub(scratch.len()) {
        scratch.try_reserve_exact(more).ok()?;
        scratch.resize(len, 0);
    }
    scratch.get_mut(..len)
}

/// Writes `src` as one unit to `dst`, which is of the bound's length.
fn write(
    header: &[u8],
    deflater: &mut Deflater,
    src: &[u8],
    dst: &mut [u8],
) -> Result<usize, Error> {
    let device = error(ErrorKind::Device);
    let (head, body) = dst.split_at_mut_checked(header.len()).ok_or(device)?;
    head.copy_from_slice(header);
    let n = deflater
        .deflate(src, body)
        .map_err(|code| Error::with_native(ErrorKind::Device, ID, code))?;
    Ok(header.len() + n)
}

pub(crate) struct Decompress {
    format: Format,
    inflater: Inflater,
}

impl Decompress {
    pub(crate) fn new(library: Arc<Library>, format: Format) -> Result<Self, Error> {
        let inflater = Inflater::new(library, format).ok_or(error(ErrorKind::OutOfMemory))?;
        Ok(Self { format, inflater })
    }
}

impl DecompressSession for Decompress {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        if src.len() > MAX_UNIT {
            return Err(error(ErrorKind::Unsupported));
        }
        let header = inspect::header(self.format, src).map_err(|malformed| malformed.error(ID))?;
        if header.dictionary_id.is_some() {
            return Err(error(ErrorKind::Unsupported));
        }
        let corrupt = error(ErrorKind::CorruptInput);
        let body = src.get(header.len..).ok_or(corrupt)?;

        let offered = dst.len();
        let dst = match dst.split_at_mut_checked(MAX_CONTENT) {
            Some((taken, _)) => taken,
            None => dst,
        };
        let inflated = self.inflater.inflate(body, dst).map_err(|code| {
            let kind = match kind(body, dst.len()) {
                // It may fit what was offered.
                ErrorKind::OutputTooSmall if offered > MAX_CONTENT => ErrorKind::Unsupported,
                kind => kind,
            };
            Error::with_native(kind, ID, code)
        })?;

        let trailer = body.get(inflated.read..).ok_or(corrupt)?;
        if frame::is_trailer(self.format, trailer, inflated.checksum, inflated.written) {
            Ok(inflated.written)
        } else {
            Err(corrupt)
        }
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

/// What a decompression into `room` bytes means that failed.
///
/// ISA-L's own word is not taken. It looks up several symbols at once, and where the first of them
/// has no room left, it still judges the others: a match that reaches back to the one without room
/// seems to begin before the content. And it goes on with codes that zlib refuses, until there is
/// no room.
fn kind(body: &[u8], room: usize) -> ErrorKind {
    match deflate::extent(body, room) {
        Ok(Extent::Beyond) => ErrorKind::OutputTooSmall,
        Err(_) => ErrorKind::CorruptInput,
        // It is intact and fits, and ISA-L is wrong.
        Ok(Extent::Ended { .. }) => ErrorKind::Device,
    }
}

use compressor_api::inspect::deflate::{self, Extent};
use compressor_api::{
    CompressSession, DecompressSession, Error, ErrorKind, Format, ProviderId, inspect,
};
use libdeflate_sys::{
    libdeflate_result_LIBDEFLATE_BAD_DATA as BAD_DATA,
    libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE as INSUFFICIENT_SPACE,
};

use crate::ID;
use crate::level::{self, Levels};
use crate::library::{Code, Deflater, Inflater, adler32, crc32};

pub(crate) struct Compress {
    format: Format,
    deflater: Deflater,
    /// For longer inputs, where another level serves them.
    long: Option<Deflater>,
}

impl Compress {
    pub(crate) fn new(format: Format, levels: Levels) -> Result<Self, Error> {
        let of = |level| Deflater::new(level).ok_or(Error::new(ErrorKind::OutOfMemory, ID));
        let long = (levels.long != levels.short).then(|| of(levels.long));
        Ok(Self {
            format,
            deflater: of(levels.short)?,
            long: long.transpose()?,
        })
    }
}

impl CompressSession for Compress {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let deflater = match &mut self.long {
            Some(long) if src.len() > level::SHORT => long,
            _ => &mut self.deflater,
        };
        deflater
            .compress(self.format, src, dst)
            .ok_or(Error::new(ErrorKind::OutputTooSmall, ID))
    }
}

pub(crate) struct Decompress {
    format: Format,
    inflater: Inflater,
}

impl Decompress {
    pub(crate) fn new(format: Format) -> Result<Self, Error> {
        let inflater = Inflater::new().ok_or(Error::new(ErrorKind::OutOfMemory, ID))?;
        Ok(Self { format, inflater })
    }
}

impl DecompressSession for Decompress {
    /// Takes header and trailer itself, and leaves to libdeflate what is between them: its own
    /// `zlib` and `gzip` functions are laxer about both.
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let corrupt = Error::new(ErrorKind::CorruptInput, ID);
        let header = inspect::header(self.format, src).map_err(|malformed| malformed.error(ID))?;
        if header.dictionary_id.is_some() {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        let body = src.get(header.len..).ok_or(corrupt)?;
        let inflated = self
            .inflater
            .inflate(body, dst)
            .map_err(|code| Error::with_native(kind(code, body, dst.len()), ID, code as i32))?;

        // Counts that libdeflate returned are checked before they are used.
        let device = Error::new(ErrorKind::Device, ID);
        let content = dst.get(..inflated.written).ok_or(device)?;
        let trailer = body.get(inflated.read..).ok_or(device)?;
        if is_trailer(self.format, trailer, content) {
            Ok(content.len())
        } else {
            Err(corrupt)
        }
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

/// Whether `trailer` is what belongs after a stream of this content, and no more than that.
fn is_trailer(format: Format, trailer: &[u8], content: &[u8]) -> bool {
    match format {
        Format::Zlib => trailer == adler32(content).to_be_bytes(),
        Format::Gzip => {
            let [crc, len] = [crc32(content), content.len() as u32].map(u32::to_le_bytes);
            trailer.split_first_chunk() == Some((&crc, &len))
        }
        _ => trailer.is_empty(),
    }
}

/// What a failed decompression into `room` bytes means.
fn kind(code: Code, body: &[u8], room: usize) -> ErrorKind {
    match code {
        BAD_DATA => ErrorKind::CorruptInput,
        // Or so libdeflate says, which reads a stream that was cut off on in zeros.
        INSUFFICIENT_SPACE => match deflate::extent(body, room) {
            Ok(Extent::Beyond) => ErrorKind::OutputTooSmall,
            Err(_) => ErrorKind::CorruptInput,
            // It does fit, and libdeflate is wrong.
            Ok(Extent::Ended { .. }) => ErrorKind::Device,
        },
        _ => ErrorKind::Device,
    }
}

use compressor_api::{
    CompressSession, DecompressSession, Error, ErrorKind, ProviderId, inspect, self_test,
};
use libz_sys::{Z_DATA_ERROR, Z_MEM_ERROR, Z_NEED_DICT};

use crate::ID;
use crate::settings::Settings;
use crate::stream::{Code, Outcome, Stream};

pub(crate) struct Compress {
    stream: Stream,
}

impl Compress {
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        let stream = Stream::deflate(settings).map_err(failed)?;
        Ok(Self { stream })
    }
}

impl CompressSession for Compress {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        match self.stream.run(src, dst) {
            Outcome::Ended { produced, .. } => Ok(produced),
            Outcome::Overflowed => Err(Error::new(ErrorKind::OutputTooSmall, ID)),
            // A compressor that was given everything ends, or it is broken.
            Outcome::Starved => Err(Error::new(ErrorKind::Device, ID)),
            Outcome::Failed(code) => Err(failed(code)),
        }
    }
}

pub(crate) struct Decompress {
    settings: Settings,
    stream: Stream,
}

impl Decompress {
    pub(crate) fn new(settings: Settings) -> Result<Self, Error> {
        let mut stream = Stream::inflate(settings).map_err(failed)?;
        // zlib allocates its window when it first stops before the end of a stream, and keeps it.
        // Stopping once here means that no operation ever has to.
        match stream.run(self_test::unit(settings.format), &mut [0]) {
            Outcome::Overflowed => Ok(Self { settings, stream }),
            Outcome::Failed(code) => Err(failed(code)),
            Outcome::Ended { .. } | Outcome::Starved => Err(Error::new(ErrorKind::Device, ID)),
        }
    }
}

impl DecompressSession for Decompress {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let header =
            inspect::header(self.settings.format, src).map_err(|malformed| malformed.error(ID))?;
        if header.dictionary_id.is_some() {
            return Err(Error::with_native(ErrorKind::Unsupported, ID, Z_NEED_DICT));
        }
        match self.stream.run(src, dst) {
            Outcome::Ended { consumed, produced } if consumed == src.len() => Ok(produced),
            Outcome::Overflowed => Err(Error::new(ErrorKind::OutputTooSmall, ID)),
            // Something follows the stream, or it is cut off.
            Outcome::Ended { .. } | Outcome::Starved => {
                Err(Error::new(ErrorKind::CorruptInput, ID))
            }
            Outcome::Failed(code) => Err(failed(code)),
        }
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

fn failed(code: Code) -> Error {
    let kind = match code {
        Z_DATA_ERROR => ErrorKind::CorruptInput,
        Z_MEM_ERROR => ErrorKind::OutOfMemory,
        // A stream that zlib does not know as its own, or a library of another version.
        _ => ErrorKind::Device,
    };
    Error::with_native(kind, ID, code)
}

#[cfg(test)]
mod tests {
    use compressor_api::{Format, Spec};

    use super::*;

    #[test]
    fn no_operation_allocates() {
        for format in [Format::Zlib, Format::DeflateRaw, Format::Gzip] {
            let settings = Settings::of(&Spec::new(format)).unwrap();
            let mut compress = Compress::new(settings).unwrap();
            let mut decompress = Decompress::new(settings).unwrap();
            compress.stream.out_of_memory();
            decompress.stream.out_of_memory();

            let content = self_test::CONTENT.repeat(20);
            let mut unit = vec![0; content.len()];
            let mut out = vec![0; content.len()];
            let mut inflate = |unit: &[u8], room: usize| {
                decompress
                    .decompress(unit, &mut out[..room])
                    .map_err(Error::kind)
            };
            for _ in 0..2 {
                let n = compress.compress(&content, &mut unit).unwrap();
                let too_small = compress.compress(&content, &mut unit[..n - 1]).unwrap_err();
                assert_eq!(too_small.kind(), ErrorKind::OutputTooSmall);

                let n = compress.compress(&content, &mut unit).unwrap();
                assert_eq!(inflate(&unit[..n], content.len()), Ok(content.len()));
                assert_eq!(
                    inflate(&unit[..n], content.len() - 1),
                    Err(ErrorKind::OutputTooSmall)
                );
                assert_eq!(
                    inflate(&unit[..n - 1], content.len()),
                    Err(ErrorKind::CorruptInput)
                );
            }
        }
    }

    #[test]
    fn codes_of_zlib_are_told_by_who_is_to_blame() {
        for (code, kind) in [
            (Z_DATA_ERROR, ErrorKind::CorruptInput),
            (Z_MEM_ERROR, ErrorKind::OutOfMemory),
            (libz_sys::Z_STREAM_ERROR, ErrorKind::Device),
            (libz_sys::Z_VERSION_ERROR, ErrorKind::Device),
        ] {
            let error = failed(code);
            assert_eq!((error.kind(), error.native()), (kind, code));
        }
    }
}

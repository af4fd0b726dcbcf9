use super::{Frame, inflate};
use crate::{DecompressSession, Error, ErrorKind, Format, Spec};

/// RFC 1950: two bytes that say method, window and level, then Deflate, then the Adler-32.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zlib {
    header: [u8; 2],
}

impl Zlib {
    pub(super) fn new(spec: &Spec) -> Self {
        Self {
            header: zlib_header(spec),
        }
    }
}

/// The two bytes that a `zlib` unit of this spec begins with, the same that zlib writes.
///
/// For a provider that makes the frame itself.
#[must_use]
pub fn zlib_header(spec: &Spec) -> [u8; 2] {
    let window_log = spec.window_log().unwrap_or(15).clamp(8, 15);
    let cmf = (window_log - 8) << 4 | 8;
    // The same hint about the level that zlib writes; no decoder reads it.
    let hint: u8 = match spec.level() {
        ..2 => 0,
        2..6 => 1,
        6 => 2,
        7.. => 3,
    };
    let flg = hint << 6;
    let remainder = u16::from_be_bytes([cmf, flg]) % 31;
    let check = u8::try_from((31 - remainder) % 31).unwrap_or(0);
    [cmf, flg | check]
}

impl Frame for Zlib {
    const HEADER: usize = 2;
    const TRAILER: usize = 4;

    fn write(self, src: &[u8], header: &mut [u8], trailer: &mut [u8]) -> Option<()> {
        header.copy_from_slice(&self.header);
        trailer.copy_from_slice(&adler2::adler32_slice(src).to_be_bytes());
        Some(())
    }

    fn decompress(
        self,
        inner: &mut dyn DecompressSession,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let content = inflate(inner, Format::Zlib, src, Self::TRAILER, dst)?;
        let stored = src.last_chunk().map(|trailer| u32::from_be_bytes(*trailer));
        if stored == Some(adler2::adler32_slice(content)) {
            Ok(content.len())
        } else {
            Err(Error::new(ErrorKind::CorruptInput, inner.provider()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_that_zlib_writes() {
        let header = |level, window_log| {
            let spec = Spec::new(Format::Zlib).with_level(level).unwrap();
            zlib_header(&spec.with_window_log(window_log).unwrap())
        };
        assert_eq!(header(1, 15), [0x78, 0x01]);
        assert_eq!(header(5, 15), [0x78, 0x5E]);
        assert_eq!(header(6, 15), [0x78, 0x9C]);
        assert_eq!(header(9, 15), [0x78, 0xDA]);
        assert_eq!(header(6, 12), [0x48, 0x89]);
    }
}

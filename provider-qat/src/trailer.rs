//! The checksums at the end of `zlib` and `gzip` units, computed here and compared.

use compressor_api::Format;

/// Length of the trailer of a format, in bytes; 0 for one without.
pub(crate) const fn len(format: Format) -> usize {
    match format {
        Format::Zlib => 4,
        Format::Gzip => 8,
        _ => 0,
    }
}

/// The trailer that belongs to some content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trailer {
    /// For a format without one.
    None,
    Zlib([u8; 4]),
    Gzip([u8; 8]),
}

impl Trailer {
    pub(crate) fn of(format: Format, content: &[u8]) -> Self {
        match format {
            Format::Zlib => Self::Zlib(libdeflater::adler32(content).to_be_bytes()),
            Format::Gzip => {
                let crc = libdeflater::crc32(content);
                // The length modulo 2³², as the format has it.
                let both = u64::from(content.len() as u32) << 32 | u64::from(crc);
                Self::Gzip(both.to_le_bytes())
            }
            _ => Self::None,
        }
    }

    /// Whether `unit` ends with it; always, if the format has none.
    pub(crate) fn ends(&self, unit: &[u8]) -> bool {
        unit.ends_with(match self {
            Self::None => &[],
            Self::Zlib(bytes) => bytes,
            Self::Gzip(bytes) => bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use compressor_api::self_test::{CONTENT, unit};

    use super::*;

    #[test]
    fn the_reference_librarys_trailers_vouch_for_the_content_alone() {
        for format in [Format::Zlib, Format::Gzip] {
            let good = unit(format);
            let trailer = Trailer::of(format, CONTENT);
            assert!(trailer.ends(good));
            assert!(!Trailer::of(format, &CONTENT[1..]).ends(good));
            for at in 1..=len(format) {
                let mut wrong = good.to_vec();
                let at = wrong.len() - at;
                wrong[at] ^= 1;
                assert!(!trailer.ends(&wrong), "{format} {at}");
            }
            assert!(!trailer.ends(&good[..len(format) - 1]));
        }
        assert!(Trailer::of(Format::DeflateRaw, CONTENT).ends(b""));
    }
}

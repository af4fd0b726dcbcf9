//! Plain readers and writers of the formats, which the suite judges with.
//!
//! Written from the descriptions of the formats for this suite alone: slow, safe, and sharing no
//! code with any codec, so that a mistake in one is not repeated by what it is measured against.
//! They make a unit where a provider only decompresses, read one where it only compresses, and know
//! for any bytes at all what a decoder has to say about them.
//!
//! Zstandard is the exception: frames are read and written, but only with raw and run-length
//! blocks. What needs more is judged with a reference codec, if there is one.

pub(crate) mod deflate;
mod frame;
pub(crate) mod lz4;
mod matches;
mod provider;
pub(crate) mod snappy;
pub(crate) mod zstd;

use compressor_api::Format;

pub use provider::{ID, factory, factory_of};

/// What a decoder has to say about some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// One intact unit: every decoder reads this.
    Unit(Content),
    /// Breaks a rule that not every decoder enforces: refusing is right, and so is this.
    Lax(Content),
    /// Not a unit. `produced` bytes came out before that showed, so a decoder with less room than
    /// that may have stopped for want of it.
    Corrupt { produced: usize },
    /// Needs a dictionary, which the suite's specs have not.
    NeedsDictionary,
    /// Longer than what was asked to be read.
    TooLong,
    /// Uses parts of the format that are not read here.
    Unknown,
}

/// What a unit holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The largest match distance in bytes; 0 without matches.
    pub distance: usize,
}

/// Reads the unit in `src`, up to `limit` bytes of content.
pub(crate) fn read(format: Format, src: &[u8], limit: usize) -> Reading {
    let read = match format {
        Format::None => Ok(Content {
            bytes: src.to_vec(),
            distance: 0,
        }),
        Format::Lz4Block => lz4::read(src, limit),
        Format::Lz4Sized => frame::read_lz4_sized(src, limit),
        Format::Zstd => zstd::read(src, limit),
        Format::Zlib => frame::read_zlib(src, limit),
        Format::DeflateRaw => deflate::read(src, limit),
        Format::Gzip => frame::read_gzip(src, limit),
        Format::Snappy => snappy::read(src, limit),
        // A format that came after this suite.
        _ => Err(Reading::Unknown),
    };
    read.map_or_else(|other| other, Reading::Unit)
}

/// A unit that holds `content`; `None` for a format that cannot be written here.
pub(crate) fn write(format: Format, content: &[u8]) -> Option<Vec<u8>> {
    write_within(format, content, usize::MAX)
}

/// As [`write`], with no match further back than `window` bytes.
pub(crate) fn write_within(format: Format, content: &[u8], window: usize) -> Option<Vec<u8>> {
    Some(match format {
        Format::None => content.to_vec(),
        Format::Lz4Block => lz4::write(content, window),
        Format::Lz4Sized => frame::lz4_sized(&lz4::write(content, window), content.len()),
        Format::Zstd => zstd::write(content, true),
        Format::Zlib => frame::zlib(&deflate::write(content, window), content),
        Format::DeflateRaw => deflate::write(content, window),
        Format::Gzip => frame::gzip(&deflate::write(content, window), content),
        Format::Snappy => snappy::write(content, window),
        _ => return None,
    })
}

/// A unit that holds `content` made of `distance` bytes and a copy of their beginning, which it
/// reaches with one match of exactly that distance. `None` where the format cannot.
pub(crate) fn write_distant(format: Format, content: &[u8], distance: usize) -> Option<Vec<u8>> {
    Some(match format {
        Format::Lz4Block => lz4::write_distant(content, distance)?,
        Format::Lz4Sized => {
            frame::lz4_sized(&lz4::write_distant(content, distance)?, content.len())
        }
        Format::Zlib => frame::zlib(&deflate::write_distant(content, distance)?, content),
        Format::DeflateRaw => deflate::write_distant(content, distance)?,
        Format::Gzip => frame::gzip(&deflate::write_distant(content, distance)?, content),
        Format::Snappy => snappy::write_distant(content, distance)?,
        _ => return None,
    })
}

impl Content {
    /// Appends bytes, unless that is more than `limit` of them.
    fn literals(&mut self, literals: &[u8], limit: usize) -> Result<(), Reading> {
        if literals.len() > limit.saturating_sub(self.bytes.len()) {
            return Err(Reading::TooLong);
        }
        self.bytes.extend_from_slice(literals);
        Ok(())
    }

    /// Appends `length` bytes from `distance` bytes back, which may overlap what they make.
    fn copy(&mut self, distance: usize, length: usize, limit: usize) -> Result<(), Reading> {
        let Some(from) = self
            .bytes
            .len()
            .checked_sub(distance)
            .filter(|_| distance > 0)
        else {
            return Err(self.corrupt());
        };
        if length > limit.saturating_sub(self.bytes.len()) {
            return Err(Reading::TooLong);
        }
        self.distance = self.distance.max(distance);
        // One period at a time: what was just made is the source of the next.
        let mut left = length;
        while left > 0 {
            let end = self.bytes.len().min(from + left);
            self.bytes.extend_from_within(from..end);
            left -= end - from;
        }
        Ok(())
    }

    fn corrupt(&self) -> Reading {
        Reading::Corrupt {
            produced: self.bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use compressor_api::self_test;

    #[test]
    fn what_the_reference_libraries_wrote_is_read() {
        for format in Format::ALL {
            let read = read(format, self_test::unit(format), 1 << 20);
            match read {
                Reading::Unit(content) => assert_eq!(content.bytes, self_test::CONTENT),
                other => assert_eq!((format, other), (Format::Zstd, Reading::Unknown)),
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = self_test::CONTENT;
        let noise: Vec<u8> = (0..70_000_u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        for content in [
            &b""[..],
            b"a",
            b"abc",
            &[0; 13],
            &[7; 100_000],
            &text[..100],
            text,
            &noise,
        ] {
            for format in Format::ALL {
                let unit = write(format, content).unwrap();
                match read(format, &unit, 1 << 20) {
                    Reading::Unit(back) => assert_eq!(back.bytes, content, "{format}"),
                    other => panic!("{format}, {} bytes: {other:?}", content.len()),
                }
            }
        }
    }

    #[test]
    fn distant_matches_have_the_distance_asked_for() {
        for distance in [1, 4, 32_767, 32_768, 65_535, 70_000] {
            let content: Vec<u8> = (0..distance + 64)
                .map(|i| ((i % distance) % 251) as u8)
                .collect();
            for format in Format::ALL {
                let Some(unit) = write_distant(format, &content, distance) else {
                    continue;
                };
                match read(format, &unit, 1 << 20) {
                    Reading::Unit(back) => {
                        assert_eq!(back.bytes, content, "{format}");
                        assert_eq!(back.distance, distance, "{format}");
                    }
                    other => panic!("{format}, {distance}: {other:?}"),
                }
            }
        }
    }

    #[test]
    fn nothing_is_read_beyond_the_limit() {
        for format in [
            Format::Lz4Block,
            Format::Snappy,
            Format::DeflateRaw,
            Format::Zlib,
            Format::Zstd,
        ] {
            let unit = write(format, &[5; 1_000]).unwrap();
            assert_eq!(read(format, &unit, 999), Reading::TooLong, "{format}");
        }
    }

    #[test]
    fn any_bytes_have_an_answer() {
        let mut state = 1_u64;
        for len in 0..600 {
            let bytes: Vec<u8> = (0..len)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (state >> 56) as u8
                })
                .collect();
            for format in Format::ALL {
                let _ = read(format, &bytes, 4_096);
                let mut unit = write(format, &bytes).unwrap();
                let at = len % unit.len().max(1);
                if let Some(byte) = unit.get_mut(at) {
                    *byte ^= 1 << (len % 8);
                }
                let _ = read(format, &unit, 4_096);
            }
        }
    }
}

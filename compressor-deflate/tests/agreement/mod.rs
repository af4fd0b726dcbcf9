//! The same bytes through zlib and through another provider of the Deflate formats: the same
//! content or the same error kind.
//!
//! Compiled into the tests of each such provider; the crate root says which one, by its `factory`,
//! and which faults of a raw stream it may overlook, by `is_overlooked`.

#[path = "../formats/mod.rs"]
mod formats;
pub mod writer;

use std::sync::Arc;

use compressor_api::inspect::{self, deflate};
use compressor_api::{Compressor, DecompressSession, Error, ErrorKind, Format, Spec, self_test};
use proptest::prelude::*;

pub use formats::{as_zlib, readable};

fn zlib(format: Format, level: i32) -> Arc<dyn Compressor> {
    let spec = Spec::new(format).with_level(level).unwrap();
    compressor_deflate::factory().compressor(&spec).unwrap()
}

/// One session of each, for all that a test does.
pub struct Both {
    format: Format,
    zlib: Box<dyn DecompressSession>,
    provider: Box<dyn DecompressSession>,
}

impl Both {
    pub fn read(format: Format) -> Self {
        let provider = crate::factory().compressor(&Spec::new(format)).unwrap();
        Self {
            format,
            zlib: zlib(format, 6).decompress_session().unwrap(),
            provider: provider.decompress_session().unwrap(),
        }
    }

    /// Fails the test unless both agree; true if they do so to the letter, false if the provider
    /// reads what only a stricter decoder refuses.
    pub fn agree(&mut self, unit: &[u8], room: usize) -> bool {
        let expected = decompress(&mut *self.zlib, unit, room);
        let found = decompress(&mut *self.provider, unit, room);
        if found == expected {
            return true;
        }
        let format = self.format;
        let header = inspect::header(format, unit).unwrap();
        let fault = deflate::extent(&unit[header.len..], room);
        assert!(
            found.is_ok()
                && expected == Err(ErrorKind::CorruptInput)
                && fault.is_err_and(crate::is_overlooked),
            "{format}: zlib {expected:?}, here {found:?}, {fault:?}: {unit:x?} into {room}"
        );
        false
    }
}

fn decompress(
    session: &mut dyn DecompressSession,
    unit: &[u8],
    room: usize,
) -> Result<Vec<u8>, ErrorKind> {
    let mut dst = vec![0xA5; room];
    let n = session.decompress(unit, &mut dst).map_err(Error::kind)?;
    dst.truncate(n);
    Ok(dst)
}

/// Units with stored, fixed and dynamic blocks, by zlib, and how long their content is.
fn small_units(
    formats: impl IntoIterator<Item = Format>,
) -> impl Iterator<Item = (Format, Vec<u8>, usize)> {
    let contents: [&[u8]; 5] = [
        b"",
        b"a",
        b"hello, hello, hello",
        &[b'A'; 300],
        &self_test::CONTENT[..400],
    ];
    formats.into_iter().flat_map(move |format| {
        contents.into_iter().flat_map(move |content| {
            [0, 1, 9].map(|level| (format, compress(format, level, content), content.len()))
        })
    })
}

fn compress(format: Format, level: i32, content: &[u8]) -> Vec<u8> {
    let compressor = zlib(format, level);
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
    let mut session = compressor.compress_session().unwrap();
    let n = session.compress(content, &mut unit).unwrap();
    unit.truncate(n);
    unit
}

/// Lengths of `dst` where something changes.
fn rooms(content: usize) -> impl Iterator<Item = usize> {
    let near = content.saturating_sub(2)..=content + 2;
    [0, 1, 2, content / 2]
        .into_iter()
        .chain(near)
        .chain([content + 400])
}

#[test]
fn every_truncation_into_every_room() {
    for (format, unit, content) in small_units(readable()) {
        let mut both = Both::read(format);
        for end in 0..=unit.len() {
            for room in rooms(content) {
                assert!(both.agree(&unit[..end], room));
            }
        }
    }
}

#[test]
fn every_flipped_bit_into_every_room() {
    for (format, unit, content) in small_units(readable()) {
        let mut both = Both::read(format);
        for bit in 0..unit.len() * 8 {
            let mut flipped = unit.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            for room in rooms(content) {
                both.agree(&flipped, room);
            }
        }
    }
}

/// Where the checksum hides no content that zlib reads from a stream.
#[test]
fn every_flipped_bit_under_a_checksum_of_what_it_makes() {
    let mut read = 0;
    let mut raw = zlib(Format::DeflateRaw, 6).decompress_session().unwrap();
    let mut both = Both::read(Format::Zlib);
    for (_, stream, content) in small_units([Format::DeflateRaw]) {
        for bit in 0..stream.len() * 8 {
            let mut flipped = stream.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let Ok(made) = decompress(&mut *raw, &flipped, content + 400) else {
                continue;
            };
            read += 1;
            for room in rooms(made.len()) {
                assert!(both.agree(&as_zlib(&flipped, &made), room));
            }
        }
    }
    assert!(read > 1_000, "{read} of the streams are good");
}

#[test]
fn every_tail() {
    for (format, unit, content) in small_units(readable()) {
        let mut both = Both::read(format);
        for tail in [&b"\0"[..], b"\0\0\0\0\0\0\0\0\0", b"tail", &unit] {
            let longer = [&unit, tail].concat();
            for room in rooms(content) {
                assert!(both.agree(&longer, room));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_units(
        len in 0..3_000_usize,
        level in 0..=9,
        format in proptest::sample::select(readable()),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        cut in any::<prop::sample::Index>(),
        room in 0..3_300_usize,
    ) {
        let mut unit = compress(format, level, &self_test::CONTENT[..len]);
        for (at, mask) in changes {
            let at = at.index(unit.len());
            unit[at] ^= mask;
        }
        let mut both = Both::read(format);
        for room in [room, len] {
            both.agree(&unit, room);
            both.agree(&unit[..cut.index(unit.len())], room);
        }
    }

    #[test]
    fn garbage(
        src in proptest::collection::vec(any::<u8>(), 0..300),
        headed in any::<bool>(),
        format in proptest::sample::select(readable()),
        room in 0..2_000_usize,
    ) {
        let header: &[u8] = match format {
            Format::Zlib if headed => b"\x78\x9c",
            Format::Gzip if headed => b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
            _ => b"",
        };
        Both::read(format).agree(&[header, &src].concat(), room);
    }
}

//! Decompression of bytes that are not exactly one intact unit.

use compressor_api::{ErrorKind, Format, Spec};
use proptest::prelude::*;

use super::{
    FORMATS, compress, compressor, decompress, noise, readable, served, small_contents, text,
};

/// Every small content, in these formats, as a unit of a few levels.
fn small_units(
    formats: impl IntoIterator<Item = Format>,
) -> impl Iterator<Item = (Format, Vec<u8>, Vec<u8>)> {
    formats.into_iter().flat_map(|format| {
        small_contents().into_iter().flat_map(move |content| {
            served([0, 1, 9])
                .map(move |level| (format, compress(format, level, &content), content.clone()))
        })
    })
}

#[test]
fn a_truncated_unit_is_corrupt() {
    for (format, unit, content) in small_units(readable()) {
        for end in 0..unit.len() {
            let found = decompress(format, &unit[..end], content.len());
            assert_eq!(found, Err(ErrorKind::CorruptInput), "{format} cut at {end}");
            let roomy = decompress(format, &unit[..end], content.len() + 300);
            assert_eq!(roomy, Err(ErrorKind::CorruptInput), "{format} cut at {end}");
        }
    }
}

#[test]
fn a_flipped_bit_is_never_other_content_where_there_is_a_checksum() {
    for (format, unit, content) in small_units(readable()) {
        for bit in 0..unit.len() * 8 {
            let mut flipped = unit.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match decompress(format, &flipped, content.len()) {
                Ok(found) if format != Format::DeflateRaw => {
                    assert!(found == content, "{format} bit {bit}");
                }
                Ok(_) | Err(ErrorKind::CorruptInput | ErrorKind::OutputTooSmall) => {}
                Err(kind) => panic!("{format} bit {bit}: {kind}"),
            }
        }
    }
}

#[test]
fn bytes_after_the_unit_are_corrupt() {
    for (format, unit, content) in small_units(readable()) {
        for tail in [
            &b"\0"[..],
            b"\xff",
            b"dead",
            &[0; 512],
            unit.as_slice(),
            &unit[..unit.len() / 2],
        ] {
            if tail.is_empty() {
                continue;
            }
            let longer = [&unit, tail].concat();
            for room in [content.len(), 2 * content.len() + 8] {
                let found = decompress(format, &longer, room);
                assert_eq!(
                    found,
                    Err(ErrorKind::CorruptInput),
                    "{format} and {tail:x?}"
                );
            }
        }
    }
}

#[test]
fn one_format_is_not_read_as_another() {
    for (format, unit, content) in small_units(FORMATS) {
        for other in readable().into_iter().filter(|other| *other != format) {
            let found = decompress(other, &unit, content.len());
            assert_ne!(found.as_ref(), Ok(&content), "{format} as {other}");
            if other != Format::DeflateRaw {
                assert_eq!(found, Err(ErrorKind::CorruptInput), "{format} as {other}");
            }
        }
    }
}

#[test]
fn any_window_is_read() {
    let content = text(50_000);
    for format in readable() {
        for window_log in 9..=15 {
            let spec = Spec::new(format).with_window_log(window_log).unwrap();
            let writer = compressor_deflate::factory().compressor(&spec).unwrap();
            let mut unit = vec![0; writer.max_compressed_len(content.len()).unwrap()];
            let n = writer
                .compress_session()
                .unwrap()
                .compress(&content, &mut unit)
                .unwrap();
            assert!(
                decompress(format, &unit[..n], content.len()).as_ref() == Ok(&content),
                "{format}, window of 2^{window_log}"
            );
        }
    }
}

#[test]
fn the_header_says_what_it_declares() {
    let content = text(1_000);
    for format in FORMATS {
        let unit = compress(format, 6, &content);
        let declared = compressor(format, 6).decompressed_len(&unit).unwrap();
        let expected = (format == Format::Gzip).then_some(1_000);
        assert_eq!(declared, expected, "{format}");
    }
    let malformed = compressor(Format::Zlib, 6).decompressed_len(b"\x1f\x8b");
    assert_eq!(malformed.unwrap_err().kind(), ErrorKind::CorruptInput);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A good header, so that what follows is looked at.
    #[test]
    fn garbage_is_refused_or_read_within_dst(
        seed in any::<u64>(),
        len in 0..300_usize,
        room in 0..700_usize,
        format in proptest::sample::select(readable()),
    ) {
        let header: &[u8] = match format {
            Format::Zlib => b"\x78\x9c",
            Format::Gzip => b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
            _ => b"",
        };
        let unit = [header, &noise(seed, len)].concat();
        match decompress(format, &unit, room) {
            Ok(_) => prop_assert_eq!(format, Format::DeflateRaw),
            Err(kind) => prop_assert!(matches!(
                kind,
                ErrorKind::CorruptInput | ErrorKind::OutputTooSmall
            ), "{kind}"),
        }
    }
}

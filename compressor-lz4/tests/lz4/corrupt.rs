//! Units that something happened to.

use compressor_api::{ErrorKind, Format, inspect, self_test};

use crate::content::Recipe;
use crate::guarded::unit;
use crate::{FORMATS, compressor, decompress, decompress_exact};

/// A small unit with literals and matches of all sorts.
fn small(format: Format) -> (Vec<u8>, Vec<u8>) {
    let recipe = Recipe {
        seed: 3,
        len: 400,
        repeat: 70,
    };
    let content = recipe.bytes();
    let unit = unit(&*compressor(format, 9), &content);
    assert!(unit.len() < content.len());
    (content, unit)
}

#[test]
fn a_truncated_unit_never_has_its_content() {
    for format in FORMATS {
        let (content, unit) = small(format);
        for end in 0..unit.len() {
            let cut = &unit[..end];
            let exact = decompress_exact(format, cut, content.len());
            assert_eq!(exact, Err(ErrorKind::CorruptInput), "{format} at {end}");
            match decompress(format, cut, content.len()) {
                Err(kind) => assert_eq!(kind, ErrorKind::CorruptInput, "{format} at {end}"),
                // A block cut off after the literals of a sequence is a block.
                Ok(bytes) => {
                    assert_eq!(format, Format::Lz4Block);
                    assert!(bytes.len() < content.len() && content.starts_with(&bytes));
                }
            }
        }
    }
}

#[test]
fn a_flipped_bit_gives_an_error_or_content_of_its_own() {
    for format in FORMATS {
        let (content, unit) = small(format);
        for bit in 0..unit.len() * 8 {
            let mut changed = unit.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            for room in [0, content.len() - 1, content.len(), 8 * content.len()] {
                match decompress(format, &changed, room) {
                    Ok(bytes) => assert!(bytes.len() <= room),
                    Err(ErrorKind::CorruptInput) => {}
                    Err(ErrorKind::OutputTooSmall) => {
                        let block = match format {
                            Format::Lz4Block => &changed[..],
                            _ => &changed[4..],
                        };
                        let says = inspect::lz4::content_len(block).unwrap();
                        assert!(says > room as u64, "{format} bit {bit}");
                    }
                    Err(kind) => panic!("{format} bit {bit}: {kind}"),
                }
            }
        }
    }
}

#[test]
fn bytes_after_the_unit_are_corrupt() {
    for format in FORMATS {
        let (content, unit) = small(format);
        for after in [&b"\0"[..], b"\x10", b"\xff", &unit] {
            let longer = [&unit, after].concat();
            for room in [content.len(), 4 * content.len()] {
                let read = decompress(format, &longer, room);
                assert_eq!(read, Err(ErrorKind::CorruptInput), "{format} {after:x?}");
            }
        }
    }
}

#[test]
fn other_formats_are_corrupt() {
    // As `lz4` writes a frame of "hello": magic number, descriptor, one stored block.
    let frame = b"\x04\x22\x4d\x18\x60\x40\x82\x05\0\0\x80hello\0\0\0\0";
    let others = [Format::Zstd, Format::Zlib, Format::Gzip, Format::Snappy];
    for format in FORMATS {
        for unit in others.map(self_test::unit).iter().chain([&&frame[..]]) {
            let room = self_test::CONTENT.len();
            let read = decompress(format, unit, room);
            assert_eq!(read, Err(ErrorKind::CorruptInput), "{format} {unit:x?}");
        }
    }
    let sized = self_test::unit(Format::Lz4Sized);
    let block = self_test::unit(Format::Lz4Block);
    let room = self_test::CONTENT.len();
    assert!(decompress_exact(Format::Lz4Block, sized, room).is_err());
    assert!(decompress_exact(Format::Lz4Sized, block, room).is_err());
}

//! Units that something happened to.

use compressor_api::{ErrorKind, Format, inspect, self_test};

use crate::content::Recipe;
use crate::guarded::unit;
use crate::{compressor, decompress, decompress_exact};

/// An interpreter tries some of the places, everybody else all.
const STEP: usize = if cfg!(miri) { 7 } else { 1 };

/// A small unit with literals and copies of all sorts.
fn small() -> (Vec<u8>, Vec<u8>) {
    let recipe = Recipe {
        seed: 3,
        len: if cfg!(miri) { 100 } else { 400 },
        repeat: 70,
    };
    let content = recipe.bytes();
    let unit = unit(&*compressor(), &content);
    assert!(unit.len() < content.len());
    (content, unit)
}

#[test]
fn a_truncated_unit_is_corrupt() {
    let (content, unit) = small();
    for end in (0..unit.len()).step_by(STEP) {
        for room in [0, content.len() - 1, content.len(), 2 * content.len()] {
            let read = decompress(&unit[..end], room);
            assert_eq!(read, Err(ErrorKind::CorruptInput), "{end} into {room}");
        }
        let exact = decompress_exact(&unit[..end], content.len());
        assert_eq!(exact, Err(ErrorKind::CorruptInput), "{end}");
    }
}

#[test]
fn a_flipped_bit_gives_an_error_or_content_of_its_own() {
    let (content, unit) = small();
    for bit in (0..unit.len() * 8).step_by(STEP) {
        let mut changed = unit.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        let says = inspect::snappy::content_len(&changed);
        for room in [0, content.len() - 1, content.len(), 64 * content.len()] {
            // The walk over the elements knows what the block holds, and so what reading gives.
            match (decompress(&changed, room), says) {
                (Ok(bytes), says) => assert_eq!(says, Ok(bytes.len() as u64), "bit {bit}"),
                (Err(ErrorKind::OutputTooSmall), Ok(len)) => assert!(len > room as u64),
                (Err(ErrorKind::CorruptInput), Err(_)) => {}
                (read, says) => panic!("bit {bit} into {room}: {read:x?}, but it says {says:?}"),
            }
        }
    }
}

#[test]
fn bytes_after_the_unit_are_corrupt() {
    let (content, unit) = small();
    for after in [&b"\0"[..], b"\0A", b"\x01\x01", b"\xff", &unit] {
        let longer = [&unit, after].concat();
        for room in [0, content.len(), 4 * content.len()] {
            let read = decompress(&longer, room);
            assert_eq!(read, Err(ErrorKind::CorruptInput), "{after:x?}");
        }
    }
}

#[test]
fn other_formats_are_corrupt() {
    // The framed format starts with a chunk that names it.
    let frame = b"\xff\x06\0\0sNaPpY\x01\x09\0\0\xbb\x1f\x1c\x19hello";
    let others = [
        Format::Lz4Block,
        Format::Lz4Sized,
        Format::Zstd,
        Format::Zlib,
        Format::Gzip,
    ];
    for unit in others.map(self_test::unit).iter().chain([&&frame[..]]) {
        let read = decompress(unit, self_test::CONTENT.len());
        assert_eq!(read, Err(ErrorKind::CorruptInput), "{unit:x?}");
    }
}

//! The published limits, at each value and one past it. Large slices are zero pages that nobody
//! touches, as lengths are looked at first.

use compressor_api::{Capabilities, Direction, ErrorKind, Format, inspect};

use crate::{FORMATS, compressor, factory};

fn capabilities(format: Format, direction: Direction) -> Capabilities {
    let factory = factory();
    let mut all = factory.capabilities().iter();
    *all.find(|c| c.format == format && c.direction == direction)
        .unwrap()
}

#[test]
fn both_formats_are_listed_in_both_directions() {
    assert_eq!(factory().capabilities().len(), 4);
    for format in FORMATS {
        for direction in Direction::BOTH {
            let listed = capabilities(format, direction);
            assert_eq!((listed.min_input, listed.window), (0, 65_535));
        }
    }
}

#[test]
fn content_is_compressed_up_to_the_limit_and_refused_beyond() {
    for format in FORMATS {
        let limit = capabilities(format, Direction::Compress).max_input;
        assert_eq!(limit, 0x7E00_0000);
        let compressor = compressor(format, -65_536);
        assert!(compressor.max_compressed_len(limit).is_some());
        for beyond in [limit + 1, i32::MAX as usize, 1 << 31, usize::MAX] {
            assert_eq!(compressor.max_compressed_len(beyond), None);
        }

        let content = vec![0; limit + 1];
        let mut dst = vec![0; 16 << 20];
        let mut session = compressor.compress_session().unwrap();
        let error = session.compress(&content, &mut dst).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let n = session.compress(&content[..limit], &mut dst).unwrap();
        let block = match format {
            Format::Lz4Block => &dst[..n],
            _ => &dst[4..n],
        };
        assert_eq!(inspect::lz4::content_len(block), Ok(limit as u64));
    }
}

#[test]
fn units_longer_than_an_int_are_unsupported() {
    for format in FORMATS {
        let limit = capabilities(format, Direction::Decompress).max_input;
        let mut unit = vec![0; limit + 1];
        let mut dst = [0; 64];
        let declared: u8 = 64;
        if format == Format::Lz4Sized {
            unit[0] = declared;
        }
        let mut session = compressor(format, 0).decompress_session().unwrap();
        let beyond = session.decompress(&unit, &mut dst).unwrap_err();
        assert_eq!(beyond.kind(), ErrorKind::Unsupported);
        let within = session.decompress(&unit[..limit], &mut dst).unwrap_err();
        assert_eq!(within.kind(), ErrorKind::CorruptInput);
    }
}

#[test]
fn more_room_than_an_int_is_used_up_to_an_int() {
    let mut dst = vec![0; (1 << 31) + 7];
    for format in FORMATS {
        let compressor = compressor(format, 0);
        let mut session = compressor.compress_session().unwrap();
        let n = session.compress(b"hello", &mut dst).unwrap();
        let unit = dst[..n].to_vec();
        let mut session = compressor.decompress_session().unwrap();
        let n = session.decompress(&unit, &mut dst).unwrap();
        assert_eq!(&dst[..n], b"hello");
    }
}

#[test]
fn content_longer_than_an_int_is_unsupported_where_there_is_room_for_it() {
    // One literal, a match of 2³¹ − 1 bytes, and 12 literals.
    let len = (1_usize << 31) + 12;
    let rest = (1 << 31) - 1 - 4 - 15;
    let mut block = b"\x1fA\x01\x00".to_vec();
    block.resize(block.len() + rest / 255, 255);
    block.push(u8::try_from(rest % 255).unwrap());
    block.extend(b"\xc0BBBBBBBBBBBB");
    assert_eq!(inspect::lz4::content_len(&block), Ok(len as u64));
    let declared = u32::try_from(len).unwrap().to_le_bytes();
    let sized = [&declared[..], &block].concat();

    let mut dst = vec![0; len];
    for (format, unit) in [(Format::Lz4Block, &block), (Format::Lz4Sized, &sized)] {
        let mut session = compressor(format, 0).decompress_session().unwrap();
        for (room, kind) in [
            (len, ErrorKind::Unsupported),
            (len - 1, ErrorKind::OutputTooSmall),
            (64, ErrorKind::OutputTooSmall),
        ] {
            let error = session.decompress(unit, &mut dst[..room]).unwrap_err();
            assert_eq!(error.kind(), kind, "{format} into {room}");
        }
    }
}

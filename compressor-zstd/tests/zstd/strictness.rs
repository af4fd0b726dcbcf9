//! Damaged units, and units with something before or after them.

use compressor_api::ErrorKind::{self, CorruptInput, OutputTooSmall, Unsupported, WrongDictionary};
use compressor_api::{Compressor, Format, Spec, inspect};
use zstd_sys::ZSTD_cParameter::ZSTD_c_contentSizeFlag;

use crate::common::{compress, compressor, content, decompress_kind, spec};
use crate::stock;

/// Units of every shape that are small enough to try every damage on, with their content.
fn small_units() -> Vec<(Spec, Vec<u8>, Vec<u8>)> {
    let plain = spec(3);
    let several_blocks = spec(1).with_window_log(10).unwrap();
    let no_checksum = spec(3).with_checksum(false).unwrap();
    let mut units = Vec::new();
    for (spec, kind, len) in [
        (&plain, 0, 0),
        (&plain, 2, 5),
        (&plain, 1, 300),
        (&plain, 0, 400),
        (&plain, 3, 300),
        (&several_blocks, 0, 2_500),
        (&no_checksum, 0, 400),
    ] {
        let content = content(kind, 20, len);
        units.push((
            spec.clone(),
            compress(&*compressor(spec), &content),
            content,
        ));
    }
    let text = content(0, 21, 400);
    let unsized_frame = stock::compress(&[(ZSTD_c_contentSizeFlag, 0)], &[], &text);
    units.push((plain, unsized_frame, text));
    units
}

#[test]
fn a_unit_cut_anywhere_is_corrupt() {
    for (spec, unit, content) in small_units() {
        let compressor = compressor(&spec);
        for end in 0..unit.len() {
            for len in [content.len(), 0, 200_000] {
                let decoded = decompress_kind(&*compressor, &unit[..end], len);
                assert_eq!(decoded, Err(CorruptInput), "{end} of {}", unit.len());
            }
        }
    }
}

#[test]
fn a_flipped_bit_never_gives_wrong_content() {
    for (spec, unit, content) in small_units() {
        let compressor = compressor(&spec);
        let header = inspect::header(Format::Zstd, &unit).unwrap();
        for bit in 0..unit.len() * 8 {
            let mut damaged = unit.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            for len in [content.len(), 300_000] {
                match decompress_kind(&*compressor, &damaged, len) {
                    // The window, or the choice to declare one, does not touch the content.
                    Ok(decoded) if header.checksum => assert_eq!(decoded, content, "bit {bit}"),
                    Ok(_) | Err(CorruptInput) => {}
                    Err(OutputTooSmall) => {
                        assert!(len < 300_000, "bit {bit}: no room is too small for this");
                    }
                    Err(Unsupported | WrongDictionary) => {
                        assert!(bit / 8 < header.len, "bit {bit}: only a header can say so");
                    }
                    Err(kind) => panic!("bit {bit}: {kind}"),
                }
            }
        }
    }
}

#[test]
fn bytes_after_the_unit_are_corrupt() {
    let compressor = compressor(&spec(3));
    for (_, unit, content) in small_units() {
        let room = 2 * content.len() + 100;
        let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0abcd";
        for tail in [&[0][..], &[0; 4], b"\x28\xb5\x2f\xfd", skippable, &unit] {
            let both = [&unit, tail].concat();
            let decoded = decompress_kind(&*compressor, &both, room);
            assert_eq!(decoded, Err(CorruptInput), "{tail:x?}");
        }
        let behind = [&skippable[..], &unit].concat();
        assert_eq!(
            decompress_kind(&*compressor, &behind, room),
            Err(CorruptInput)
        );
    }
}

#[test]
fn every_wrong_checksum_is_found() {
    let compressor = compressor(&spec(3));
    for (_, unit, content) in small_units() {
        if !inspect::header(Format::Zstd, &unit).unwrap().checksum {
            continue;
        }
        let (_, checksum) = unit.split_last_chunk::<4>().unwrap();
        for wrong in [[0; 4], [0xFF; 4], { *checksum }.map(|byte| !byte)] {
            let damaged = [&unit[..unit.len() - 4], &wrong].concat();
            let decoded = decompress_kind(&*compressor, &damaged, content.len());
            assert_eq!(decoded, Err(CorruptInput));
        }
    }
}

#[test]
fn every_declared_length_that_lies_is_corrupt() {
    let text = content(0, 22, 200);
    for checksum in [true, false] {
        let compressor = compressor(&spec(3).with_checksum(checksum).unwrap());
        let mut unit = compress(&*compressor, &text);
        assert_eq!(
            unit[5], 200,
            "the length is the one byte behind the descriptor"
        );
        for declared in (0..=255).filter(|declared| *declared != 200) {
            unit[5] = declared;
            let decoded = decompress_kind(&*compressor, &unit, 300);
            assert_eq!(decoded, Err(CorruptInput), "{declared}");
        }
    }
}

#[test]
fn a_declared_length_beyond_the_room_is_too_small_if_the_blocks_may_hold_it() {
    let compressor = compressor(&spec(3));
    let text = content(0, 23, 200);
    let mut unit = compress(&*compressor, &text);
    assert_eq!(unit[5], 200);
    unit[5] = 201;
    assert_eq!(
        decompress_kind(&*compressor, &unit, 200),
        Err(OutputTooSmall)
    );
    // Raw blocks hold what they hold.
    let mut raw = compress(&*compressor, b"hello");
    raw[5] = 6;
    assert_eq!(decompress_kind(&*compressor, &raw, 5), Err(CorruptInput));
}

#[test]
fn a_length_that_no_unit_so_short_can_have_is_corrupt_in_the_header_already() {
    let compressor = compressor(&spec(3));
    let claim = |declared: u64| {
        let header = b"\x28\xb5\x2f\xfd\xe0";
        [&header[..], &declared.to_le_bytes(), b"\x29\0\0hello"].concat()
    };
    assert_eq!(compressor.decompressed_len(&claim(5)), Ok(Some(5)));
    for declared in [u64::MAX, 1 << 62, 1 << 40] {
        let error = compressor.decompressed_len(&claim(declared)).unwrap_err();
        assert_eq!(error.kind(), CorruptInput, "{declared}");
        let decoded = decompress_kind(&*compressor, &claim(declared), 5);
        assert_eq!(decoded, Err(CorruptInput), "{declared}");
    }
}

#[test]
fn other_formats_are_corrupt() {
    let compressor = compressor(&spec(3));
    for format in Format::ALL.into_iter().filter(|f| *f != Format::Zstd) {
        let unit = compressor_api::self_test::unit(format);
        assert_eq!(
            decompress_kind(&*compressor, unit, 5_000),
            Err(CorruptInput)
        );
    }
}

#[test]
fn windows_beyond_the_published_limit_are_unsupported() {
    let limit = crate::common::capabilities(compressor_api::Direction::Decompress).window;
    for byte in 0..=255 {
        let unit = [b"\x28\xb5\x2f\xfd\x00", &[byte][..], b"\x29\0\0hello"].concat();
        let window = inspect::needed_window(Format::Zstd, &unit, 5).unwrap();
        let expected: Result<_, ErrorKind> = if window <= limit {
            Ok(b"hello".to_vec())
        } else {
            Err(Unsupported)
        };
        let decoded = decompress_kind(&*compressor(&spec(3)), &unit, 5);
        assert_eq!(decoded, expected, "a window of {window} bytes");
    }
}

#[test]
fn noise_behind_a_header_is_never_content() {
    let compressor: std::sync::Arc<dyn Compressor> = compressor(&spec(3));
    for seed in 0..2_000 {
        // One compressed block of noise, whose checksum is noise as well.
        let noise = content(2, seed, 44);
        let unit = [b"\x28\xb5\x2f\xfd\x24\x80\x45\x01\0", &noise[..]].concat();
        let decoded = decompress_kind(&*compressor, &unit, 128);
        assert_eq!(decoded, Err(CorruptInput), "seed {seed}");
    }
}

//! What the walk over a raw stream finds is what zlib finds.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::Arc;

use compressor_api::inspect::Malformed;
use compressor_api::inspect::deflate::{Extent, extent};
use compressor_api::{Compressor, ErrorKind, Format, Spec, self_test};
use proptest::prelude::*;
use writer::{Writer, lens};

#[path = "agreement/writer.rs"]
mod writer;

fn zlib(level: i32) -> Arc<dyn Compressor> {
    let spec = Spec::new(Format::DeflateRaw).with_level(level).unwrap();
    compressor_deflate::factory().compressor(&spec).unwrap()
}

fn compress(level: i32, content: &[u8]) -> Vec<u8> {
    let compressor = zlib(level);
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
    let mut session = compressor.compress_session().unwrap();
    let n = session.compress(content, &mut unit).unwrap();
    unit.truncate(n);
    unit
}

/// Fails the test unless zlib says the same.
fn agree(src: &[u8], limit: usize) {
    let walked = extent(src, limit);
    // zlib's codec refuses what follows a stream.
    let src = match walked {
        Ok(Extent::Ended { read, .. }) => &src[..read],
        _ => src,
    };
    let mut session = zlib(6).decompress_session().unwrap();
    let found = session.decompress(src, &mut vec![0; limit]);
    let expected = match walked {
        Ok(Extent::Ended { content, .. }) => Ok(content),
        Ok(Extent::Beyond) => Err(ErrorKind::OutputTooSmall),
        Err(_) => Err(ErrorKind::CorruptInput),
    };
    let found = found.map_err(compressor_api::Error::kind);
    assert_eq!(found, expected, "{walked:?}: {src:x?} into {limit}");
}

#[test]
fn streams_of_every_kind_of_block_are_measured() {
    let content = self_test::CONTENT.repeat(30);
    for level in [0, 1, 6, 9] {
        for len in [0, 1, 10, 300, content.len()] {
            let mut unit = compress(level, &content[..len]);
            let read = unit.len();
            let ended = Ok(Extent::Ended { read, content: len });
            assert_eq!(extent(&unit, len), ended);
            assert_eq!(extent(&unit, usize::MAX), ended);
            if let Some(less) = len.checked_sub(1) {
                assert_eq!(extent(&unit, less), Ok(Extent::Beyond));
            }
            let cut = extent(&unit[..read - 1], len);
            assert_eq!(cut, Err(Malformed::Truncated));
            // What follows is not looked at.
            unit.extend_from_slice(&[0xFF; 20]);
            assert_eq!(extent(&unit, len), ended);
        }
    }
}

#[test]
fn each_fault_has_its_name() {
    // In fixed blocks, "a" is 0x91, a match of 3 bytes 0000001, and the end 0000000.
    let a = || Writer::fixed().codeword(0x91, 8);
    let end = |writer: Writer| writer.codeword(0, 7);
    let a_end_match = lens(258, &[(0x61, 1), (256, 2), (257, 2)]);
    let (zero_and, mut repeat) = ([(0, 1), (16, 1)], [0; 19]);
    for (symbol, len) in zero_and {
        repeat[symbol] = len;
    }
    let (mut zeros, mut one) = (repeat, [0; 19]);
    zeros.swap(16, 18);
    one[8] = 1;

    let faults = [
        ("nothing", Writer::default(), Malformed::Truncated),
        (
            "the reserved type of block",
            Writer::default().number(7, 3),
            Malformed::Reserved,
        ),
        (
            "a length that its complement contradicts",
            Writer::default().number(1, 8).number(5, 16).number(5, 16),
            Malformed::Checksum,
        ),
        (
            "a stored block cut off",
            Writer::default()
                .number(1, 8)
                .number(2, 16)
                .number(0xFFFD, 16)
                .number(7, 8),
            Malformed::Truncated,
        ),
        (
            "a match that begins before the content",
            end(a().codeword(1, 7).codeword(1, 5)),
            Malformed::OutOfBounds,
        ),
        (
            "length symbol 286",
            end(a().codeword(0b1100_0110, 8).codeword(0, 5)),
            Malformed::Reserved,
        ),
        (
            "distance symbol 30",
            end(a().codeword(1, 7).codeword(30, 5)),
            Malformed::Reserved,
        ),
        (
            "287 lengths of literals",
            Writer::with_codes(&lens(287, &[(0x61, 1), (256, 1)]), &[0]).number(0b10, 2),
            Malformed::Reserved,
        ),
        (
            "31 lengths of distances",
            Writer::with_codes(&lens(257, &[(0x61, 1), (256, 1)]), &[0; 31]).number(0b10, 2),
            Malformed::Reserved,
        ),
        (
            "a code for lengths of one codeword",
            Writer::dynamic(257, 1, one).number(0, 32),
            Malformed::Length,
        ),
        (
            "a repeated length without one to repeat",
            Writer::dynamic(257, 1, repeat).number(1, 3),
            Malformed::OutOfBounds,
        ),
        (
            "zeros beyond the last length",
            Writer::dynamic(257, 1, zeros).number(0xFFFF, 16),
            Malformed::OutOfBounds,
        ),
        (
            "a block that cannot end",
            Writer::with_codes(&lens(257, &[(0x61, 1), (0x62, 1)]), &[0]).number(0, 8),
            Malformed::Length,
        ),
        (
            "more codewords than there are",
            Writer::with_codes(&[8; 257], &[0]).number(0, 8),
            Malformed::Length,
        ),
        (
            "codewords that nobody has",
            Writer::with_codes(&[9; 257], &[0]).number(0, 9),
            Malformed::Length,
        ),
        (
            "the unused codeword beside the end of the block",
            Writer::with_codes(&lens(257, &[(256, 1)]), &[0]).number(1, 1),
            Malformed::Reserved,
        ),
        (
            "the unused codeword beside a distance",
            Writer::with_codes(&a_end_match, &[1])
                .codeword(0, 1)
                .codeword(0b11, 2)
                .codeword(1, 1)
                .codeword(0b10, 2),
            Malformed::Reserved,
        ),
        (
            "a distance where there are none",
            Writer::with_codes(&a_end_match, &[0])
                .codeword(0, 1)
                .codeword(0b11, 2)
                .codeword(0, 1)
                .codeword(0b10, 2),
            Malformed::Reserved,
        ),
    ];
    for (what, Writer { bytes, .. }, fault) in faults {
        assert_eq!(extent(&bytes, 100), Err(fault), "{what}");
        agree(&bytes, 100);
    }
}

#[test]
fn codes_that_are_whole_in_spite_of_one_codeword_are_read() {
    let end_alone = Writer::with_codes(&lens(257, &[(256, 1)]), &[0]).number(0, 1);
    let one_distance = lens(258, &[(0x61, 1), (256, 2), (257, 2)]);
    let one_distance = Writer::with_codes(&one_distance, &[1])
        .codeword(0, 1)
        .codeword(0b11, 2)
        .codeword(0, 1)
        .codeword(0b10, 2);
    for (Writer { bytes, .. }, content) in [(end_alone, 0), (one_distance, 4)] {
        let read = bytes.len();
        assert_eq!(extent(&bytes, 9), Ok(Extent::Ended { read, content }));
        agree(&bytes, 9);
    }
}

#[test]
fn many_short_blocks_are_one_stream() {
    // 800,000 empty fixed blocks that are not the last, then one that is.
    let mut src = vec![];
    for _ in 0..200_000 {
        // Four times 010 0000000.
        src.extend_from_slice(&[0x02, 0x08, 0x20, 0x80, 0x00]);
    }
    src.extend_from_slice(&[0x03, 0x00]);
    let read = src.len();
    assert_eq!(extent(&src, 0), Ok(Extent::Ended { read, content: 0 }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_streams_are_what_they_are_to_zlib(
        len in 0..3_000_usize,
        level in 0..=9,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 0..3),
        cut in any::<prop::sample::Index>(),
        room in 0..3_300_usize,
    ) {
        let content = self_test::CONTENT.get(..len).unwrap();
        let mut unit = compress(level, content);
        for (at, bit) in changes {
            let at = at.index(unit.len());
            unit[at] ^= 1 << bit;
        }
        for room in [room, len] {
            agree(&unit, room);
            agree(&unit[..cut.index(unit.len())], room);
        }
    }

    #[test]
    fn garbage_is_what_it_is_to_zlib(
        mut src in proptest::collection::vec(any::<u8>(), 1..300),
        dynamic in any::<bool>(),
        room in 0..2_000_usize,
    ) {
        if dynamic {
            // Most garbage breaks in the header of a dynamic block, so that is where it begins.
            src[0] = src[0] & !6 | 4;
        }
        agree(&src, room);
    }
}

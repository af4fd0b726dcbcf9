//! ISA-L beside zlib, on intact and on broken units.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use agreement::writer::{Writer, lens};
use agreement::{Both, as_zlib};
use compressor_api::Format;
use compressor_api::inspect::Malformed;
use isal::factory;

mod isal;

#[path = "../../compressor-deflate/tests/agreement/mod.rs"]
mod agreement;

fn is_overlooked(fault: Malformed) -> bool {
    fault == Malformed::Length
}

/// What the crate's documentation says about the difference that is left.
#[test]
fn what_only_zlib_refuses_has_a_code_that_is_not_complete() {
    let mut both = Both::read(Format::Zlib);
    let codes: [&[(usize, u8)]; 2] = [
        // Three codewords of four, and two of three.
        &[(0x61, 2), (0x62, 2), (256, 2)],
        &[(0x61, 1), (256, 2)],
    ];
    for code in codes {
        let stream = Writer::with_codes(&lens(257, code), &[0])
            .codeword(0, code[0].1.into())
            .codeword(0b10, 2);
        let unit = as_zlib(&stream.bytes, b"a");
        assert!(!both.agree(&unit, 30_000), "{code:?}");
        // Where such a code does not matter, because there is no room anyway.
        assert!(both.agree(&unit, 0), "{code:?}");
        // Where the checksum finds that the code gave another content.
        assert!(
            both.agree(&as_zlib(&stream.bytes, b"b"), 30_000),
            "{code:?}"
        );
    }
}

/// Where the first fault is beyond `dst`, content is too long; before that, it is corrupt.
#[test]
fn symbols_that_the_format_reserves_are_refused_as_zlib_refuses_them() {
    let mut both = Both::read(Format::Zlib);
    // Near the end of a stream ISA-L reads carefully, far from it in a hurry.
    for (before, after) in [(1, 0), (400, 0), (1, 5_000), (400, 5_000)] {
        let literals =
            |count| (0..count).fold(Writer::fixed(), |stream, _| stream.codeword(0x91, 8));
        for (length, distance) in [
            (0b1100_0110, 0),
            (0b1100_0111, 0),
            (0b1100_0101, 30),
            (0b1100_0101, 31),
        ] {
            let stream = literals(before)
                .codeword(length, 8)
                .codeword(distance, 5)
                .number(0, 16);
            let stream = [stream.bytes, vec![0x91; after]].concat();
            let unit = as_zlib(&stream, &vec![b'a'; before]);
            for room in [before - 1, before, before + 10, before + 9_000] {
                assert!(both.agree(&unit, room), "{length:b} {distance}");
            }
        }
    }
}

//! libdeflate beside zlib, on intact and on broken units.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use agreement::Both;
use agreement::writer::{Writer, lens};
use compressor_api::Format;
use compressor_api::inspect::Malformed;
use provider_libdeflate::factory;

#[path = "../../compressor-deflate/tests/agreement/mod.rs"]
mod agreement;

fn is_overlooked(fault: Malformed) -> bool {
    fault == Malformed::Reserved
}

/// What the crate's documentation says about the difference that is left.
#[test]
fn what_only_zlib_refuses_is_what_the_format_reserves() {
    let a = || Writer::fixed().codeword(0x91, 8);
    let end = |writer: Writer| writer.codeword(0, 7);
    let a_and_end = |count| lens(count, &[(0x61, 1), (256, 1)]);
    let a_end_match = lens(258, &[(0x61, 1), (256, 2), (257, 2)]);
    // Distance symbols 30 and 31 reach back 24,577 bytes at least: 96 matches of 258 come before.
    let mut far = a();
    for _ in 0..96 {
        far = far.codeword(0b1100_0101, 8).codeword(0, 5);
    }
    let streams = [
        end(a().codeword(0b1100_0110, 8).codeword(0, 5)),
        end(a().codeword(0b1100_0111, 8).codeword(0, 5)),
        end(far.codeword(1, 7).codeword(30, 5).number(0, 13)),
        Writer::with_codes(&a_and_end(287), &[0]).number(0b10, 2),
        Writer::with_codes(&a_and_end(257), &[0; 31]).number(0b10, 2),
        Writer::with_codes(&lens(257, &[(256, 1)]), &[0]).number(1, 1),
        Writer::with_codes(&a_end_match, &[1])
            .codeword(0, 1)
            .codeword(0b11, 2)
            .codeword(1, 1)
            .codeword(0b10, 2),
        Writer::with_codes(&a_end_match, &[0])
            .codeword(0, 1)
            .codeword(0b11, 2)
            .codeword(0, 1)
            .codeword(0b10, 2),
    ];
    let mut both = Both::read(Format::DeflateRaw);
    for (at, Writer { bytes, .. }) in streams.into_iter().enumerate() {
        let lax = !both.agree(&bytes, 30_000);
        assert!(lax, "stream {at} is refused, or zlib reads it");
    }
}

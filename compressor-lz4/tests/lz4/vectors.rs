//! Frozen units, and what reading them must give.

use compressor_api::ErrorKind::{self, CorruptInput, OutputTooSmall};
use compressor_api::Format::{self, Lz4Block, Lz4Sized};

use crate::{decompress, decompress_exact};

#[test]
fn frozen_blocks_are_read_as_written() {
    let reads = |unit: &[u8], room, content: &[u8]| assert_reads(Lz4Block, unit, room, content);
    let fails = |unit: &[u8], room, kind| assert_fails(Lz4Block, unit, room, kind);

    reads(b"\x50hello", 5, b"hello");
    reads(b"\x50hello", 64, b"hello");
    fails(b"\x50hello", 4, OutputTooSmall);
    fails(b"\x50hello", 0, OutputTooSmall);
    reads(b"\x00", 0, b"");
    reads(b"\x00", 8, b"");
    reads(
        b"\x10A\x01\x00\xf0\x05BBBBBBBBBBBBBBBBBBBB",
        25,
        b"AAAAABBBBBBBBBBBBBBBBBBBB",
    );
    fails(b"", 0, CorruptInput);
    fails(b"", 8, CorruptInput);
    // A literal run whose length never ends.
    fails(b"\xf0\xff\xff\xff\xff", 64, CorruptInput);
    // Fewer literals than the token says.
    fails(b"\x50ABC", 8, CorruptInput);
    // Ends in a match.
    fails(b"\x10A\x01\x00", 8, CorruptInput);
    // A byte after the block.
    fails(b"\x50hello\x00", 5, CorruptInput);
    // A distance beyond the start of the content.
    fails(
        b"\x10A\x02\x00\xf0\x05BBBBBBBBBBBBBBBBBBBB",
        25,
        CorruptInput,
    );
}

#[test]
fn frozen_sized_blocks_are_read_as_written() {
    let reads = |unit: &[u8], room, content: &[u8]| assert_reads(Lz4Sized, unit, room, content);
    let fails = |unit: &[u8], room, kind| assert_fails(Lz4Sized, unit, room, kind);

    reads(b"\x05\0\0\0\x50hello", 5, b"hello");
    reads(b"\x05\0\0\0\x50hello", 64, b"hello");
    fails(b"\x05\0\0\0\x50hello", 4, OutputTooSmall);
    // What Cassandra writes for a trailing chunk of nothing.
    reads(b"\0\0\0\0\0", 0, b"");
    // A length and no block.
    fails(b"\0\0\0\0", 0, CorruptInput);
    fails(b"\0\0\0", 0, CorruptInput);
    fails(b"", 0, CorruptInput);
    // Lengths that lie, one of them by far.
    fails(b"\x05\0\0\0\x40ABCD", 5, CorruptInput);
    fails(b"\x04\0\0\0\x50hello", 5, CorruptInput);
    fails(b"\x06\0\0\0\x50hello", 6, CorruptInput);
    fails(b"\xff\xff\xff\x7f\0", 5, CorruptInput);
    // A byte after the block.
    fails(b"\x05\0\0\0\x50hello\0", 5, CorruptInput);
}

#[test]
fn an_exact_read_wants_the_exact_length() {
    for (format, unit) in [
        (Lz4Block, &b"\x50hello"[..]),
        (Lz4Sized, b"\x05\0\0\0\x50hello"),
    ] {
        assert_eq!(decompress_exact(format, unit, 5), Ok(b"hello".to_vec()));
        for len in [0, 4, 6, 64] {
            assert_eq!(decompress_exact(format, unit, len), Err(CorruptInput));
        }
    }
}

#[test]
fn a_distance_of_zero_is_refused_or_gives_zeros() {
    let unit = b"\x10A\x00\x00\xf0\x05BBBBBBBBBBBBBBBBBBBB";
    let zeros = b"A\0\0\0\0BBBBBBBBBBBBBBBBBBBB".to_vec();
    let read = decompress(Lz4Block, unit, 25);
    assert!(read == Ok(zeros) || read == Err(CorruptInput), "{read:x?}");
}

#[track_caller]
fn assert_reads(format: Format, unit: &[u8], room: usize, content: &[u8]) {
    assert_eq!(decompress(format, unit, room), Ok(content.to_vec()));
}

#[track_caller]
fn assert_fails(format: Format, unit: &[u8], room: usize, kind: ErrorKind) {
    assert_eq!(decompress(format, unit, room), Err(kind));
}

//! Frozen units, and what reading them must give.

use compressor_api::ErrorKind::{self, CorruptInput, OutputTooSmall};

use crate::{decompress, decompress_exact};

#[test]
fn frozen_units_are_read_as_written() {
    reads(b"\x05\x10hello", 5, b"hello");
    reads(b"\x05\x10hello", 64, b"hello");
    fails(b"\x05\x10hello", 4, OutputTooSmall);
    fails(b"\x05\x10hello", 0, OutputTooSmall);
    reads(b"\x00", 0, b"");
    reads(b"\x00", 8, b"");
    reads(b"\x0c\x00A\x2a\x01\x00", 12, b"AAAAAAAAAAAA");
    // The same length in more bytes than it needs, as the format allows.
    reads(b"\x85\x00\x10hello", 5, b"hello");
    // A distance of four bytes, which snap reads and never writes.
    reads(b"\x05\x00A\x0f\x01\0\0\0", 5, b"AAAAA");

    fails(b"", 0, CorruptInput);
    fails(b"", 8, CorruptInput);
    // Declares 2 GiB: more than so short a block can hold.
    fails(b"\xff\xff\xff\xff\x07", 16, CorruptInput);
    // A length that never ends, or is 2³² and more.
    fails(b"\xff\xff\xff\xff\xff\x01", 16, CorruptInput);
    fails(b"\xff\xff\xff\xff\x1f", 16, CorruptInput);
    fails(b"\x84\0\0", 8, CorruptInput);
    // Less than is declared, and more.
    fails(b"\x05\0A", 8, CorruptInput);
    fails(b"\x06\x10hello", 8, CorruptInput);
    fails(b"\x04\x10hello", 8, CorruptInput);
    fails(b"\x04\x10hello", 2, CorruptInput);
    fails(b"\x06\x10hello", 2, CorruptInput);
    // Bytes after the block: an element more, or the start of one.
    fails(b"\x05\x10hello\0", 8, CorruptInput);
    fails(b"\x05\x10hello\0A", 8, CorruptInput);
    fails(b"\x05\x10hello\x01\x01", 8, CorruptInput);
    fails(b"\x00\x00", 8, CorruptInput);
    // A distance of zero, and one beyond the start of the content.
    fails(b"\x05\x00A\x01\x00", 8, CorruptInput);
    fails(b"\x05\x00A\x01\x02", 8, CorruptInput);
}

#[test]
fn an_exact_read_wants_the_exact_length() {
    let unit = b"\x05\x10hello";
    assert_eq!(decompress_exact(unit, 5), Ok(b"hello".to_vec()));
    for len in [0, 4, 6, 64] {
        assert_eq!(decompress_exact(unit, len), Err(CorruptInput));
    }
}

#[track_caller]
fn reads(unit: &[u8], room: usize, content: &[u8]) {
    assert_eq!(decompress(unit, room), Ok(content.to_vec()));
}

#[track_caller]
fn fails(unit: &[u8], room: usize, kind: ErrorKind) {
    assert_eq!(decompress(unit, room), Err(kind));
}

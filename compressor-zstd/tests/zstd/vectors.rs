//! Frozen units and what must become of them.

use compressor_api::ErrorKind::{self, CorruptInput, OutputTooSmall, Unsupported, WrongDictionary};

use crate::common::{compressor, decompress_kind, spec};

const VECTORS: &[(&str, usize, Result<&str, ErrorKind>)] = &[
    // One raw block with its checksum.
    ("28b52ffd240529000068656c6c6fa36d9f88", 5, Ok("hello")),
    ("28b52ffd240529000068656c6c6fa36d9f88", 9, Ok("hello")),
    (
        "28b52ffd240529000068656c6c6fa36d9f88",
        4,
        Err(OutputTooSmall),
    ),
    (
        "28b52ffd240529000068656c6c6fa36d9f88",
        0,
        Err(OutputTooSmall),
    ),
    ("28b52ffd240529000068656c6c6fa36d9f", 5, Err(CorruptInput)),
    ("28b52ffd240529000068656c6c6fa36d9f89", 5, Err(CorruptInput)),
    (
        "28b52ffd240529000068656c6c6fa36d9f8800",
        5,
        Err(CorruptInput),
    ),
    // Without a checksum: nobody here writes it, everybody reads it.
    ("28b52ffd200529000068656c6c6f", 5, Ok("hello")),
    ("28b52ffd200529000068656c6c6f", 4, Err(OutputTooSmall)),
    // Nothing.
    ("28b52ffd240001000099e9d851", 0, Ok("")),
    ("28b52ffd240001000099e9d851", 7, Ok("")),
    ("28b52ffd2000010000", 0, Ok("")),
    // One block that stands for five bytes.
    ("28b52ffd20052b000061", 5, Ok("aaaaa")),
    // Two raw blocks, and an empty one.
    ("28b52ffd200510000068651900006c6c6f", 5, Ok("hello")),
    ("28b52ffd200528000068656c6c6f010000", 5, Ok("hello")),
    // No content size: a window of 1 KiB, of 2 GiB, and one that no 64-bit libzstd addresses.
    ("28b52ffd000029000068656c6c6f", 5, Ok("hello")),
    ("28b52ffd000029000068656c6c6f", 6, Ok("hello")),
    ("28b52ffd000029000068656c6c6f", 4, Err(OutputTooSmall)),
    ("28b52ffd00a829000068656c6c6f", 5, Ok("hello")),
    ("28b52ffd00b029000068656c6c6f", 5, Err(Unsupported)),
    // The declared length lies: 4, 6, 255, 2^63 + 5.
    ("28b52ffd200429000068656c6c6f", 5, Err(CorruptInput)),
    ("28b52ffd200629000068656c6c6f", 9, Err(CorruptInput)),
    ("28b52ffd20ff29000068656c6c6f", 5, Err(CorruptInput)),
    (
        "28b52ffde0050000000000008029000068656c6c6f",
        5,
        Err(CorruptInput),
    ),
    // Dictionary 7.
    ("28b52ffd21070529000068656c6c6f", 5, Err(WrongDictionary)),
    // Dictionary 0 is none.
    ("28b52ffd21000529000068656c6c6f", 5, Ok("hello")),
    // Reserved: a bit of the descriptor, a type of block.
    ("28b52ffd280529000068656c6c6f", 5, Err(CorruptInput)),
    ("28b52ffd20052f000068656c6c6f", 5, Err(CorruptInput)),
    // A block that reaches beyond the unit; a last block that never comes.
    ("28b52ffd200631000068656c6c6f", 9, Err(CorruptInput)),
    ("28b52ffd200528000068656c6c6f", 5, Err(CorruptInput)),
    // No unit: skippable frame, the frame of version 0.7, gzip, nothing.
    ("502a4d1804000000aabbccdd", 5, Err(CorruptInput)),
    ("27b52ffd240529000068656c6c6fa36d9f88", 5, Err(CorruptInput)),
    (
        "1f8b0800000000000003cb48cdc9c9070086a6103605000000",
        5,
        Err(CorruptInput),
    ),
    ("", 0, Err(CorruptInput)),
    ("", 5, Err(CorruptInput)),
];

#[test]
fn units_become_what_they_must() {
    let compressor = compressor(&spec(3));
    for (hex, len, expected) in VECTORS {
        let decoded = decompress_kind(&*compressor, &unhex(hex), *len);
        let expected = expected.map(|text| text.as_bytes().to_vec());
        assert_eq!(decoded, expected, "{hex} into {len}");
    }
}

#[test]
fn exact_decoding_wants_the_very_length() {
    let compressor = compressor(&spec(3));
    let mut session = compressor.decompress_session().unwrap();
    let unit = unhex("28b52ffd240529000068656c6c6fa36d9f88");
    let mut exact = |len| {
        let result = session.decompress_exact(&unit, &mut vec![0; len]);
        result.map_err(|error| error.kind())
    };
    assert_eq!(exact(5), Ok(()));
    assert_eq!(exact(4), Err(CorruptInput));
    assert_eq!(exact(6), Err(CorruptInput));
}

fn unhex(hex: &str) -> Vec<u8> {
    let digit = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

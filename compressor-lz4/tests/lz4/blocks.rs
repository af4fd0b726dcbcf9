//! Blocks built by hand against a decoder that does one byte at a time: every way through liblz4's
//! decoder, and no byte back that the block does not say.

use compressor_api::{ErrorKind, Format, inspect};
use proptest::prelude::*;

use crate::{FORMATS, decompress};

/// One match after some literals.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    literals: usize,
    distance: usize,
    length: usize,
}

/// A block of these sequences and `last` literals, and its content. A match of distance 0 stands
/// for zeros.
fn block(sequences: &[Sequence], last: usize) -> (Vec<u8>, Vec<u8>) {
    let mut block = Vec::new();
    let mut content: Vec<u8> = Vec::new();
    let mut literal = (1..=250_u8).cycle();
    for sequence in sequences {
        let literals: Vec<u8> = literal.by_ref().take(sequence.literals).collect();
        token(&mut block, literals.len(), sequence.length - 4);
        block.extend(length_bytes(literals.len()));
        block.extend(&literals);
        block.extend(u16::try_from(sequence.distance).unwrap().to_le_bytes());
        block.extend(length_bytes(sequence.length - 4));
        content.extend(&literals);
        for _ in 0..sequence.length {
            content.push(match sequence.distance {
                0 => 0,
                distance => content[content.len() - distance],
            });
        }
    }
    let literals: Vec<u8> = literal.by_ref().take(last).collect();
    token(&mut block, last, 0);
    block.extend(length_bytes(last));
    block.extend(&literals);
    content.extend(literals);
    (block, content)
}

fn token(block: &mut Vec<u8>, literals: usize, length: usize) {
    block.push(u8::try_from(literals.min(15) << 4 | length.min(15)).unwrap());
}

/// What follows a field of four bits that is full.
fn length_bytes(length: usize) -> Vec<u8> {
    let Some(rest) = length.checked_sub(15) else {
        return Vec::new();
    };
    let mut bytes = vec![255; rest / 255];
    bytes.push(u8::try_from(rest % 255).unwrap());
    bytes
}

/// Lengths on both sides of every limit in the decoder: 15 and 19 for a full token, 8, 16, 18 and
/// 32 for its copies, 64 for the room that its fast loop wants, 270 for a second length byte.
const LITERALS: &[usize] = &[
    0, 1, 3, 7, 8, 9, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 269, 270, 300,
];
const MATCHES: &[usize] = &[
    4, 5, 7, 8, 9, 12, 15, 16, 17, 18, 19, 20, 24, 31, 32, 33, 47, 63, 64, 65, 100, 273, 274, 600,
];
/// At least 5, and enough that the last match starts 12 bytes before the end.
const LAST: &[usize] = &[5, 8, 12, 13, 15, 16, 31, 32, 64, 100];
const SLACK: &[usize] = &[0, 1, 7, 8, 12, 31, 32, 63, 64, 65, 128];

#[test]
fn a_distance_of_zero_never_brings_back_what_was_in_dst() {
    let mut read = 0;
    for literals in LITERALS {
        for length in MATCHES {
            let zeros = Sequence {
                literals: *literals,
                distance: 0,
                length: *length,
            };
            for last in LAST {
                let (block, content) = block(&[zeros], *last);
                for slack in SLACK {
                    match decompress(Format::Lz4Block, &block, content.len() + slack) {
                        Ok(bytes) => {
                            assert_eq!(bytes, content, "{zeros:?}, {last} last, {slack} spare");
                            read += 1;
                        }
                        Err(kind) => assert_eq!(kind, ErrorKind::CorruptInput, "{zeros:?}"),
                    }
                }
            }
        }
    }
    // As liblz4 1.10.0 does: a version that refuses them needs no test of what it reads.
    assert!(read > 0, "every block was refused");
}

fn sequences() -> impl Strategy<Value = Vec<(Sequence, usize)>> {
    let literals = prop_oneof![4 => 0_usize..20, 1 => 0_usize..400];
    // Distances are drawn as a share of what is there, near ones and 0 more often.
    let distance = prop_oneof![1 => Just(0_usize), 4 => 1_usize..40, 2 => 1_usize..5_000];
    let length = prop_oneof![4 => 4_usize..24, 2 => 4_usize..80, 1 => 4_usize..2_000];
    let sequence = (literals, distance, length, 0_usize..130).prop_map(
        |(literals, distance, length, slack)| {
            let sequence = Sequence {
                literals,
                distance,
                length,
            };
            (sequence, slack)
        },
    );
    prop::collection::vec(sequence, 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn blocks_are_read_as_the_format_says(
        drawn in sequences(),
        last in 12_usize..100,
        zeros: bool,
    ) {
        let mut produced = 0;
        let mut slack = 0;
        let mut sequences = Vec::new();
        for (mut sequence, spare) in drawn {
            produced += sequence.literals;
            sequence.distance = sequence.distance.min(produced);
            if sequence.distance == 0 && !zeros {
                if produced == 0 {
                    continue;
                }
                sequence.distance = 1;
            }
            produced += sequence.length;
            slack = spare;
            sequences.push(sequence);
        }
        let has_zeros = sequences.iter().any(|sequence| sequence.distance == 0);
        let (block, content) = block(&sequences, last);
        let read = decompress(Format::Lz4Block, &block, content.len() + slack);
        if has_zeros && read == Err(ErrorKind::CorruptInput) {
            return Ok(());
        }
        prop_assert_eq!(read.as_ref(), Ok(&content));
        if !has_zeros {
            prop_assert_eq!(inspect::lz4::content_len(&block), Ok(content.len() as u64));
            let less = decompress(Format::Lz4Block, &block, content.len() - 1);
            prop_assert_eq!(less, Err(ErrorKind::OutputTooSmall));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic_nor_bring_back_what_was_in_dst(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        room in 0_usize..600,
    ) {
        for format in FORMATS {
            // The harness compares two reads over different bytes.
            let _ = decompress(format, &bytes, room);
        }
    }
}

//! Blocks built by hand against a decoder that does one byte at a time: every way through snap's
//! decoder, and no byte back that the block does not say.

use compressor_api::{ErrorKind, inspect};
use proptest::prelude::*;

use crate::{cases, decompress};

#[derive(Clone, Copy, Debug)]
enum Element {
    Literal {
        len: usize,
    },
    Copy {
        len: usize,
        distance: usize,
        width: usize,
    },
}

/// A block of these elements, and its content. Distances are cut to what is there.
fn block(elements: &[Element]) -> (Vec<u8>, Vec<u8>) {
    let mut body = Vec::new();
    let mut content: Vec<u8> = Vec::new();
    let mut literal = (1..=250_u8).cycle();
    for element in elements {
        match *element {
            Element::Literal { len } => {
                literal_tag(&mut body, len);
                let bytes: Vec<u8> = literal.by_ref().take(len).collect();
                body.extend(&bytes);
                content.extend(&bytes);
            }
            Element::Copy { .. } if content.is_empty() => {}
            Element::Copy {
                len,
                distance,
                width,
            } => {
                let distance = distance.min(content.len());
                let tag = u8::try_from((len - 1) << 2).unwrap();
                match width {
                    1 if (4..=11).contains(&len) && distance < 2_048 => {
                        let upper = u8::try_from(distance >> 8 << 5 | (len - 4) << 2).unwrap();
                        body.extend([upper | 1, u8::try_from(distance & 0xFF).unwrap()]);
                    }
                    1 | 2 => {
                        body.push(tag | 2);
                        body.extend(u16::try_from(distance).unwrap().to_le_bytes());
                    }
                    _ => {
                        body.push(tag | 3);
                        body.extend(u32::try_from(distance).unwrap().to_le_bytes());
                    }
                }
                for _ in 0..len {
                    content.push(content[content.len() - distance]);
                }
            }
        }
    }
    let mut block = Vec::new();
    let mut rest = content.len();
    while rest >= 128 {
        block.push(u8::try_from(rest % 128).unwrap() | 128);
        rest /= 128;
    }
    block.push(u8::try_from(rest).unwrap());
    block.extend(body);
    (block, content)
}

fn literal_tag(body: &mut Vec<u8>, len: usize) {
    let less = len - 1;
    if less < 60 {
        body.push(u8::try_from(less << 2).unwrap());
    } else {
        let bytes = less.to_le_bytes();
        let width = if less < 256 { 1 } else { 2 };
        body.push(u8::try_from((59 + width) << 2).unwrap());
        body.extend(&bytes[..width]);
    }
}

fn elements() -> impl Strategy<Value = Vec<Element>> {
    let literal = prop_oneof![3 => 1_usize..20, 1 => 1_usize..70, 1 => 1_usize..400];
    let distance = prop_oneof![4 => 1_usize..40, 1 => 1_usize..5_000];
    let copy = (1_usize..=64, distance, 1_usize..=3);
    let element = prop_oneof![
        literal.prop_map(|len| Element::Literal { len }),
        copy.prop_map(|(len, distance, width)| Element::Copy {
            len,
            distance,
            width
        }),
    ];
    prop::collection::vec(element, 0..40)
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn blocks_are_read_as_the_format_says(elements in elements(), slack in 0_usize..64) {
        let (block, content) = block(&elements);
        let read = decompress(&block, content.len() + slack);
        prop_assert_eq!(read.as_ref(), Ok(&content));
        prop_assert_eq!(inspect::snappy::content_len(&block), Ok(content.len() as u64));
        if let Some(less) = content.len().checked_sub(1) {
            let result = decompress(&block, less);
            prop_assert_eq!(result, Err(ErrorKind::OutputTooSmall));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic_nor_bring_back_what_was_in_dst(
        declared in 0_u8..128,
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        room in 0_usize..200,
    ) {
        // One byte of length in front, or most would end there.
        let declares = [&[declared][..], &bytes].concat();
        for unit in [&bytes, &declares] {
            let read = decompress(unit, room);
            prop_assert!(read.is_ok() || read != Err(ErrorKind::Device));
            if let Ok(content) = read {
                prop_assert_eq!(inspect::snappy::content_len(unit), Ok(content.len() as u64));
            }
        }
    }
}

//! The raw Snappy format: a varint length, then elements.

use super::{Header, Malformed};

/// Most bytes that the length takes: it is less than 2³².
const MAX_VARINT: usize = 5;

pub(super) fn header(src: &[u8]) -> Result<Header, Malformed> {
    let (declared, len) = declared_len(src)?;
    Ok(Header {
        len,
        declared_len: Some(declared),
        // A copy may reach back over all of the content.
        window: None,
        checksum: false,
        dictionary_id: None,
    })
}

fn declared_len(src: &[u8]) -> Result<(u64, usize), Malformed> {
    let mut value = 0_u64;
    for (at, byte) in src.iter().take(MAX_VARINT).enumerate() {
        value |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            return if value <= u64::from(u32::MAX) {
                Ok((value, at + 1))
            } else {
                Err(Malformed::Reserved)
            };
        }
    }
    Err(if src.len() < MAX_VARINT {
        Malformed::Truncated
    } else {
        Malformed::Reserved
    })
}

/// The decompressed length of one raw block, found by walking its elements without their content.
///
/// Takes a few nanoseconds an element, so it is for telling failures apart, not for every call.
///
/// # Errors
///
/// [`Malformed`], if the elements do not add up to exactly the declared length, or a copy reaches
/// outside the content before it.
pub fn content_len(src: &[u8]) -> Result<u64, Malformed> {
    let (declared, header_len) = declared_len(src)?;
    let mut rest = src.get(header_len..).ok_or(Malformed::Truncated)?;
    let mut content = 0_u64;
    while let Some((tag, after)) = rest.split_first() {
        let upper = u64::from(tag >> 2);
        let (extra, length, distance) = match tag & 3 {
            0 if upper < 60 => (
                usize::try_from(upper + 1).unwrap_or(usize::MAX),
                upper + 1,
                None,
            ),
            0 => {
                let width = usize::from(tag >> 2) - 59;
                let length = little_endian(after, width)? + 1;
                let extra = usize::try_from(length).unwrap_or(usize::MAX);
                (extra.saturating_add(width), length, None)
            }
            1 => (
                1,
                (upper & 7) + 4,
                Some(upper >> 3 << 8 | little_endian(after, 1)?),
            ),
            2 => (2, upper + 1, Some(little_endian(after, 2)?)),
            _ => (4, upper + 1, Some(little_endian(after, 4)?)),
        };
        if distance.is_some_and(|distance| distance == 0 || distance > content) {
            return Err(Malformed::OutOfBounds);
        }
        rest = after.get(extra..).ok_or(Malformed::OutOfBounds)?;
        content += length;
        if content > declared {
            return Err(Malformed::Length);
        }
    }
    if content == declared {
        Ok(content)
    } else {
        Err(Malformed::Length)
    }
}

fn little_endian(src: &[u8], width: usize) -> Result<u64, Malformed> {
    let mut value = [0; 8];
    let field = src.get(..width).ok_or(Malformed::Truncated)?;
    value
        .iter_mut()
        .zip(field)
        .for_each(|(to, from)| *to = *from);
    Ok(u64::from_le_bytes(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_a_varint_below_2_to_the_32() {
        assert_eq!(declared_len(b"\0"), Ok((0, 1)));
        assert_eq!(declared_len(b"\xfe\xff\x7f"), Ok((2_097_150, 3)));
        assert_eq!(
            declared_len(b"\xff\xff\xff\xff\x0f"),
            Ok((u64::from(u32::MAX), 5))
        );
        assert_eq!(
            declared_len(b"\xff\xff\xff\xff\x1f"),
            Err(Malformed::Reserved)
        );
        assert_eq!(
            declared_len(b"\xff\xff\xff\xff\x8f\0"),
            Err(Malformed::Reserved)
        );
        assert_eq!(declared_len(b""), Err(Malformed::Truncated));
        assert_eq!(declared_len(b"\x80"), Err(Malformed::Truncated));
        assert_eq!(declared_len(&[0x80; 4]), Err(Malformed::Truncated));
        assert_eq!(declared_len(&[0x80; 5]), Err(Malformed::Reserved));
    }

    #[test]
    fn elements_add_up() {
        assert_eq!(content_len(b"\0"), Ok(0));
        assert_eq!(content_len(b"\x05\x10hello"), Ok(5));
        assert_eq!(content_len(b"\x0c\x00A\x2a\x01\x00"), Ok(12));
        assert_eq!(content_len(b"\x05\x00A\x01\x01"), Ok(5));
        assert_eq!(content_len(b"\x05\x00A\x0f\x01\0\0\0"), Ok(5));
        assert_eq!(
            content_len(&[&[61, 0xF0, 60][..], &[7; 61]].concat()),
            Ok(61)
        );
    }

    #[test]
    fn a_distance_has_its_high_bits_in_the_tag() {
        // 260 literals, then a copy of 4 bytes from 256 back and as many more as `low` says.
        let copy = |low| [&b"\x88\x02\xf4\x03\x01"[..], &[7; 260], &[0x21, low]].concat();
        assert_eq!(content_len(&copy(4)), Ok(264));
        assert_eq!(content_len(&copy(5)), Err(Malformed::OutOfBounds));
    }

    #[test]
    fn each_fault_has_its_name() {
        for (block, fault) in [
            (&b"\x84\0\0"[..], Malformed::OutOfBounds),
            (b"\x05\x00A", Malformed::Length),
            (b"\x05\x10hello\0", Malformed::OutOfBounds),
            (b"\x04\x10hello", Malformed::Length),
            (b"\x06\x10hello", Malformed::Length),
            (b"\x05\x00A\x01\x02", Malformed::OutOfBounds),
            (b"\x05\x00A\x01\x00", Malformed::OutOfBounds),
            (b"\x05\x00A\x02\x01", Malformed::Truncated),
            (b"\x05\xfc\xff\xff", Malformed::Truncated),
        ] {
            assert_eq!(content_len(block), Err(fault), "{block:x?}");
        }
    }
}

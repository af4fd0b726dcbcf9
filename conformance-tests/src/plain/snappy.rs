//! The raw Snappy format.

use super::matches::find;
use super::{Content, Reading};

/// As far back as encoders go by custom; the format allows more.
const CUSTOMARY_DISTANCE: usize = 65_535;

/// Longest copy that one element can say.
const MAX_COPY: usize = 64;

pub(super) fn read(src: &[u8], limit: usize) -> Result<Content, Reading> {
    let mut content = Content::default();
    let nothing = Reading::Corrupt { produced: 0 };
    let (declared, header) = varint(src).ok_or(nothing.clone())?;
    let mut rest = src.get(header..).ok_or(nothing)?;
    // Content beyond the declared length is corrupt, not too long.
    let room = limit.min(declared);
    let over = |content: &Content, reading| match reading {
        Reading::TooLong if declared <= limit => content.corrupt(),
        other => other,
    };
    while let Some((tag, after)) = rest.split_first() {
        let corrupt = || content.corrupt();
        let upper = usize::from(tag >> 2);
        if tag & 3 == 0 {
            let (len, after) = match upper.checked_sub(59).filter(|width| *width > 0) {
                None => (upper, after),
                Some(width) => little_endian(after, width).ok_or_else(corrupt)?,
            };
            let (literals, after) = after.split_at_checked(len + 1).ok_or_else(corrupt)?;
            rest = after;
            let done = content.literals(literals, room);
            done.map_err(|reading| over(&content, reading))?;
        } else {
            let (distance, length, after) = match tag & 3 {
                1 => {
                    let (low, after) = little_endian(after, 1).ok_or_else(corrupt)?;
                    (upper >> 3 << 8 | low, (upper & 7) + 4, after)
                }
                2 => {
                    let (distance, after) = little_endian(after, 2).ok_or_else(corrupt)?;
                    (distance, upper + 1, after)
                }
                _ => {
                    let (distance, after) = little_endian(after, 4).ok_or_else(corrupt)?;
                    (distance, upper + 1, after)
                }
            };
            rest = after;
            let done = content.copy(distance, length, room);
            done.map_err(|reading| over(&content, reading))?;
        }
    }
    if content.bytes.len() != declared {
        return Err(content.corrupt());
    }
    let shortest = varint_of(declared).len();
    if header != shortest {
        // Padded with zero bits, which the format neither allows nor forbids.
        return Err(Reading::Lax(content));
    }
    Ok(content)
}

/// The declared length, and how many bytes say it.
fn varint(src: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_u64;
    for (at, byte) in src.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7F) << (7 * at);
        if byte & 0x80 == 0 {
            let value = u32::try_from(value).ok()?;
            return Some((value as usize, at + 1));
        }
    }
    None
}

fn varint_of(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn little_endian(src: &[u8], width: usize) -> Option<(usize, &[u8])> {
    let (field, after) = src.split_at_checked(width)?;
    let value = field
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | usize::from(*byte));
    Some((value, after))
}

pub(super) fn write(content: &[u8], window: usize) -> Vec<u8> {
    let mut unit = varint_of(content.len());
    let (sequences, tail) = find(content, window.min(CUSTOMARY_DISTANCE));
    for sequence in sequences {
        literals(sequence.literals, &mut unit);
        copies(sequence.distance, sequence.length, &mut unit);
    }
    literals(tail, &mut unit);
    unit
}

/// See [`write_distant`](super::write_distant).
pub(super) fn write_distant(content: &[u8], distance: usize) -> Option<Vec<u8>> {
    let (first, repeated) = content.split_at_checked(distance)?;
    let mut unit = varint_of(content.len());
    literals(first, &mut unit);
    copies(distance, repeated.len(), &mut unit);
    Some(unit)
}

fn literals(bytes: &[u8], unit: &mut Vec<u8>) {
    let Some(len) = bytes.len().checked_sub(1) else {
        return;
    };
    match len {
        0..60 => unit.push((len as u8) << 2),
        60..0x100 => unit.extend_from_slice(&[60 << 2, len as u8]),
        0x100..0x1_0000 => {
            unit.push(61 << 2);
            unit.extend_from_slice(&(len as u16).to_le_bytes());
        }
        _ => {
            unit.push(63 << 2);
            unit.extend_from_slice(&(len as u32).to_le_bytes());
        }
    }
    unit.extend_from_slice(bytes);
}

fn copies(distance: usize, mut length: usize, unit: &mut Vec<u8>) {
    while length > 0 {
        let part = length.min(MAX_COPY);
        let upper = (part as u8 - 1) << 2;
        match u16::try_from(distance) {
            Ok(distance) => {
                unit.push(upper | 2);
                unit.extend_from_slice(&distance.to_le_bytes());
            }
            Err(_) => {
                unit.push(upper | 3);
                unit.extend_from_slice(&(distance as u32).to_le_bytes());
            }
        }
        length -= part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_is_read() {
        for (unit, content) in [
            (&b"\0"[..], &b""[..]),
            (b"\x05\x10hello", b"hello"),
            (b"\x05\x00A\x01\x01", b"AAAAA"),
            (b"\x0c\x00A\x2a\x01\x00", b"AAAAAAAAAAAA"),
            (b"\x05\x00A\x0f\x01\0\0\0", b"AAAAA"),
            (b"\x02\xf0\x01AB", b"AB"),
        ] {
            assert_eq!(read(unit, 100).unwrap().bytes, content, "{unit:x?}");
        }
    }

    #[test]
    fn what_cannot_be_is_corrupt() {
        for unit in [
            &b""[..],
            b"\x80",
            b"\x84\0\0",
            b"\x05\x00A",
            b"\x05\x10hello\0",
            b"\x04\x10hello",
            b"\x06\x10hello",
            b"\x05\x00A\x01\x02",
            b"\x05\x00A\x01\x00",
            b"\xff\xff\xff\xff\x1f",
        ] {
            assert!(
                matches!(read(unit, 100), Err(Reading::Corrupt { .. })),
                "{unit:x?}"
            );
        }
    }
}

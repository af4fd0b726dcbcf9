//! The LZ4 block format.

use super::matches::{Sequence, find};
use super::{Content, Reading};

/// Largest distance that two bytes can say.
const MAX_DISTANCE: usize = 65_535;

/// What a match is longer than its length field says.
const MIN_MATCH: usize = 4;

/// The format's end conditions: the last bytes are literals, and no match starts this near the end.
const LAST_LITERALS: usize = 5;
const LAST_START: usize = 12;

pub(super) fn read(src: &[u8], limit: usize) -> Result<Content, Reading> {
    let mut content = Content::default();
    let mut lax = false;
    let mut last_match: Option<(usize, usize)> = None;
    let mut rest = src;
    loop {
        let corrupt = || content.corrupt();
        let (token, after) = rest.split_first().ok_or_else(corrupt)?;
        rest = after;
        let literals = length(token >> 4, &mut rest).ok_or_else(corrupt)?;
        let (literals, after) = rest.split_at_checked(literals).ok_or_else(corrupt)?;
        rest = after;
        content.literals(literals, limit)?;
        if rest.is_empty() {
            // The last sequence has no match, so a length for it says nothing.
            lax |= token & 0x0F != 0;
            break;
        }
        let corrupt = || content.corrupt();
        let (distance, after) = rest.split_first_chunk::<2>().ok_or_else(corrupt)?;
        rest = after;
        let length = length(token & 0x0F, &mut rest).ok_or_else(corrupt)? + MIN_MATCH;
        let start = content.bytes.len();
        match usize::from(u16::from_le_bytes(*distance)) {
            // Not a distance. The reference library takes it, and gives zeros.
            0 => {
                lax = true;
                if length > limit.saturating_sub(start) {
                    return Err(Reading::TooLong);
                }
                content.bytes.resize(start + length, 0);
            }
            distance => content.copy(distance, length, limit)?,
        }
        last_match = Some((start, content.bytes.len()));
    }
    let len = content.bytes.len();
    lax |= last_match
        .is_some_and(|(start, end)| start + LAST_START > len || end + LAST_LITERALS > len);
    if lax {
        Err(Reading::Lax(content))
    } else {
        Ok(content)
    }
}

/// A length that starts in four bits and goes on in bytes of 255.
fn length(nibble: u8, rest: &mut &[u8]) -> Option<usize> {
    let mut length = usize::from(nibble);
    if nibble == 15 {
        loop {
            let (byte, after) = rest.split_first()?;
            *rest = after;
            length += usize::from(*byte);
            if *byte != 255 {
                break;
            }
        }
    }
    Some(length)
}

pub(super) fn write(content: &[u8], window: usize) -> Vec<u8> {
    let (sequences, tail) = find(content, window.min(MAX_DISTANCE));
    block(&sequences, tail)
}

/// See [`write_distant`](super::write_distant).
pub(super) fn write_distant(content: &[u8], distance: usize) -> Option<Vec<u8>> {
    if !(1..=MAX_DISTANCE).contains(&distance) {
        return None;
    }
    let (literals, repeated) = content.split_at_checked(distance)?;
    let (matched, tail) = repeated.split_at_checked(repeated.len().checked_sub(LAST_START)?)?;
    let sequence = Sequence {
        literals,
        distance,
        length: matched.len(),
    };
    Some(block(&[sequence], tail))
}

/// A block from its parts.
fn block(sequences: &[Sequence<'_>], tail: &[u8]) -> Vec<u8> {
    let mut unit = Vec::new();
    for sequence in sequences {
        let length = sequence.length - MIN_MATCH;
        unit.push(nibble(sequence.literals.len()) << 4 | nibble(length));
        extend(sequence.literals.len(), &mut unit);
        unit.extend_from_slice(sequence.literals);
        // Distances are at most MAX_DISTANCE.
        unit.extend_from_slice(&(sequence.distance as u16).to_le_bytes());
        extend(length, &mut unit);
    }
    unit.push(nibble(tail.len()) << 4);
    extend(tail.len(), &mut unit);
    unit.extend_from_slice(tail);
    unit
}

fn nibble(length: usize) -> u8 {
    length.min(15) as u8
}

fn extend(length: usize, unit: &mut Vec<u8>) {
    if let Some(mut left) = length.checked_sub(15) {
        while left >= 255 {
            unit.push(255);
            left -= 255;
        }
        unit.push(left as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_of_0_is_refused_or_gives_zeros() {
        let block = b"\x10A\x00\x00\xf0\x05BBBBBBBBBBBBBBBBBBBB";
        let Err(Reading::Lax(content)) = read(block, 100) else {
            panic!("not lax");
        };
        assert_eq!(&content.bytes[..6], b"A\0\0\0\0B");
    }

    #[test]
    fn the_end_conditions_are_enforced_by_some() {
        // A match right before the last literal.
        assert!(matches!(
            read(b"\x10A\x01\x00\x10B", 100),
            Err(Reading::Lax(_))
        ));
        // A match length after the last literals.
        assert!(matches!(read(b"\x51hello", 100), Err(Reading::Lax(_))));
    }

    #[test]
    fn what_cannot_be_is_corrupt() {
        for block in [
            &b""[..],
            b"\x50hell",
            b"\xf0\xff\xff\xff\xff",
            b"\x10A\x01",
            b"\x10A\x01\x00",
            b"\x10A\x02\x00\x00",
        ] {
            assert!(
                matches!(read(block, 100), Err(Reading::Corrupt { .. })),
                "{block:x?}"
            );
        }
    }
}

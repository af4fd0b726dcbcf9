//! RFC 1952: one member's header, its optional fields, and the length at its end.

use super::{DEFLATE_WINDOW, Header, Malformed, bytes};
use crate::Format;

const FHCRC: u8 = 1 << 1;
const FEXTRA: u8 = 1 << 2;
const FNAME: u8 = 1 << 3;
const FCOMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

pub(super) fn header(src: &[u8]) -> Result<Header, Malformed> {
    let [id1, id2, method] = bytes(src, 0)?;
    if [id1, id2, method] != [0x1F, 0x8B, 8] {
        return Err(Malformed::Magic);
    }
    let fixed: [u8; 10] = bytes(src, 0)?;
    let [.., flags, _, _, _, _, _, _] = fixed;
    if flags & RESERVED != 0 {
        return Err(Malformed::Reserved);
    }
    let mut len = fixed.len();
    if flags & FEXTRA != 0 {
        len += 2 + usize::from(u16::from_le_bytes(bytes(src, len)?));
    }
    for text in [FNAME, FCOMMENT] {
        if flags & text != 0 {
            len += zero_terminated(src.get(len..).ok_or(Malformed::Truncated)?)?;
        }
    }
    if flags & FHCRC != 0 {
        let covered = src.get(..len).ok_or(Malformed::Truncated)?;
        let stored = u16::from_le_bytes(bytes(src, len)?);
        // The low half of the CRC-32 over all of the header before it.
        if crc32fast::hash(covered) & 0xFFFF != u32::from(stored) {
            return Err(Malformed::Checksum);
        }
        len += 2;
    }
    if len > src.len() {
        return Err(Malformed::Truncated);
    }
    Ok(Header {
        len,
        declared_len: declared_len(src, len),
        window: Some(DEFLATE_WINDOW),
        checksum: true,
        dictionary_id: None,
    })
}

/// Length of a text with its terminating zero.
fn zero_terminated(src: &[u8]) -> Result<usize, Malformed> {
    src.iter()
        .position(|byte| *byte == 0)
        .map(|at| at + 1)
        .ok_or(Malformed::Truncated)
}

/// The last four bytes of a member: its length modulo 2³². `None` where that leaves a doubt.
fn declared_len(src: &[u8], header_len: usize) -> Option<u64> {
    let body = src.get(header_len..)?;
    let most = Format::Gzip
        .max_expansion()?
        .checked_mul(body.len() as u64)?;
    if most > u64::from(u32::MAX) {
        return None;
    }
    // Shorter than a trailer: truncated, which the decoder reports.
    let (_, trailer) = body.split_last_chunk::<8>()?;
    let [.., a, b, c, d] = *trailer;
    Some(u64::from(u32::from_le_bytes([a, b, c, d])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A member of "abc" with the given flags and optional fields.
    fn member(flags: u8, fields: &[u8]) -> Vec<u8> {
        let mut unit = vec![0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 255];
        unit.extend_from_slice(fields);
        unit.extend_from_slice(b"\x4b\x4c\x4a\x06\x00");
        unit.extend_from_slice(&crc32fast::hash(b"abc").to_le_bytes());
        unit.extend_from_slice(&3_u32.to_le_bytes());
        unit
    }

    #[test]
    fn optional_fields_are_part_of_the_header() {
        for (flags, fields) in [
            (0, &b""[..]),
            (FEXTRA, b"\x03\x00xyz"),
            (FNAME, b"name\0"),
            (FCOMMENT, b"\0"),
            (FEXTRA | FNAME | FCOMMENT | 1, b"\x00\x00n\0comment\0"),
        ] {
            let header = header(&member(flags, fields)).unwrap();
            assert_eq!(header.len, 10 + fields.len());
            assert_eq!(header.declared_len, Some(3));
        }
    }

    #[test]
    fn a_header_alone_declares_nothing() {
        let header = header(&member(0, b"")[..10]).unwrap();
        assert_eq!((header.len, header.declared_len), (10, None));
    }

    #[test]
    fn a_length_that_may_have_wrapped_is_in_doubt() {
        // Deflate makes at most 1,032 times as much of a byte.
        let surely = u32::MAX as usize / 1_032;
        for (body, declared) in [(surely, Some(0)), (surely + 1, None)] {
            let unit = [&member(0, b"")[..10], &vec![0; body]].concat();
            assert_eq!(header(&unit).unwrap().declared_len, declared, "{body}");
        }
    }

    #[test]
    fn the_checksum_over_the_header_counts() {
        let plain = member(FHCRC | FNAME, b"n\0");
        let crc = crc32fast::hash(&plain[..12]) as u16;
        let with = |crc: u16| member(FHCRC | FNAME, &[b"n\0", &crc.to_le_bytes()[..]].concat());
        assert_eq!(header(&with(crc)).unwrap().len, 14);
        assert_eq!(header(&with(crc ^ 1)), Err(Malformed::Checksum));
    }

    #[test]
    fn each_fault_has_its_name() {
        assert_eq!(header(b"\x1f\x8b"), Err(Malformed::Truncated));
        assert_eq!(header(b"\x1f\x8c\x08"), Err(Malformed::Magic));
        assert_eq!(header(&member(0x20, b"")), Err(Malformed::Reserved));
        assert_eq!(
            header(b"\x1f\x8b\x08\x04\0\0\0\0\0\0\xff\xff"),
            Err(Malformed::Truncated)
        );
        assert_eq!(
            header(b"\x1f\x8b\x08\x08\0\0\0\0\0\0name"),
            Err(Malformed::Truncated)
        );
        assert_eq!(
            header(b"\x1f\x8b\x08\x02\0\0\0\0\0\0\x01"),
            Err(Malformed::Truncated)
        );
    }
}

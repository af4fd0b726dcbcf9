//! What goes around a block: `lz4-sized`, zlib (RFC 1950), gzip (RFC 1952).

use super::deflate::Stream;
use super::{Content, Reading, lz4};

pub(super) fn lz4_sized(block: &[u8], content_len: usize) -> Vec<u8> {
    [&(content_len as u32).to_le_bytes(), block].concat()
}

pub(super) fn read_lz4_sized(src: &[u8], limit: usize) -> Result<Content, Reading> {
    let nothing = Reading::Corrupt { produced: 0 };
    let (len, block) = src.split_first_chunk().ok_or(nothing)?;
    let declared = u32::from_le_bytes(*len) as usize;
    match lz4::read(block, limit) {
        Ok(content) | Err(Reading::Lax(content)) if content.bytes.len() != declared => {
            Err(content.corrupt())
        }
        other => other,
    }
}

/// A zlib stream around Deflate, with the header that zlib writes at its default level.
pub(super) fn zlib(body: &[u8], content: &[u8]) -> Vec<u8> {
    [b"\x78\x9c", body, &adler32(content).to_be_bytes()].concat()
}

pub(super) fn read_zlib(src: &[u8], limit: usize) -> Result<Content, Reading> {
    let nothing = Reading::Corrupt { produced: 0 };
    let ([cmf, flg], rest) = src.split_first_chunk().ok_or(nothing.clone())?;
    let window = 1_usize << (u32::from(cmf >> 4) + 8);
    if cmf & 0x0F != 8 || cmf >> 4 > 7 || !u16::from_be_bytes([*cmf, *flg]).is_multiple_of(31) {
        return Err(nothing);
    }
    if flg & 0x20 != 0 {
        return Err(Reading::NeedsDictionary);
    }
    let read = framed(rest, limit, |content| adler32(content).to_be_bytes())?;
    if read.distance > window {
        // Beyond the window that the header promises: decoders with all of the output see it.
        return Err(Reading::Lax(read));
    }
    Ok(read)
}

/// A gzip member around Deflate.
pub(super) fn gzip(body: &[u8], content: &[u8]) -> Vec<u8> {
    let header = b"\x1f\x8b\x08\0\0\0\0\0\0\xff";
    [header, body, &gzip_trailer(content)].concat()
}

pub(super) fn read_gzip(src: &[u8], limit: usize) -> Result<Content, Reading> {
    let header = gzip_header(src).ok_or(Reading::Corrupt { produced: 0 })?;
    let rest = src.get(header..).unwrap_or_default();
    framed(rest, limit, gzip_trailer)
}

/// The length of a member's header, its optional fields included.
fn gzip_header(src: &[u8]) -> Option<usize> {
    let (fixed, _) = src.split_first_chunk::<10>()?;
    let [0x1F, 0x8B, 8, flags, ..] = *fixed else {
        return None;
    };
    let set = |bit: u8| flags >> bit & 1 == 1;
    if flags >> 5 != 0 {
        return None;
    }
    let mut at = fixed.len();
    if set(2) {
        let len = src.get(at..)?.first_chunk()?;
        at += 2 + usize::from(u16::from_le_bytes(*len));
    }
    for _ in [set(3), set(4)].into_iter().filter(|text| *text) {
        at += 1 + src.get(at..)?.iter().position(|byte| *byte == 0)?;
    }
    if set(1) {
        let stored = src.get(at..)?.first_chunk()?;
        if crc32fast::hash(src.get(..at)?) as u16 != u16::from_le_bytes(*stored) {
            return None;
        }
        at += 2;
    }
    src.get(at..).map(|_| at)
}

fn gzip_trailer(content: &[u8]) -> [u8; 8] {
    let [a, b, c, d] = crc32fast::hash(content).to_le_bytes();
    let [e, f, g, h] = (content.len() as u32).to_le_bytes();
    [a, b, c, d, e, f, g, h]
}

fn adler32(content: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    // So short that neither sum overflows before it is reduced.
    for part in content.chunks(4_096) {
        for byte in part {
            a += u32::from(*byte);
            b += a;
        }
        a %= 65_521;
        b %= 65_521;
    }
    b << 16 | a
}

/// Deflate, and then exactly this trailer.
fn framed<const N: usize>(
    src: &[u8],
    limit: usize,
    trailer: impl Fn(&[u8]) -> [u8; N],
) -> Result<Content, Reading> {
    let stream = Stream::read(src, limit)?;
    match *stream.rest == trailer(&stream.content.bytes) {
        true => stream.content(),
        false => Err(stream.content.corrupt()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain::deflate;

    #[test]
    fn checksums_are_those_of_the_standards() {
        assert_eq!(adler32(b"Wikipedia"), 0x11E6_0398);
        assert_eq!(adler32(b""), 1);
        assert_eq!(gzip_trailer(b"123456789")[..4], [0x26, 0x39, 0xF4, 0xCB]);
    }

    #[test]
    fn each_part_of_a_frame_is_checked() {
        for (unit, read) in [
            (
                lz4_sized(&lz4::write(b"hello", 9), 5),
                read_lz4_sized as fn(&[u8], usize) -> Result<Content, Reading>,
            ),
            (zlib(&deflate::write(b"hello", 9), b"hello"), read_zlib),
            (gzip(&deflate::write(b"hello", 9), b"hello"), read_gzip),
        ] {
            assert_eq!(read(&unit, 100).unwrap().bytes, b"hello");
            for at in [0, 1, 2, unit.len() - 1] {
                let mut changed = unit.clone();
                changed[at] ^= 0x80;
                // The last byte of an LZ4 block is content.
                let content = unit.len() == 10 && at == 9;
                assert_eq!(read(&changed, 100).is_ok(), content, "{changed:x?}");
            }
            assert!(read(&unit[..unit.len() - 1], 100).is_err());
        }
    }

    #[test]
    fn optional_fields_of_gzip_are_skipped_and_checked() {
        let body = deflate::write(b"abc", 9);
        let mut header = b"\x1f\x8b\x08\x1e\0\0\0\0\0\xff\x02\0xyname\0comment\0".to_vec();
        let crc = crc32fast::hash(&header) as u16;
        header.extend_from_slice(&crc.to_le_bytes());
        let unit = [&header[..], &body, &gzip_trailer(b"abc")].concat();
        assert_eq!(read_gzip(&unit, 9).unwrap().bytes, b"abc");
        let mut changed = unit;
        changed[15] ^= 1;
        assert!(read_gzip(&changed, 9).is_err());
    }
}

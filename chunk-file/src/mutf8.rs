//! Java's modified UTF-8, as `DataOutput.writeUTF` writes it: a 2-byte length in bytes, then each
//! UTF-16 unit as one to three bytes. U+0000 takes two bytes, and a character beyond U+FFFF is two
//! surrogates of three bytes each.

/// Appends length and text; `None`, with nothing appended, if the text is too long for it.
pub(crate) fn write(text: &str, out: &mut Vec<u8>) -> Option<()> {
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let low = |shift: u32| 0x80 | (unit >> shift & 0x3f) as u8;
        match unit {
            1..=0x7f => bytes.push(unit as u8),
            0 | 0x80..=0x7ff => bytes.extend([0xc0 | (unit >> 6) as u8, low(0)]),
            _ => bytes.extend([0xe0 | (unit >> 12) as u8, low(6), low(0)]),
        }
    }
    let len = u16::try_from(bytes.len()).ok()?;
    out.extend(len.to_be_bytes());
    out.append(&mut bytes);
    Some(())
}

/// The text of these bytes, the length not among them; `None` if they are not exactly what
/// [`write`] makes of a text.
pub(crate) fn read(bytes: &[u8]) -> Option<String> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied();
    while let Some(first) = rest.next() {
        let mut next = || rest.next().filter(|byte| byte & 0xc0 == 0x80);
        let (unit, shortest) = match first {
            1..=0x7f => (u16::from(first), true),
            0xc0..=0xdf => {
                let unit = u16::from(first & 0x1f) << 6 | u16::from(next()? & 0x3f);
                (unit, unit == 0 || unit > 0x7f)
            }
            0xe0..=0xef => {
                let unit = u16::from(first & 0x0f) << 12
                    | u16::from(next()? & 0x3f) << 6
                    | u16::from(next()? & 0x3f);
                (unit, unit > 0x7ff)
            }
            _ => return None,
        };
        if !shortest {
            return None;
        }
        units.push(unit);
    }
    String::from_utf16(&units).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_written_as_java_writes_them() {
        // From `DataOutputStream.writeUTF` of OpenJDK 17.
        for (text, bytes) in [
            ("", &b"\x00\x00"[..]),
            ("LZ4", b"\x00\x03LZ4"),
            ("a\0", b"\x00\x03a\xc0\x80"),
            ("\u{e9}\u{20ac}", b"\x00\x05\xc3\xa9\xe2\x82\xac"),
            ("\u{1f600}", b"\x00\x06\xed\xa0\xbd\xed\xb8\x80"),
        ] {
            let mut out = Vec::new();
            write(text, &mut out).unwrap();
            assert_eq!(out, bytes, "{text:?}");
            assert_eq!(read(&bytes[2..]).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_text_of_64_kib_is_refused() {
        let mut out = Vec::new();
        assert!(write(&"x".repeat(65_535), &mut out).is_some());
        out.clear();
        assert!(write(&"x".repeat(65_536), &mut out).is_none());
        assert!(out.is_empty());
    }

    #[test]
    fn what_java_does_not_write_is_refused() {
        for bytes in [
            &b"\0"[..],          // NUL takes two bytes
            b"\xc1\x81",         // 'A' in two bytes
            b"\xe0\x81\x81",     // 'A' in three
            b"\xc3",             // cut
            b"\xe2\x82",         // cut
            b"\xc3\x29",         // no continuation
            b"\xf0\x9f\x98\x80", // UTF-8 in four bytes
            b"\x80",             // continuation first
            b"\xed\xa0\xbd",     // half a pair
        ] {
            assert_eq!(read(bytes), None, "{bytes:x?}");
        }
    }
}

//! RFC 1950: CMF, FLG, and the Adler-32 of a preset dictionary.

use super::{Header, Malformed, bytes};

const FDICT: u8 = 1 << 5;

pub(super) fn header(src: &[u8]) -> Result<Header, Malformed> {
    let [cmf, flg] = bytes(src, 0)?;
    let (method, info) = (cmf & 0x0F, cmf >> 4);
    if method != 8 || u16::from_be_bytes([cmf, flg]) % 31 != 0 {
        return Err(Malformed::Magic);
    }
    if info > 7 {
        return Err(Malformed::Reserved);
    }
    let dictionary_id = match flg & FDICT {
        0 => None,
        _ => Some(u32::from_be_bytes(bytes(src, 2)?)),
    };
    Ok(Header {
        len: if dictionary_id.is_some() { 6 } else { 2 },
        declared_len: None,
        window: Some(1 << (info + 8)),
        checksum: true,
        dictionary_id,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_is_read_from_byte_0() {
        for info in 0..8_u8 {
            let cmf = (info << 4) | 8;
            let flg = (31 - (u16::from(cmf) << 8) % 31) as u8;
            let header = header(&[cmf, flg]).unwrap();
            assert_eq!(header.window, Some(1 << (info + 8)));
            assert_eq!((header.len, header.dictionary_id), (2, None));
        }
    }

    #[test]
    fn a_preset_dictionary_is_named() {
        let header = header(b"\x78\xbb\x01\x02\x03\x04").unwrap();
        assert_eq!((header.len, header.dictionary_id), (6, Some(0x0102_0304)));
    }

    #[test]
    fn each_fault_has_its_name() {
        assert_eq!(header(b""), Err(Malformed::Truncated));
        assert_eq!(header(b"\x78"), Err(Malformed::Truncated));
        assert_eq!(header(b"\x78\xbb\x01\x02\x03"), Err(Malformed::Truncated));
        assert_eq!(header(b"\x78\x9d"), Err(Malformed::Magic));
        assert_eq!(header(b"\x79\x1b"), Err(Malformed::Magic));
        assert_eq!(header(b"\x88\x1c"), Err(Malformed::Reserved));
    }
}

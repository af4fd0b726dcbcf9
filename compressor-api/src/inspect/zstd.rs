//! RFC 8878, section 3.1.1.1: the header of one Zstandard frame.

use super::{Header, Malformed, bytes};

const MAGIC: u32 = 0xFD2F_B528;

pub(super) fn header(src: &[u8]) -> Result<Header, Malformed> {
    // A skippable frame has other magic numbers: it is no unit.
    if u32::from_le_bytes(bytes(src, 0)?) != MAGIC {
        return Err(Malformed::Magic);
    }
    let [descriptor] = bytes(src, 4)?;
    if descriptor & 1 << 3 != 0 {
        return Err(Malformed::Reserved);
    }
    let single_segment = descriptor & 1 << 5 != 0;
    let mut at = 5;

    let described_window = if single_segment {
        None
    } else {
        let [byte] = bytes(src, at)?;
        at += 1;
        let base = 1_u64 << (10 + (byte >> 3));
        Some(base + base / 8 * u64::from(byte & 7))
    };

    let dictionary_id = match descriptor & 3 {
        0 => 0,
        1 => u32::from(field::<1>(src, &mut at)?[0]),
        2 => u32::from(u16::from_le_bytes(field(src, &mut at)?)),
        _ => u32::from_le_bytes(field(src, &mut at)?),
    };

    let declared_len = match (descriptor >> 6, single_segment) {
        (0, false) => None,
        (0, true) => Some(u64::from(field::<1>(src, &mut at)?[0])),
        (1, _) => Some(u64::from(u16::from_le_bytes(field(src, &mut at)?)) + 256),
        (2, _) => Some(u64::from(u32::from_le_bytes(field(src, &mut at)?))),
        (_, _) => Some(u64::from_le_bytes(field(src, &mut at)?)),
    };

    Ok(Header {
        len: at,
        declared_len,
        window: described_window.or(declared_len),
        checksum: descriptor & 1 << 2 != 0,
        dictionary_id: (dictionary_id != 0).then_some(dictionary_id),
    })
}

/// The next `N` bytes.
fn field<const N: usize>(src: &[u8], at: &mut usize) -> Result<[u8; N], Malformed> {
    let field = bytes(src, *at)?;
    *at += N;
    Ok(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tail: &[u8]) -> Result<Header, Malformed> {
        header(&[&MAGIC.to_le_bytes()[..], tail].concat())
    }

    #[test]
    fn fields_are_read_at_every_width() {
        let read = |tail: &[u8]| {
            let header = frame(tail).unwrap();
            assert_eq!(header.len, 4 + tail.len());
            (header.declared_len, header.window, header.dictionary_id)
        };
        assert_eq!(read(&[0b0010_0000, 5]), (Some(5), Some(5), None));
        assert_eq!(read(&[0b0000_0000, 0x58]), (None, Some(2 << 20), None));
        assert_eq!(
            read(&[0b0000_0000, 0x07]),
            (None, Some(1024 + 128 * 7), None)
        );
        assert_eq!(read(&[0b0110_0000, 1, 1]), (Some(513), Some(513), None));
        assert_eq!(
            read(&[0b0100_0001, 0, 9, 0, 0]),
            (Some(256), Some(1024), Some(9))
        );
        assert_eq!(read(&[0b0010_0010, 1, 1, 7]), (Some(7), Some(7), Some(257)));
        assert_eq!(
            read(&[0b1010_0011, 1, 0, 0, 1, 4, 0, 0, 0]),
            (Some(4), Some(4), Some(0x0100_0001))
        );
        assert_eq!(
            read(&[0b1110_0000, 0, 0, 0, 0, 1, 0, 0, 0]),
            (Some(1 << 32), Some(1 << 32), None)
        );
    }

    #[test]
    fn the_checksum_flag_is_read() {
        assert!(frame(&[0b0010_0100, 5]).unwrap().checksum);
        assert!(!frame(&[0b0010_0000, 5]).unwrap().checksum);
    }

    #[test]
    fn each_fault_has_its_name() {
        assert_eq!(header(b"\x28\xb5\x2f"), Err(Malformed::Truncated));
        assert_eq!(header(b"\x50\x2a\x4d\x18\0\0\0\0"), Err(Malformed::Magic));
        assert_eq!(frame(&[]), Err(Malformed::Truncated));
        assert_eq!(frame(&[0b0010_1000, 5]), Err(Malformed::Reserved));
        assert_eq!(
            frame(&[0b1110_0000, 0, 0, 0, 0, 1, 0, 0]),
            Err(Malformed::Truncated)
        );
        assert_eq!(frame(&[0b0000_0000]), Err(Malformed::Truncated));
    }
}

//! What lies around the raw stream in each format.

use compressor_api::{Format, Spec, framed};

/// The longest frame, in bytes: that of `gzip`.
pub(crate) const MAX_LEN: usize = framed::GZIP_HEADER.len() + 8;

/// Length of header and trailer as they are written here, in bytes.
pub(crate) const fn len(format: Format) -> usize {
    match format {
        Format::Zlib => 2 + 4,
        Format::Gzip => MAX_LEN,
        _ => 0,
    }
}

/// The header of the units of a spec.
pub(crate) fn header(spec: &Spec) -> Vec<u8> {
    match spec.format() {
        Format::Zlib => framed::zlib_header(spec).to_vec(),
        Format::Gzip => framed::GZIP_HEADER.to_vec(),
        _ => Vec::new(),
    }
}

/// Whether `trailer` is what belongs after a stream whose content has this checksum and length, and
/// no more than that. Never in a format without a checksum, whose content nothing vouches for.
pub(crate) fn is_trailer(format: Format, trailer: &[u8], checksum: u32, len: usize) -> bool {
    match format {
        Format::Zlib => trailer == checksum.to_be_bytes(),
        // The length modulo 2³², as the format has it.
        Format::Gzip => {
            trailer.split_first_chunk()
                == Some((&checksum.to_le_bytes(), &(len as u32).to_le_bytes()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_is_all_of_it_and_nothing_more() {
        let cases: [(Format, &[u8]); 2] = [
            (Format::Zlib, b"\x01\x02\x03\x04"),
            (Format::Gzip, b"\x04\x03\x02\x01\x07\0\0\0"),
        ];
        for (format, trailer) in cases {
            let is = |trailer: &[u8]| is_trailer(format, trailer, 0x0102_0304, 7);
            assert!(is(trailer), "{format}");
            assert!(!is(&[trailer, b"\0"].concat()), "{format}");
            for at in 0..trailer.len() {
                assert!(!is(&trailer[..at]), "{format}");
                let mut wrong = trailer.to_vec();
                wrong[at] ^= 1;
                assert!(!is(&wrong), "{format}");
            }
        }
    }

    #[test]
    fn content_without_a_checksum_is_not_vouched_for() {
        for trailer in [&b""[..], b"\0\0\0\0"] {
            assert!(!is_trailer(Format::DeflateRaw, trailer, 0, 0));
        }
    }

    #[test]
    fn the_length_of_a_frame_is_that_of_its_parts() {
        for (format, trailer) in [
            (Format::Zlib, 4),
            (Format::Gzip, 8),
            (Format::DeflateRaw, 0),
        ] {
            assert_eq!(len(format), header(&Spec::new(format)).len() + trailer);
        }
    }
}

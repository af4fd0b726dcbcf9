//! The checksums at the end of `zlib` and `gzip` units, computed here and compared.

use compressor_api::Format;

/// Length of the trailer of a format, in bytes; 0 for one without.
pub(crate) const fn len(format: Format) -> usize {
    match format {
        Format::Zlib => 4,
        Format::Gzip => 8,
        _ => 0,
    }
}

/// Whether `unit` ends with the trailer that belongs to `content`. Always, in a format without one.
pub(crate) fn vouches(format: Format, unit: &[u8], content: &[u8]) -> bool {
    match format {
        Format::Zlib => unit.ends_with(&simd_adler32::adler32(&content).to_be_bytes()),
        Format::Gzip => {
            let Some((before, length)) = unit.split_last_chunk() else {
                return false;
            };
            // The length modulo 2³², as the format has it.
            *length == (content.len() as u32).to_le_bytes()
                && before.ends_with(&crc32fast::hash(content).to_le_bytes())
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use compressor_api::self_test::{CONTENT, unit};

    use super::*;

    #[test]
    fn the_reference_librarys_trailers_vouch_for_the_content_alone() {
        for format in [Format::Zlib, Format::Gzip] {
            let good = unit(format);
            assert!(vouches(format, good, CONTENT));
            assert!(!vouches(format, good, &CONTENT[1..]));
            for at in 1..=len(format) {
                let mut wrong = good.to_vec();
                let at = wrong.len() - at;
                wrong[at] ^= 1;
                assert!(!vouches(format, &wrong, CONTENT), "{format} {at}");
            }
            assert!(!vouches(format, &good[..len(format) - 1], CONTENT));
        }
        assert!(vouches(Format::DeflateRaw, b"", CONTENT));
    }
}

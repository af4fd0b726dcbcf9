//! What is looked at before an accelerator sees the bytes, and at a glance after.

use compressor_api::{Capabilities, DictionarySupport, Format, Spec, inspect};

use crate::Reason;

/// Whether input of this length is within the limits.
#[inline]
pub(crate) fn length(capabilities: &Capabilities, len: usize) -> Result<(), Reason> {
    if len < capabilities.min_input {
        Err(Reason::BelowMin)
    } else if len > capabilities.max_input {
        Err(Reason::AboveMax)
    } else {
        Ok(())
    }
}

/// Whether a unit is within the limits of a decompressor; if so, the length that it declares.
#[inline]
pub(crate) fn unit(
    capabilities: &Capabilities,
    spec: &Spec,
    src: &[u8],
    dst_len: usize,
) -> Result<Option<u64>, Reason> {
    length(capabilities, src.len())?;
    // A header that is none, or an output that cannot fit, is software's to answer: its answer is
    // final, and costs no device time.
    // Read where it lies: moving the header about costs more than the rest of the gate.
    let Ok(header) = &inspect::header(spec.format(), src) else {
        return Err(Reason::BadInput);
    };
    let content_len = match header.declared_len {
        None => dst_len,
        Some(declared) => usize::try_from(declared)
            .ok()
            .filter(|declared| *declared <= dst_len)
            .ok_or(Reason::OutputShort)?,
    };
    if content_len > capabilities.max_output {
        return Err(Reason::AboveMax);
    }
    if header.dictionary_id.is_some()
        && (capabilities.dictionary == DictionarySupport::None
            || header.dictionary_id != dictionary_id(spec))
    {
        return Err(Reason::Dictionary);
    }
    if header.needed_window(spec.format(), content_len) > capabilities.window {
        return Err(Reason::Window);
    }
    Ok(header.declared_len)
}

/// Whether every decoder must read this unit alike, given that software could read it.
///
/// In LZ4 a match of distance 0 is no match, yet the reference library reads it; and what it makes of
/// a block that does not end as the format has it end depends on the room. Another decoder that
/// refuses either, or reads it, is as right. Walks the block, so it is for failures only.
pub(crate) fn is_beyond_doubt(spec: &Spec, unit: &[u8]) -> bool {
    match spec.format() {
        Format::Lz4Block | Format::Lz4Sized => inspect::header(spec.format(), unit)
            .ok()
            .and_then(|header| unit.get(header.len..))
            .and_then(|block| inspect::lz4::walk(block).ok())
            .is_some_and(|walked| walked.ends_well),
        _ => true,
    }
}

/// Whether a unit of `content_len` bytes may reach back further than it declares, which some
/// decoders let pass and others rightly call corrupt.
///
/// In `zlib` the window is declared (RFC 1950, CINFO) and the largest is all that `deflate` can
/// reach; a smaller one may be a lie wherever the content is longer.
pub(crate) fn may_exceed_window(spec: &Spec, unit: &[u8], content_len: usize) -> bool {
    /// The longest distance of RFC 1951, in bytes.
    const FARTHEST: u64 = 32 << 10;
    spec.format() == Format::Zlib
        && inspect::header(Format::Zlib, unit)
            .ok()
            .and_then(|header| header.window)
            .is_some_and(|window| window < FARTHEST && window < content_len as u64)
}

/// Output room beyond twice software's bound that an accelerator may ask for, in bytes: for the
/// headers and stored blocks of devices that work in small pieces.
const BOUND_SLACK: usize = 64 << 10;

/// Whether an accelerator's bound can be meant, next to software's: what is believed is allocated,
/// here or by the caller.
pub(crate) fn plausible_bound(software: usize, own: usize) -> bool {
    own <= software.saturating_mul(2).saturating_add(BOUND_SLACK)
}

/// Whether `unit` can be what `src_len` bytes were compressed to, by what it says of itself.
#[inline]
pub(crate) fn plausible_unit(spec: &Spec, src_len: usize, unit: &[u8]) -> bool {
    if unit.is_empty() {
        // The format that copies is the only one whose units can be empty.
        return src_len == 0 && spec.format() == Format::None;
    }
    let Ok(header) = &inspect::header(spec.format(), unit) else {
        return false;
    };
    header
        .declared_len
        .is_none_or(|declared| declared == src_len as u64)
        && (header.checksum || !spec.checksum())
        && (header.dictionary_id.is_none() || header.dictionary_id == dictionary_id(spec))
}

fn dictionary_id(spec: &Spec) -> Option<u32> {
    spec.dictionary().and_then(|dictionary| dictionary.id())
}

#[cfg(test)]
mod tests {
    use compressor_api::{Direction, self_test};

    use super::*;

    fn caps(format: Format) -> Capabilities {
        Capabilities::new(format, Direction::Decompress)
    }

    #[test]
    fn limits_hold_at_their_value_and_not_past_it() {
        let caps = caps(Format::DeflateRaw).with_input(3, 5);
        let verdicts: Vec<_> = (2..=6).map(|len| length(&caps, len)).collect();
        assert_eq!(
            verdicts,
            [
                Err(Reason::BelowMin),
                Ok(()),
                Ok(()),
                Ok(()),
                Err(Reason::AboveMax)
            ]
        );
    }

    #[test]
    fn the_output_limit_is_held_against_the_declared_length_or_the_buffer() {
        let gate = |format, max, dst_len| {
            let src = self_test::unit(format);
            unit(
                &caps(format).with_max_output(max),
                &Spec::new(format),
                src,
                dst_len,
            )
        };
        // Declares 4,096.
        assert_eq!(gate(Format::Zstd, 4_096, 9_999), Ok(Some(4_096)));
        assert_eq!(gate(Format::Zstd, 4_095, 9_999), Err(Reason::AboveMax));
        assert_eq!(gate(Format::Zstd, 4_096, 4_095), Err(Reason::OutputShort));
        // Declares nothing.
        assert_eq!(gate(Format::Zlib, 9_999, 9_999), Ok(None));
        assert_eq!(gate(Format::Zlib, 9_998, 9_999), Err(Reason::AboveMax));
    }

    #[test]
    fn the_window_is_read_from_the_bytes() {
        for (format, needs) in [
            (Format::Zlib, 32 << 10),
            (Format::DeflateRaw, 32 << 10),
            (Format::Gzip, 32 << 10),
            (Format::Lz4Block, 4_096),
            (Format::Lz4Sized, 4_096),
            (Format::Snappy, 4_096),
            (Format::Zstd, 4_096),
        ] {
            let gate = |window| {
                let caps = caps(format).with_window(window);
                unit(&caps, &Spec::new(format), self_test::unit(format), 4_096).map(|_| ())
            };
            assert_eq!(gate(needs), Ok(()), "{format}");
            assert_eq!(gate(needs - 1), Err(Reason::Window), "{format}");
        }
    }

    #[test]
    fn a_dictionary_is_recognised_by_its_id() {
        use compressor_api::Dictionary;
        let dictionary = |id: u8| {
            Dictionary::trained([&[0x37, 0xA4, 0x30, 0xEC, id, 0, 0, 0][..], &[0; 8]].concat())
        };
        let spec = |id| {
            Spec::new(Format::Zstd)
                .with_dictionary(dictionary(id).unwrap())
                .unwrap()
        };
        // Single segment, one byte of dictionary id (7), one of content size (5).
        let src = b"\x28\xb5\x2f\xfd\x25\x07\x05";
        let none = caps(Format::Zstd);
        let any = none.with_dictionary(DictionarySupport::Any);
        assert_eq!(unit(&any, &spec(7), src, 5), Ok(Some(5)));
        assert_eq!(unit(&any, &spec(8), src, 5), Err(Reason::Dictionary));
        assert_eq!(unit(&none, &spec(7), src, 5), Err(Reason::Dictionary));
        assert_eq!(
            unit(&any, &Spec::new(Format::Zstd), src, 5),
            Err(Reason::Dictionary)
        );
        assert!(plausible_unit(&spec(7), 5, src));
        assert!(!plausible_unit(&spec(8), 5, src));
        assert!(!plausible_unit(&Spec::new(Format::Zstd), 5, src));
    }

    #[test]
    fn a_unit_may_exceed_the_window_that_it_declares_if_the_content_is_longer() {
        let zlib = Spec::new(Format::Zlib);
        // 512 bytes of window (RFC 1950: CINFO 1), then 32 KiB, which nothing can exceed.
        let small = b"\x18\x19\x03\0\0\0\0\x01";
        let full = b"\x78\x9c\x03\0\0\0\0\x01";
        assert!(!may_exceed_window(&zlib, small, 512));
        assert!(may_exceed_window(&zlib, small, 513));
        assert!(!may_exceed_window(&zlib, full, 1 << 20));
        assert!(!may_exceed_window(&Spec::new(Format::Gzip), small, 513));
    }

    #[test]
    fn what_is_no_unit_of_the_format_is_not_offered() {
        for (format, src) in [
            (Format::Zlib, &b"\x79\x9c"[..]),
            (Format::Gzip, b"\x1f\x8b"),
            (Format::Zstd, b"\x50\x2a\x4d\x18\x04\0\0\0"),
            (Format::Lz4Sized, b"\0\0"),
            (Format::Snappy, b"\xff\xff\xff\xff\x07"),
        ] {
            let gate = unit(&caps(format), &Spec::new(format), src, 4_096);
            assert_eq!(gate, Err(Reason::BadInput), "{format}");
        }
    }

    #[test]
    fn what_no_encoder_writes_in_lz4_is_in_doubt_and_nothing_else_is() {
        for format in Format::ALL {
            assert!(is_beyond_doubt(&Spec::new(format), self_test::unit(format)));
        }
        let block = b"\x10A\0\0\x50BBBBB";
        assert!(!is_beyond_doubt(&Spec::new(Format::Lz4Block), block));
        let sized = [&10_u32.to_le_bytes()[..], block].concat();
        assert!(!is_beyond_doubt(&Spec::new(Format::Lz4Sized), &sized));
        // What some decoders read only where there is more room than content.
        let ends_in_a_match = b"\x1eA\x01\x00\x00";
        assert!(!is_beyond_doubt(
            &Spec::new(Format::Lz4Block),
            ends_in_a_match
        ));
    }

    #[test]
    fn a_bound_of_twice_softwares_and_64_kib_can_be_meant() {
        assert!(plausible_bound(100, 200 + (64 << 10)));
        assert!(!plausible_bound(100, 201 + (64 << 10)));
        assert!(plausible_bound(usize::MAX, usize::MAX));
    }

    #[test]
    fn a_unit_that_says_otherwise_is_not_what_was_compressed() {
        let zstd = Spec::new(Format::Zstd);
        let unit = self_test::unit(Format::Zstd);
        assert!(plausible_unit(&zstd, 4_096, unit));
        assert!(!plausible_unit(&zstd, 4_095, unit));
        assert!(!plausible_unit(&zstd, 4_096, self_test::unit(Format::Gzip)));
        assert!(!plausible_unit(&zstd, 4_096, b""));
        // "hello" without a checksum, which the spec asked for.
        let bare = b"\x28\xb5\x2f\xfd\x20\x05\x29\0\0hello";
        assert!(!plausible_unit(&zstd, 5, bare));
        assert!(plausible_unit(&zstd.with_checksum(false).unwrap(), 5, bare));

        let none = Spec::new(Format::None);
        assert!(plausible_unit(&none, 0, b""));
        assert!(!plausible_unit(&none, 1, b""));
        assert!(!plausible_unit(&none, 2, b"abc"));
    }
}

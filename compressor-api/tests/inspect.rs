//! Properties of header inspection over arbitrary bytes.
#![allow(
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use compressor_api::inspect::{self, Malformed};
use compressor_api::{Format, self_test};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Arbitrary bytes behind the start of a real unit, so that most cases get past the magic number.
fn likely_unit() -> impl Strategy<Value = (Format, Vec<u8>)> {
    let start = (
        select(Format::ALL.to_vec()),
        0..24_usize,
        vec(any::<u8>(), 0..64),
    );
    start.prop_map(|(format, keep, tail)| {
        let mut bytes = self_test::unit(format)[..keep].to_vec();
        bytes.extend(tail);
        (format, bytes)
    })
}

proptest! {
    #[test]
    fn a_header_lies_within_its_unit_and_claims_what_is_possible((format, bytes) in likely_unit()) {
        if let Ok(header) = inspect::header(format, &bytes) {
            prop_assert!(header.len <= bytes.len());
            if let (Some(declared), Some(times)) = (header.declared_len, format.max_expansion()) {
                prop_assert!(declared <= times * bytes.len() as u64);
            }
        }
    }

    #[test]
    fn a_window_never_exceeds_what_the_header_names((format, bytes) in likely_unit(), dst in any::<usize>()) {
        let header = inspect::header(format, &bytes);
        match inspect::needed_window(format, &bytes, dst) {
            Ok(window) => prop_assert!(window <= header.unwrap().window.unwrap_or(u64::MAX)),
            Err(malformed) => prop_assert_eq!(header, Err(malformed)),
        }
    }

    #[test]
    fn walking_a_block_ends_whatever_it_holds(bytes in vec(any::<u8>(), 0..256)) {
        // No content of a block can be longer than its format lets its bytes say.
        if let Ok(len) = inspect::lz4::content_len(&bytes) {
            prop_assert!(len <= 255 * bytes.len() as u64);
        }
        if let Ok(len) = inspect::snappy::content_len(&bytes) {
            prop_assert!(len <= 22 * bytes.len() as u64);
        }
    }

    #[test]
    fn a_cut_header_is_truncated_or_the_same(
        format in select(Format::ALL.to_vec()),
        end in any::<Index>(),
    ) {
        let unit = self_test::unit(format);
        let whole = inspect::header(format, unit).unwrap();
        let cut = &unit[..end.index(unit.len())];
        match inspect::header(format, cut) {
            Ok(header) => {
                prop_assert!(cut.len() >= whole.len);
                prop_assert_eq!(header.len, whole.len);
                prop_assert_eq!(header.window, whole.window);
            }
            // Cut short enough, a declared length is more than the rest could hold.
            Err(malformed) => prop_assert!(
                matches!(malformed, Malformed::Truncated | Malformed::Implausible)
            ),
        }
    }
}

//! Units that were damaged: two decoders have to say the same of them.

use compressor_api::{ErrorKind, Format};

use crate::case::Case;
use crate::damage::flipped;
use crate::judge::same;
use crate::plain::{self, Reading};
use crate::stop::{Stop, ensure};

/// How many damaged units are tried where every call starts a process.
const FEW: usize = 24;

/// Whether a format's units say themselves that they were damaged.
pub(crate) const fn has_checksum(format: Format) -> bool {
    matches!(format, Format::Zstd | Format::Zlib | Format::Gzip)
}

/// Every beginning of a unit and every bit of it turned, or a few of both.
///
/// Not the empty one: commands take an empty file for one with nothing in it.
pub(crate) fn cases(case: &Case, unit: &[u8], room: usize, slow: bool) -> Vec<Case> {
    let given = |unit: Vec<u8>| Case {
        unit: Some(unit),
        room: Some(room),
        ..case.clone()
    };
    let cut = (1..unit.len()).map(|len| unit.iter().copied().take(len).collect());
    let turned = (0..unit.len() * 8).map(|bit| flipped(unit, bit));
    let total = (unit.len() * 9).saturating_sub(1);
    // An odd step, so that other bits of the bytes are met.
    let step = if slow { total.div_ceil(FEW) | 1 } else { 1 };
    cut.chain(turned).step_by(step).map(given).collect()
}

/// Both refuse, or both read the same; or the provider refuses what not every decoder does.
///
/// That is what breaks a rule which few enforce; content that is too long, of which some fill their
/// output and look no further (Cassandra's `DeflateCompressor`); and with Zstandard, which the suite has no full
/// reader for, a unit that still holds its content: libzstd 1.5.5 does not notice that bits of a
/// block were left over, and 1.5.7 does.
pub(crate) fn judge(
    name: &str,
    format: Format,
    unit: &[u8],
    content: &[u8],
    ours: Result<&[u8], ErrorKind>,
    theirs: Option<&[u8]>,
) -> Result<(), Stop> {
    match (ours, theirs) {
        (Err(_), None) => Ok(()),
        (Ok(ours), Some(theirs)) => {
            same(theirs, ours).map_err(|stop| Stop::prefixed(&format!("against {name}, "), stop))
        }
        (Ok(_), None) => Err(Stop::fault(format!("reads what {name} refuses"))),
        (Err(kind), Some(theirs)) => {
            let strict = match plain::read(format, unit, content.len()) {
                Reading::Lax(_)
                | Reading::Corrupt { .. }
                | Reading::NeedsDictionary
                | Reading::TooLong => true,
                Reading::Unknown => theirs == content,
                _ => false,
            };
            ensure(strict, || format!("refuses what {name} reads: {kind}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    fn judged(unit: &[u8], ours: Option<&[u8]>, theirs: Option<&[u8]>) -> bool {
        let ours = ours.ok_or(ErrorKind::CorruptInput);
        judge("other", Format::Zlib, unit, b"abc", ours, theirs).is_ok()
    }

    #[test]
    fn who_stands_alone_is_at_fault_unless_the_rules_are_on_its_side() {
        let intact = plain::write(Format::Zlib, b"abc").unwrap();
        assert!(judged(&intact, None, None));
        assert!(judged(&intact, Some(b"abc"), Some(b"abc")));
        assert!(!judged(&intact, Some(b"abc"), Some(b"abd")));
        assert!(!judged(&intact, Some(b"abc"), None));
        assert!(!judged(&intact, None, Some(b"abc")));
        assert!(judged(b"\x78\x9c", None, Some(b"")));
    }

    #[test]
    fn every_cut_and_every_bit_is_a_case_unless_a_call_is_dear() {
        let case = Case::new(Kind::Text, 3, 1);
        let unit = [1, 2, 3];
        let all = cases(&case, &unit, 3, false);
        assert_eq!(all.len(), 2 + 24);
        assert!(all.iter().all(|case| case.unit.as_deref() != Some(&unit)));
        let few = cases(&case, &[0; 200], 3, true);
        assert!((FEW / 2..=FEW).contains(&few.len()), "{}", few.len());
    }
}

//! The numbers of the ABI as the words of the contract, and back.

use std::time::Duration;

use compressor_api::{Direction, Effort, ErrorKind, Format};

use crate::abi::{
    CP_COMPRESS, CP_DECOMPRESS, CP_EFFORT_BALANCED, CP_EFFORT_RATIO, CP_EFFORT_SPEED,
};

/// The status that says `kind`. The two are numbered alike.
pub(crate) const fn status(kind: ErrorKind) -> i32 {
    kind as i32
}

/// The kind that a status says; `None` for `CP_OK` and for what is no kind.
#[cfg(feature = "host")]
pub(crate) fn kind(status: i32) -> Option<ErrorKind> {
    ErrorKind::ALL
        .into_iter()
        .find(|kind| self::status(*kind) == status)
}

/// The format of an id as the ABI carries it.
pub(crate) fn format(id: u32) -> Option<Format> {
    u8::try_from(id).ok().and_then(Format::from_id)
}

/// The number of a direction.
pub(crate) const fn direction_id(direction: Direction) -> u32 {
    match direction {
        Direction::Compress => CP_COMPRESS,
        Direction::Decompress => CP_DECOMPRESS,
    }
}

/// The direction of a number.
pub(crate) fn direction(id: u32) -> Option<Direction> {
    Direction::BOTH
        .into_iter()
        .find(|direction| direction_id(*direction) == id)
}

/// The number of an effort.
pub(crate) const fn effort_id(effort: Effort) -> u32 {
    match effort {
        Effort::Ratio => CP_EFFORT_RATIO,
        Effort::Balanced => CP_EFFORT_BALANCED,
        Effort::Speed => CP_EFFORT_SPEED,
    }
}

/// The effort of a number; `None` also for `CP_EFFORT_NONE`.
pub(crate) fn effort(id: u32) -> Option<Effort> {
    Effort::ALL
        .into_iter()
        .find(|effort| effort_id(*effort) == id)
}

/// A number of bytes. The ABI counts to 2⁶³ − 1, which no memory reaches.
pub(crate) fn bytes(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A time in nanoseconds: up to 292 years.
pub(crate) fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::CONSTANTS;

    /// `OutputTooSmall` → `CP_OUTPUT_TOO_SMALL`, `lz4-block` → `CP_FORMAT_LZ4_BLOCK`.
    fn constant(prefix: &str, name: &str) -> i64 {
        let mut wanted = String::from(prefix);
        for c in name.chars() {
            if c.is_uppercase() && !wanted.ends_with('_') {
                wanted.push('_');
            }
            wanted.push(if c == '-' {
                '_'
            } else {
                c.to_ascii_uppercase()
            });
        }
        CONSTANTS
            .iter()
            .find(|(name, _)| *name == wanted)
            .unwrap_or_else(|| panic!("the ABI has no {wanted}"))
            .1
    }

    #[test]
    fn every_kind_has_a_status_of_its_name() {
        for kind in ErrorKind::ALL {
            assert_eq!(i64::from(status(kind)), constant("CP_", kind.name()));
            assert_eq!(super::kind(status(kind)), Some(kind));
        }
        for no_kind in [0, -1, 13, 64, 12_345, i32::MIN, i32::MAX] {
            assert_eq!(kind(no_kind), None, "{no_kind}");
        }
    }

    #[test]
    fn every_format_has_an_id_of_its_name() {
        for known in Format::ALL {
            let id = u32::from(known.id());
            assert_eq!(i64::from(id), constant("CP_FORMAT_", known.name()));
            assert_eq!(format(id), Some(known));
        }
        for unknown in [8, 255, 256, u32::MAX] {
            assert_eq!(format(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn every_effort_has_a_number_of_its_name() {
        for known in Effort::ALL {
            let id = effort_id(known);
            assert_eq!(i64::from(id), constant("CP_EFFORT_", known.name()));
            assert_eq!(effort(id), Some(known));
        }
        for unknown in [0, 4, u32::MAX] {
            assert_eq!(effort(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn directions_lead_back_to_themselves() {
        for known in Direction::BOTH {
            assert_eq!(direction(direction_id(known)), Some(known));
        }
        assert_eq!(direction(2), None);
    }
}

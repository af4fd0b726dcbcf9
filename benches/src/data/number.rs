//! Numbers and ids as text.

/// `value / 10^places` in decimal, all places written: `decimal(-1234, 2)` is `-12.34`.
///
/// Readings stay integers up to here, because the shortest text of a floating-point number is for
/// its library to decide.
pub(super) fn decimal(value: i32, places: u32) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let scale = 10_u32.saturating_pow(places);
    let magnitude = value.unsigned_abs();
    let (whole, part) = (magnitude / scale, magnitude % scale);
    match places {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{part:0width$}", width = places as usize),
    }
}

/// A version-4 UUID in lower case, from 122 of the bits given.
pub(super) fn uuid(high: u64, low: u64) -> String {
    let (time, mid, version) = (high >> 32, (high >> 16) & 0xffff, high & 0x0fff);
    let (variant, node) = ((low >> 48) & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    format!("{time:08x}-{mid:04x}-4{version:03x}-{variant:04x}-{node:012x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_sign_and_zeros() {
        assert_eq!(decimal(-1234, 2), "-12.34");
        assert_eq!(decimal(-5, 2), "-0.05");
        assert_eq!(decimal(100, 1), "10.0");
        assert_eq!(decimal(42, 0), "42");
        assert_eq!(decimal(i32::MIN, 3), "-2147483.648");
    }

    #[test]
    fn uuids_carry_version_and_variant() {
        assert_eq!(uuid(0, 0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(
            uuid(u64::MAX, u64::MAX),
            "ffffffff-ffff-4fff-bfff-ffffffffffff"
        );
    }
}

//! When things happened: some time in 2025, so that no set depends on the day it was made.

/// The beginning of 2025 in UTC, in ms since 1970.
pub(super) const START_MS: u64 = 1_735_689_600_000;

/// Milliseconds in that year.
pub(super) const YEAR_MS: u64 = 365 * 86_400_000;

/// The time `ms` milliseconds after [`START_MS`], in ISO 8601. After a year it is the same year
/// again: nobody needs more of a log than that.
pub(super) fn timestamp(ms: u64) -> String {
    let mut day = ms % YEAR_MS / 86_400_000;
    let mut month = 1;
    for days in [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    let (hour, minute) = (ms / 3_600_000 % 24, ms / 60_000 % 60);
    let (second, milli) = (ms / 1_000 % 60, ms % 1_000);
    format!(
        "2025-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z",
        day + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_turn_days_and_months() {
        const DAY: u64 = 86_400_000;
        assert_eq!(timestamp(0), "2025-01-01T00:00:00.000Z");
        assert_eq!(timestamp(DAY - 1), "2025-01-01T23:59:59.999Z");
        assert_eq!(timestamp(31 * DAY), "2025-02-01T00:00:00.000Z");
        assert_eq!(timestamp(59 * DAY), "2025-03-01T00:00:00.000Z");
        assert_eq!(timestamp(364 * DAY), "2025-12-31T00:00:00.000Z");
    }
}

//! The `rows` set: narrow rows of a time-series store.
//!
//! The partition is one sensor of one machine; within it, rows are in order of time. What
//! compresses: keys, flags and lengths that are the same from row to row, high bytes of counters,
//! notes that are filled-in forms. What does not: jitter in the times, message ids, the low bytes
//! of readings, the numbers in notes.

use super::Records;
use super::cells::{Row, partition};
use super::draw::Draw;
use super::form::fill_in;
use super::moment::{START_MS, YEAR_MS};
use super::sensors::{SENSORS, Sensor, Walk};

/// Milliseconds between two readings of one sensor.
const PERIOD_MS: u64 = 10_000;
/// Quality codes, the good one far more often than those for a doubtful and a substituted value.
const QUALITY: [u8; 8] = [0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0x40, 0x44];

/// What the controller or the operator writes beside a reading. The common notes stand here more
/// than once.
const NOTES: &[&str] = &[
    "cycle {d4} program O00{d2} part {x8}",
    "cycle {d4} program O00{d2} part {x8}",
    "cycle {d4} program O00{d2} part {x8}",
    "cycle {d4} program O00{d2} part {x8}",
    "within limits, next check in {480} min",
    "within limits, next check in {480} min",
    "tool {60} changed, offset {500} um",
    "operator {300} acknowledged warning {90}",
    "waiting for part {x8}, order 7{d5}",
    "calibrated against reference {x8}",
];

/// One partition after the other; each is a record.
pub(super) struct Rows;

impl Records for Rows {
    fn append_next(&mut self, draw: &mut Draw, out: &mut Vec<u8>) {
        let mut readings = Partition::new(draw);
        partition(&[&readings.machine, readings.sensor.name], out);
        // Half an hour to two hours of readings.
        for _ in 0..180 + draw.below(540) {
            readings.next_row(draw).append_to(out);
        }
    }
}

/// One sensor of one machine, and where its readings have come to.
struct Partition {
    machine: String,
    station: String,
    firmware: String,
    sensor: Sensor,
    walk: Walk,
    time_ms: u64,
    sequence: u64,
}

impl Partition {
    /// Engines order partitions by a hash of the key, so neighbours have nothing to do with each
    /// other.
    fn new(draw: &mut Draw) -> Self {
        let sensor = draw.pick(&SENSORS);
        let plant = draw.pick(&["AUG", "BRN", "GDN", "LIL", "OSR", "TRN"]);
        Self {
            machine: format!("{plant}-mill-{:05}", draw.below(100_000)),
            station: format!("{plant}-{:04}", draw.below(2_000)),
            firmware: format!(
                "ctl-{}.{}.{}",
                draw.below(5),
                draw.below(20),
                draw.below(10)
            ),
            sensor,
            walk: Walk::new(sensor, draw),
            time_ms: START_MS + draw.below(YEAR_MS),
            sequence: draw.below(1 << 28),
        }
    }

    fn next_row(&mut self, draw: &mut Draw) -> Row {
        // A timer that is late by some milliseconds, and does not make up for it.
        self.time_ms += PERIOD_MS + draw.below(24);
        self.sequence += 1;
        let level = self.walk.next(draw);
        // What the converter counted, three bits finer than what the sensor is good for.
        let count = level * 8 + draw.between(0, 7);
        let note = fill_in(draw.pick(NOTES), draw);
        let mut row = Row::new(self.time_ms, 1_500 + draw.below(1 << 16));
        row.cell(&self.sensor.value(level).to_be_bytes())
            .cell(&count.to_be_bytes())
            .cell(&[draw.pick(&QUALITY)])
            .cell(&self.sequence.to_be_bytes())
            // The id of the message that brought the reading.
            .cell(&draw.word().to_be_bytes())
            .cell(self.station.as_bytes())
            .cell(self.firmware.as_bytes())
            .cell(self.sensor.unit.as_bytes())
            .cell(note.as_bytes());
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_have_all_their_placeholders_filled() {
        let mut draw = Draw::new("test", 0);
        for form in NOTES {
            let note = fill_in(form, &mut draw);
            assert!(!note.contains(['{', '}']), "{note}");
        }
    }

    #[test]
    fn rows_are_100_to_200_bytes() {
        let mut draw = Draw::new("test", 0);
        for _ in 0..100 {
            let mut partition = Partition::new(&mut draw);
            for _ in 0..20 {
                let mut row = Vec::new();
                partition.next_row(&mut draw).append_to(&mut row);
                assert!((100..=200).contains(&row.len()), "{} bytes", row.len());
            }
        }
    }

    #[test]
    fn rows_parse_by_their_lengths_and_are_in_order_of_time() {
        let mut draw = Draw::new("test", 0);
        let mut partition = Partition::new(&mut draw);
        let mut last_ms = 0;
        for _ in 0..100 {
            let mut bytes = Vec::new();
            partition.next_row(&mut draw).append_to(&mut bytes);
            let time_ms = u64::from_be_bytes(bytes[1..9].try_into().unwrap());
            assert!(time_ms > last_ms);
            last_ms = time_ms;
            let body = &bytes[11..];
            assert_eq!(
                usize::from(u16::from_be_bytes([bytes[9], bytes[10]])),
                body.len()
            );
            let mut cells = &body[8..];
            let mut count = 0;
            while let [_flags, high, low, rest @ ..] = cells {
                cells = &rest[usize::from(u16::from_be_bytes([*high, *low]))..];
                count += 1;
            }
            assert_eq!((count, cells.len()), (9, 0));
        }
    }
}

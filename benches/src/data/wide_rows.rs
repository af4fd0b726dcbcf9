//! The `wide-rows` set: rows of about 6 KB.
//!
//! A row is the record of one inspection of one machine: identifiers, readings, short strings, a
//! JSON document with statistics by sensor, the inspector's report, a spectrum and a signature.
//! What compresses: the names in the document, the words of the report, lengths and flags. What
//! does not: ids, spectrum, signature, low bytes of readings. Every partition has one row, so a
//! small block has no earlier row to find matches in, and a large one does.

use super::Records;
use super::cells::{Row, partition};
use super::draw::Draw;
use super::moment::{START_MS, YEAR_MS, timestamp};
use super::number::{decimal, uuid};
use super::prose::Prose;
use super::sensors::SENSORS;

/// One partition of one row after the other.
pub(super) struct WideRows {
    prose: Prose,
}

impl WideRows {
    pub(super) fn new(draw: &mut Draw) -> Self {
        Self {
            prose: Prose::new(draw),
        }
    }

    /// What the inspector wrote.
    fn report(&mut self, draw: &mut Draw) -> String {
        self.prose.change_topic(draw);
        let mut report = String::new();
        while report.len() < 2_100 {
            self.prose.sentence(draw, &mut report);
            report.push(' ');
        }
        report
    }
}

impl Records for WideRows {
    fn append_next(&mut self, draw: &mut Draw, out: &mut Vec<u8>) {
        let id = uuid(draw.word(), draw.word());
        let ms = draw.below(YEAR_MS);
        let mut row = Row::new(START_MS + ms, draw.below(2_000_000));
        for _ in 0..12 {
            row.cell(&reference(draw));
        }
        for sensor in SENSORS {
            let level = sensor.level(draw);
            for _ in 0..4 {
                row.cell(&sensor.value(sensor.level_near(level, draw)).to_be_bytes());
            }
        }
        for column in 0..40 {
            row.cell(short_string(column, draw).as_bytes());
        }
        row.cell(document(&id, ms, draw).as_bytes());
        row.cell(self.report(draw).as_bytes());
        row.cell(&spectrum(draw));
        row.cell(&signature(draw));
        partition(&[&id], out);
        row.append_to(out);
    }
}

/// The id of something else: part, order, customer.
fn reference(draw: &mut Draw) -> [u8; 8] {
    draw.word().to_be_bytes()
}

/// What most columns of most tables hold, of one sort in one column: a state, a place, a version, a
/// code, a city, a lot.
fn short_string(column: u32, draw: &mut Draw) -> String {
    match column % 6 {
        0 => draw
            .pick(&["released", "in review", "scheduled", "on hold", "rejected"])
            .to_owned(),
        1 => format!("hall {}, bay {}", draw.between(1, 9), draw.between(1, 60)),
        2 => format!("v{}.{}.{}", draw.below(5), draw.below(20), draw.below(10)),
        3 => format!(
            "EN-{}-{}",
            draw.between(1_000, 9_999),
            draw.pick(&["A", "B", "C"])
        ),
        4 => draw
            .pick(&[
                "Gdansk",
                "Brno",
                "Lille",
                "Osnabrueck",
                "Torino",
                "Augsburg",
            ])
            .to_owned(),
        _ => format!("lot {:06}", draw.below(1_000_000)),
    }
}

/// The JSON document: statistics of each sensor.
fn document(id: &str, ms: u64, draw: &mut Draw) -> String {
    let readings: Vec<String> = SENSORS
        .iter()
        .map(|sensor| {
            let level = sensor.level(draw);
            let mut levels = [(); 4].map(|()| sensor.level_near(level, draw));
            levels.sort_unstable();
            let [min, mean, p99, max] = levels.map(|level| decimal(level, sensor.places));
            format!(
                r#"{{"sensor":"{}","unit":"{}","min":{min},"mean":{mean},"p99":{p99},"max":{max},"samples":{}}}"#,
                sensor.name,
                sensor.unit,
                draw.below(90_000),
            )
        })
        .collect();
    format!(
        r#"{{"schema":3,"machine":"{id}","finished":"{}","passed":{},"readings":[{}]}}"#,
        timestamp(ms),
        !draw.one_in(12),
        readings.join(","),
    )
}

/// A vibration spectrum: 192 bins of 16 bits, noise with a few lines above it.
fn spectrum(draw: &mut Draw) -> Vec<u8> {
    let mut bins = Vec::new();
    for _ in 0..192 {
        let line = if draw.one_in(24) {
            draw.between(500, 9_000)
        } else {
            0
        };
        let bin = u16::try_from(120 + line + draw.bell(100)).unwrap_or(u16::MAX);
        bins.extend_from_slice(&bin.to_be_bytes());
    }
    bins
}

/// 64 bytes that nothing predicts.
fn signature(draw: &mut Draw) -> Vec<u8> {
    (0..8).flat_map(|_| draw.word().to_be_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_about_6_kb() {
        let mut draw = Draw::new("test", 0);
        let mut rows = WideRows::new(&mut draw);
        for _ in 0..200 {
            let mut row = Vec::new();
            rows.append_next(&mut draw, &mut row);
            assert!((5_500..=6_500).contains(&row.len()), "{} bytes", row.len());
        }
    }

    #[test]
    fn documents_are_json_with_ordered_statistics() {
        let mut draw = Draw::new("test", 0);
        let document: serde_json::Value =
            serde_json::from_str(&document("id", 0, &mut draw)).unwrap();
        let readings = document["readings"].as_array().unwrap();
        assert_eq!(readings.len(), SENSORS.len());
        for reading in readings {
            let of = |key: &str| reading[key].as_f64().unwrap();
            assert!(
                of("min") <= of("mean") && of("mean") <= of("p99") && of("p99") <= of("max"),
                "{reading}"
            );
        }
    }
}

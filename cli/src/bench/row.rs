//! What `bench --json` prints.

use std::collections::BTreeMap;
use std::time::Duration;

use compressor::Effort;
use compressor_benches::measure;
use serde::Serialize;

use super::measure::{Cell, Side};
use super::overhead::Overhead;

/// One path in one direction over one data set in blocks of one size.
#[derive(Debug, Serialize)]
pub struct Row<'a> {
    file: &'a str,
    format: &'static str,
    level: i32,
    block_size: usize,
    provider: &'static str,
    direction: &'static str,
    mb_per_s: f64,
    speedup: f64,
    ratio: f64,
    cpu_ns_per_byte: f64,
    accelerated_ops: u64,
    software_ops: u64,
    reasons: BTreeMap<&'static str, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibrated: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    latency: Vec<Latency>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overhead: Option<Added>,
}

/// Single operations, with so many threads at work; times in microseconds.
#[derive(Debug, Serialize)]
struct Latency {
    threads: usize,
    ops: u64,
    p50_us: f64,
    p99_us: f64,
    p999_us: f64,
    max_us: f64,
    mb_per_s: f64,
}

/// What the framework adds to an operation; `added_low_ns` and `added_high_ns` are the ends of the
/// 95 % confidence interval.
#[derive(Debug, Serialize)]
struct Added {
    direct_ns: f64,
    added_ns: f64,
    added_low_ns: f64,
    added_high_ns: f64,
}

impl Cell {
    /// Software's row, then one for each accelerated path.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.sides().map(|side| self.row(side))
    }

    fn row(&self, side: &Side) -> Row<'_> {
        Row {
            file: &self.file,
            format: self.spec.format().name(),
            level: self.spec.level(),
            block_size: self.block_size.get(),
            provider: side.provider.as_str(),
            direction: self.direction.name(),
            mb_per_s: side.measured.mb_per_s,
            speedup: side.measured.speedup,
            ratio: side.measured.ratio,
            cpu_ns_per_byte: side.measured.cpu_ns_per_byte,
            accelerated_ops: side.accelerated_ops,
            software_ops: side.software_ops,
            reasons: side.reasons().into_iter().collect(),
            effort: side.effort.map(Effort::name),
            calibrated: side.calibrated.then_some(true),
            latency: side.latency.iter().map(Latency::of).collect(),
            overhead: side.overhead.as_ref().and_then(Added::of),
        }
    }
}

impl Latency {
    fn of(latency: &measure::Latency) -> Self {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        Self {
            threads: latency.threads.get(),
            ops: latency.ops,
            p50_us: micros(latency.p50),
            p99_us: micros(latency.p99),
            p999_us: micros(latency.p999),
            max_us: micros(latency.max),
            mb_per_s: latency.mb_per_s,
        }
    }
}

impl Added {
    fn of(overhead: &Overhead) -> Option<Self> {
        match overhead {
            Overhead::Measured { direct_ns, added } => Some(Self {
                direct_ns: *direct_ns,
                added_ns: added.value,
                added_low_ns: added.low,
                added_high_ns: added.high,
            }),
            Overhead::Failed { .. } => None,
        }
    }
}

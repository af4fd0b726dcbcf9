//! What `bench --json` prints.

use std::collections::BTreeMap;

use serde::Serialize;

use super::measure::{Cell, Side};

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
}

impl Cell {
    /// Software's row, then one for each accelerated path.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        std::iter::once(&self.software)
            .chain(&self.paths)
            .map(|side| self.row(side))
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
        }
    }
}

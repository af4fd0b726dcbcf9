//! Who served, how often software did in its place, and why.

use std::collections::BTreeMap;
use std::io::Write;

use compressor::{Accelerated, Direction};
use serde::Serialize;

use crate::failure::Failure;
use crate::table::{self, number, text};

/// What one direction of a compressor did. Raw chunks are no operation when they are read.
#[derive(Debug, Serialize)]
pub struct Serving {
    direction: &'static str,
    /// Who was chosen for chunks of that length; `None` if nobody serves the direction.
    provider: Option<&'static str>,
    accelerated_ops: u64,
    /// Results of the accelerator that software decoded and compared.
    verified_ops: u64,
    software_ops: u64,
    /// Operations that the policy kept from software.
    failed_ops: u64,
    /// How many operations software did for each reason.
    reasons: BTreeMap<&'static str, u64>,
}

impl Serving {
    /// What `compressor` did until now, for chunks of so many bytes.
    pub fn of(compressor: &Accelerated, direction: Direction, chunk_len: u32) -> Self {
        let chunk_len = usize::try_from(chunk_len).unwrap_or(usize::MAX);
        let side = compressor.serving(direction, chunk_len);
        let counters = *compressor.counters().direction(direction);
        let reasons = counters.reasons().map(|(reason, ops)| (reason.name(), ops));
        Self {
            direction: direction.name(),
            provider: side.map(|side| side.provider.as_str()),
            accelerated_ops: counters.accelerated.ops,
            verified_ops: counters.verified,
            software_ops: counters.software.ops,
            failed_ops: counters.failed,
            reasons: reasons.collect(),
        }
    }

    fn row(&self) -> Vec<String> {
        let reasons: Vec<_> = self.reasons.iter().map(|(r, ops)| (*r, *ops)).collect();
        vec![
            self.direction.into(),
            self.provider.unwrap_or_default().into(),
            self.accelerated_ops.to_string(),
            self.verified_ops.to_string(),
            self.software_ops.to_string(),
            self.failed_ops.to_string(),
            table::why(&reasons),
        ]
    }
}

/// Prints a row for each, under a title.
pub fn print(served: &[Serving], out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "\nServed by\n").map_err(Failure::output)?;
    let columns = [
        text("direction"),
        text("provider"),
        number("accelerated ops"),
        number("verified ops"),
        number("software ops"),
        number("failed ops"),
        text("why software"),
    ];
    table::print(&columns, served.iter().map(Serving::row), out)
}

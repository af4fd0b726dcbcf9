//! What is printed.

use std::fmt;
use std::num::NonZeroUsize;

use comfy_table::{CellAlignment, ContentArrangement, presets};
use compressor::Direction;
use compressor_benches::data::DataSet;

use crate::contest::{Asked, Contest, Outcome};

/// How much slower than a peer the framework may be without a star.
const BEHIND: f64 = 0.97;

/// The outcomes of a contest: a row for each data set, block size and direction, a column for each
/// peer.
pub struct Table<'a> {
    contest: &'a Contest,
    table: comfy_table::Table,
}

impl<'a> Table<'a> {
    pub fn new(contest: &'a Contest) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_content_arrangement(ContentArrangement::Disabled);
        let headings = ["data", "block", "direction", "served by"];
        table.set_header(headings.into_iter().chain(contest.peers()));
        for column in table.column_iter_mut().skip(headings.len()) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        Self { contest, table }
    }

    pub fn add(&mut self, set: &DataSet, size: NonZeroUsize, outcomes: [Outcome; 2]) {
        for outcome in outcomes {
            let direction = outcome.direction;
            let mut row = vec![
                set.name.clone(),
                format!("{} KiB", size.get() >> 10),
                direction.to_string(),
                self.contest.served_by(direction).to_owned(),
            ];
            row.extend(
                outcome
                    .speed
                    .iter()
                    .zip(&outcome.length)
                    .map(|(speed, length)| cell(direction, *speed, *length)),
            );
            self.table.add_row(row);
        }
    }
}

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contest { asked, spec, .. } = self.contest;
        let (format, level) = (spec.format(), spec.level());
        match asked {
            Asked::Level => write!(f, "{format}, level {level}\n\n{}", self.table),
            Asked::Speed => write!(f, "{format}, for speed\n\n{}", self.table),
        }
    }
}

fn cell(direction: Direction, speed: f64, length: f64) -> String {
    let star = if speed < BEHIND { "*" } else { "" };
    match direction {
        Direction::Compress => format!("{star}{speed:.2} ({length:.3})"),
        Direction::Decompress => format!("{star}{speed:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_peer_is_ahead_there_is_a_star() {
        assert_eq!(cell(Direction::Compress, 2.0, 0.9), "2.00 (0.900)");
        assert_eq!(cell(Direction::Compress, 0.96, 1.0), "*0.96 (1.000)");
        assert_eq!(cell(Direction::Decompress, 0.98, 0.9), "0.98");
    }
}

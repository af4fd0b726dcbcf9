//! What is printed.

use std::fmt;
use std::num::NonZeroUsize;

use comfy_table::{CellAlignment, ContentArrangement, presets};
use compressor::Direction;

use crate::contest::{Contest, Outcome};

/// How much slower than a peer the framework may be without a star.
const BEHIND: f64 = 0.97;

/// A row for each contest, peer and data set; its cells have a number for each block size.
pub struct Table {
    table: comfy_table::Table,
    /// Lengths of the blocks, in bytes.
    sizes: Vec<NonZeroUsize>,
}

impl Table {
    /// For blocks of so many bytes.
    pub fn new(sizes: &[NonZeroUsize]) -> Self {
        let kib: Vec<String> = { sizes.iter() }
            .map(|size| (size.get() >> 10).to_string())
            .collect();
        let headed = format!("{} KiB", kib.join(" · "));
        let mut table = comfy_table::Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_content_arrangement(ContentArrangement::Disabled);
        let headings = ["asked for", "format", "served by", "peer", "data"].map(str::to_owned);
        let measured = ["compress", "length", "decompress"].map(|what| format!("{what}, {headed}"));
        let texts = headings.len();
        table.set_header(headings.into_iter().chain(measured));
        for column in table.column_iter_mut().skip(texts) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        Self {
            table,
            sizes: sizes.into(),
        }
    }

    /// Adds the outcomes on one data set, one for each block size.
    pub fn add(&mut self, contest: &Contest, data: &str, outcomes: &[Outcome]) {
        for (number, peer) in contest.peers().into_iter().enumerate() {
            let joined = |cell: fn(&Outcome, usize) -> Option<String>| {
                let cells = outcomes.iter().filter_map(|outcome| cell(outcome, number));
                cells.collect::<Vec<_>>().join(" · ")
            };
            self.table.add_row([
                contest.asked(),
                contest.spec.format().to_string(),
                self.served_by(contest),
                peer.to_owned(),
                data.to_owned(),
                joined(|outcome, peer| outcome.compress.get(peer).map(|speed| cell(*speed))),
                joined(|outcome, peer| {
                    outcome
                        .length
                        .get(peer)
                        .map(|length| format!("{length:.2}"))
                }),
                joined(|outcome, peer| outcome.decompress.get(peer).map(|speed| cell(*speed))),
            ]);
        }
    }

    /// Whoever compresses, and whoever decompresses if that is another; for each block size, if it
    /// depends on that.
    fn served_by(&self, contest: &Contest) -> String {
        let each = self.sizes.iter().map(|size| {
            let [compress, decompress] =
                Direction::BOTH.map(|direction| contest.served_by(direction, *size));
            if compress == decompress {
                compress.to_owned()
            } else {
                format!("{compress}/{decompress}")
            }
        });
        let each: Vec<String> = each.collect();
        match &each[..] {
            [first, others @ ..] if others.iter().all(|other| other == first) => first.clone(),
            all => all.join(" · "),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.fmt(f)
    }
}

fn cell(speed: f64) -> String {
    let star = if speed < BEHIND { "*" } else { "" };
    format!("{star}{speed:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_peer_is_ahead_there_is_a_star() {
        assert_eq!(cell(2.0), "2.00");
        assert_eq!(cell(0.98), "0.98");
        assert_eq!(cell(0.96), "*0.96");
    }
}

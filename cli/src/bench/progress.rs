//! How far the measurement is, on a terminal.

use std::num::NonZeroUsize;

use compressor::Direction;
use compressor_benches::data::DataSet;
use compressor_benches::measure::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use super::subject::Subject;

/// Steps of a cell: a third for checking, a third for each direction.
const STEPS: u64 = 300;

/// A bar on standard error; nothing where that is no terminal.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// For so many cells.
    pub fn new(cells: usize) -> Self {
        let bar = ProgressBar::new(cells as u64 * STEPS);
        let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {eta:>4} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar }
    }

    /// A cell begins.
    pub fn begin(&self, set: &DataSet, subject: &Subject, block_size: NonZeroUsize) {
        let (file, format) = (&set.name, subject.spec.format());
        self.bar
            .set_message(format!("{file}, {format}, blocks of {block_size} bytes"));
    }

    /// A cell is so far.
    pub fn progress(&self, progress: Progress) {
        let third = STEPS / 3;
        let (thirds, part) = match progress {
            Progress::Checked { blocks, of } => (0, blocks as f64 / of as f64),
            Progress::Measured {
                direction,
                spent,
                of,
            } => {
                let part = spent.as_secs_f64() / of.as_secs_f64();
                (
                    if direction == Direction::Compress {
                        1
                    } else {
                        2
                    },
                    part,
                )
            }
            _ => return,
        };
        let within = thirds * third + (part.clamp(0.0, 1.0) * third as f64) as u64;
        let begun = self.bar.position() / STEPS * STEPS;
        // A full cell would count as the beginning of the next.
        self.bar.set_position(begun + within.min(STEPS - 1));
    }

    /// A cell is done.
    pub fn end(&self) {
        self.bar
            .set_position((self.bar.position() / STEPS + 1) * STEPS);
    }

    /// All are done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

//! How far the measurement is, on a terminal.

use std::num::NonZeroUsize;

use compressor_benches::data::DataSet;
use compressor_benches::measure::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use super::subject::Subject;

/// Parts of a step.
const PARTS: u64 = 100;

/// A bar on standard error; nothing where that is no terminal.
pub struct Bar {
    bar: ProgressBar,
}

impl Bar {
    /// For so many steps, of all cells together.
    pub fn new(steps: usize) -> Self {
        let bar = ProgressBar::new(steps as u64 * PARTS);
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

    /// A step is so far.
    pub fn progress(&self, progress: Progress) {
        let done = match progress {
            Progress::Checked { blocks, of } => blocks as f64 / of as f64,
            Progress::Measured { spent, of, .. } => spent.as_secs_f64() / of.as_secs_f64(),
            _ => return,
        };
        let within = (done.clamp(0.0, 1.0) * PARTS as f64) as u64;
        let begun = self.bar.position() / PARTS * PARTS;
        // A full step would count as the beginning of the next.
        self.bar.set_position(begun + within.min(PARTS - 1));
    }

    /// A step is done.
    pub fn step(&self) {
        self.bar
            .set_position((self.bar.position() / PARTS + 1) * PARTS);
    }

    /// All are done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

//! How far a file is, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error; nothing where that is no terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// For so many bytes of content.
    pub fn bytes(len: u64) -> Self {
        Self::new(
            len,
            "{bar:30} {percent:>3}% {eta:>4} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}",
        )
    }

    /// For so many chunks.
    pub fn chunks(count: u64) -> Self {
        Self::new(
            count,
            "{bar:30} {percent:>3}% {eta:>4} {pos} of {len} chunks",
        )
    }

    fn new(len: u64, template: &str) -> Self {
        let style = ProgressStyle::with_template(template);
        let bar = ProgressBar::new(len);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    /// So much is done.
    pub fn set(&self, done: u64) {
        self.0.set_position(done);
    }
}

impl Drop for Bar {
    /// Clears the line, also before an error is printed.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

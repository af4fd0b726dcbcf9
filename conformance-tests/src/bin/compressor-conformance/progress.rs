use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

/// Steps of a job.
const STEPS: u64 = 1_000;

/// A bar on standard error for jobs that run side by side; nothing where that is no terminal.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
    /// How far each job is.
    at: Mutex<Vec<u64>>,
}

impl Bar {
    /// For so many jobs.
    pub fn new(jobs: usize) -> Self {
        let bar = ProgressBar::new(jobs as u64 * STEPS);
        let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {elapsed:>4} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self {
            bar,
            at: Mutex::new(vec![0; jobs]),
        }
    }

    /// A job is so far.
    pub fn set(&self, job: usize, done: usize, total: usize, what: String) {
        let part = done as u64 * STEPS / total.max(1) as u64;
        let mut at = self
            .at
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(at) = at.get_mut(job) {
            *at = part;
        }
        self.bar.set_position(at.iter().sum());
        self.bar.set_message(what);
    }

    /// All are done.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

use std::path::PathBuf;

use compressor_conformance::{Failure, Report, Row};
use serde::Serialize;

use crate::machine::Machine;

/// Everything that was found.
#[derive(Debug, Serialize)]
pub struct Results {
    /// Of the suite.
    pub version: &'static str,
    /// Where it ran.
    pub machine: Machine,
    /// When it began: seconds since 1970, UTC.
    pub started: u64,
    /// How long it took.
    pub milliseconds: u64,
    /// Whether only a part was run.
    pub quick: bool,
    /// The seed of all data.
    pub seed: u64,
    /// Whether silent software is a failure.
    pub must_accelerate: bool,
    /// Whether nothing failed and something passed.
    pub conforms: bool,
    /// Each provider that was asked for.
    pub providers: Vec<Provider>,
    /// Each provider with each implementation from elsewhere.
    pub outside: Vec<Report>,
    /// Each pair of writer and reader.
    pub matrix: Vec<Report>,
}

/// A provider, and what came of it.
#[derive(Debug, Serialize)]
pub struct Provider {
    /// The name under which it is reported.
    pub name: String,
    /// Its plugin, if it is one.
    pub plugin: Option<PathBuf>,
    /// What became of it.
    pub state: State,
    /// Why it is absent, or what failed before the suite began.
    pub why: Option<String>,
    /// The version of what does the work: a simulated device says here that it is one.
    pub version: Option<String>,
    /// What it said of its health when all was done.
    pub health: Option<String>,
    /// The suite, on each way to it: alone, and inside the decorator.
    pub reports: Vec<Report>,
}

/// What became of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The suite ran on it.
    Ran,
    /// It is not there, which is normal.
    Absent,
    /// It is not there, or does not work, and that is a failure.
    Failed,
}

impl Results {
    /// Whether nothing failed and something passed.
    pub const fn conforms(&self) -> bool {
        self.conforms
    }

    /// Every report.
    pub fn reports(&self) -> impl Iterator<Item = &Report> {
        let suite = self.providers.iter().flat_map(|provider| &provider.reports);
        suite.chain(&self.outside).chain(&self.matrix)
    }

    /// Every failure of a check, with where it is from.
    pub fn failures(&self) -> impl Iterator<Item = (&Report, &Row, &Failure)> {
        self.reports().flat_map(|report| {
            let failures = report.failures();
            failures.map(move |(row, failure)| (report, row, failure))
        })
    }

    /// Providers that failed as such.
    pub fn failed_providers(&self) -> impl Iterator<Item = &Provider> {
        let providers = self.providers.iter();
        providers.filter(|provider| provider.state == State::Failed)
    }

    /// From all the rest.
    pub fn judge(&mut self) {
        let [passed, failed, _] = self.counts();
        self.conforms = passed > 0 && failed == 0 && self.failed_providers().next().is_none();
    }

    /// Rows that passed, failed and were skipped.
    pub fn counts(&self) -> [usize; 3] {
        self.reports().fold([0; 3], |sum, report| {
            let counts = report.counts();
            std::array::from_fn(|at| {
                sum.get(at).copied().unwrap_or(0) + counts.get(at).copied().unwrap_or(0)
            })
        })
    }
}

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use compressor_api::{Direction, Format};
use serde::{Deserialize, Serialize};

/// What a run found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The provider's name.
    pub provider: String,
    /// Whether only a part was run.
    pub quick: bool,
    /// The seed of all data.
    pub seed: u64,
    /// A row per check, and per format and direction where it runs on those.
    pub rows: Vec<Row>,
}

/// What one check found, on one format and direction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Row {
    /// The check's name.
    pub check: String,
    /// What it belongs to.
    pub group: String,
    /// The format; `None` for what concerns the provider as such.
    pub format: Option<String>,
    /// The direction, likewise.
    pub direction: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Cases that were run.
    pub cases: usize,
    /// Why other cases were not run, each reason once.
    pub not_tried: BTreeSet<String>,
    /// How long it took.
    pub milliseconds: u64,
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Outcome {
    /// Every case that was run held.
    Passed,
    /// These did not.
    Failed {
        /// Up to [`Options::max_failures`](crate::Options::max_failures) of them.
        failures: Vec<Failure>,
    },
    /// No case was run.
    Skipped {
        /// Why.
        reason: String,
    },
}

/// A line of the contract that was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// How.
    pub message: String,
    /// The line that runs this case again, see [`replay`](crate::replay).
    pub reproduction: String,
}

impl Report {
    /// Whether nothing failed, and something passed.
    #[must_use]
    pub fn conforms(&self) -> bool {
        let [passed, failed, _] = self.counts();
        failed == 0 && passed > 0
    }

    /// Rows that passed, failed and were skipped.
    #[must_use]
    pub fn counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for row in &self.rows {
            let [passed, failed, skipped] = &mut counts;
            *match row.outcome {
                Outcome::Passed => passed,
                Outcome::Failed { .. } => failed,
                Outcome::Skipped { .. } => skipped,
            } += 1;
        }
        counts
    }

    /// The names of the checks that failed somewhere.
    #[must_use]
    pub fn failed_checks(&self) -> BTreeSet<&str> {
        self.failures().map(|(row, _)| row.check.as_str()).collect()
    }

    /// Every failure with its row.
    pub fn failures(&self) -> impl Iterator<Item = (&Row, &Failure)> {
        self.rows.iter().flat_map(|row| {
            let failures = match &row.outcome {
                Outcome::Failed { failures } => failures.as_slice(),
                _ => &[],
            };
            failures.iter().map(move |failure| (row, failure))
        })
    }
}

impl Row {
    /// Of nothing yet.
    pub(crate) fn new(check: &str, group: &str, target: Option<(Format, Direction)>) -> Self {
        Self {
            check: check.into(),
            group: group.into(),
            format: target.map(|(format, _)| format.to_string()),
            direction: target.map(|(_, direction)| direction.to_string()),
            outcome: Outcome::Passed,
            cases: 0,
            not_tried: BTreeSet::new(),
            milliseconds: 0,
        }
    }

    /// Notes how long it took.
    pub(crate) fn took(&mut self, time: Duration) {
        self.milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    }

    /// Where it ran: `zlib decompress`, or nothing.
    fn place(&self) -> String {
        match (&self.format, &self.direction) {
            (Some(format), Some(direction)) => format!("{format} {direction}"),
            _ => "provider".into(),
        }
    }
}

impl fmt::Display for Report {
    /// The failures with their reproductions, what was skipped and why, and the sum.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (row, failure) in self.failures() {
            writeln!(
                f,
                "FAILED {} ({}): {}",
                row.check,
                row.place(),
                failure.message
            )?;
            writeln!(f, "       {}", failure.reproduction)?;
        }
        let mut skipped: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for row in &self.rows {
            if let Outcome::Skipped { reason } = &row.outcome {
                skipped.entry(reason).or_default().insert(&row.check);
            }
        }
        for (reason, checks) in skipped {
            let names: Vec<_> = checks.into_iter().collect();
            writeln!(f, "skipped, {reason}: {}", names.join(", "))?;
        }
        let [passed, failed, skipped] = self.counts();
        let part = if self.quick { " (quick)" } else { "" };
        write!(
            f,
            "{}{part}: {passed} passed, {failed} failed, {skipped} skipped, seed {}",
            self.provider, self.seed
        )
    }
}

//! What the cases of a row come to.

use std::collections::BTreeSet;

use crate::options::Options;
use crate::report::{Failure, Outcome, Row};
use crate::stop::{Fault, Stop};

/// The cases of a row, counted while they run.
#[derive(Debug)]
pub(crate) struct Tally {
    most: usize,
    cases: usize,
    not_tried: BTreeSet<String>,
    failures: Vec<Failure>,
}

impl Tally {
    /// Of nothing yet; it is full with the failures after which a check stops.
    pub(crate) const fn new(options: &Options) -> Self {
        Self {
            most: options.max_failures,
            cases: 0,
            not_tried: BTreeSet::new(),
            failures: Vec::new(),
        }
    }

    /// Counts what came of a case; `line` is what runs it again.
    pub(crate) fn count(&mut self, result: Result<(), Stop>, line: impl FnOnce(&Fault) -> String) {
        match result {
            Ok(()) => self.held(),
            Err(Stop::NotTried(why)) => self.not_tried(why),
            Err(Stop::Fault(fault)) => self.failed(Failure {
                reproduction: line(&fault),
                message: fault.message,
            }),
        }
    }

    /// A case that came out right.
    pub(crate) const fn held(&mut self) {
        self.cases += 1;
    }

    /// A case that was not run.
    pub(crate) fn not_tried(&mut self, why: String) {
        self.not_tried.insert(why);
    }

    /// A case that came out wrong; kept, unless there are enough.
    pub(crate) fn failed(&mut self, failure: Failure) {
        self.cases += 1;
        if !self.is_full() {
            self.failures.push(failure);
        }
    }

    /// Whether there are enough failures.
    pub(crate) fn is_full(&self) -> bool {
        self.failures.len() >= self.most
    }

    /// Writes it into the row. `nothing` is the reason if there was no case at all.
    pub(crate) fn finish(self, row: &mut Row, nothing: &str) {
        row.outcome = if !self.failures.is_empty() {
            Outcome::Failed {
                failures: self.failures,
            }
        } else if self.cases > 0 {
            Outcome::Passed
        } else {
            let reasons: Vec<_> = self.not_tried.iter().map(String::as_str).collect();
            let reason = match reasons.as_slice() {
                [] => nothing.to_owned(),
                reasons => reasons.join("; "),
            };
            Outcome::Skipped { reason }
        };
        row.cases = self.cases;
        row.not_tried = self.not_tried;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(fill: impl FnOnce(&mut Tally)) -> Row {
        let mut tally = Tally::new(&Options::quick());
        fill(&mut tally);
        let mut row = Row::new("check", "group", None);
        tally.finish(&mut row, "nothing listed");
        row
    }

    fn skipped(reason: &str) -> Outcome {
        let reason = reason.into();
        Outcome::Skipped { reason }
    }

    #[test]
    fn a_row_passes_by_a_case_and_is_skipped_with_the_reasons_without_one() {
        assert_eq!(finished(|_| {}).outcome, skipped("nothing listed"));
        let not_tried = |why: &'static str| {
            move |tally: &mut Tally| tally.count(Err(Stop::NotTried(why.into())), |_| String::new())
        };
        let row = finished(|tally| {
            not_tried("b")(tally);
            not_tried("a")(tally);
            not_tried("b")(tally);
        });
        assert_eq!((row.outcome, row.cases), (skipped("a; b"), 0));
        let row = finished(|tally| {
            not_tried("b")(tally);
            tally.count(Ok(()), |_| String::new());
        });
        assert_eq!((row.outcome, row.cases), (Outcome::Passed, 1));
        assert_eq!(row.not_tried.len(), 1);
    }

    #[test]
    fn failures_are_kept_until_there_are_enough_and_counted_on() {
        let row = finished(|tally| {
            for turn in 0..9 {
                tally.held();
                tally.count(Err(Stop::fault("wrong")), |_| turn.to_string());
            }
            assert!(tally.is_full());
        });
        let Outcome::Failed { failures } = row.outcome else {
            panic!("{row:?}");
        };
        let lines: Vec<_> = { failures.iter() }
            .map(|failure| failure.reproduction.as_str())
            .collect();
        assert_eq!((lines, row.cases), (vec!["0", "1", "2"], 18));
    }
}

//! The results as JUnit has them: a suite for each way to a provider, a case for each row.

use std::time::Duration;

use compressor_conformance::{Outcome, Report, Row};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::results::{Results, State};

/// Everything that was found.
pub fn report(results: &Results) -> quick_junit::Report {
    let mut report = quick_junit::Report::new("compressor-conformance");
    report.set_time(Duration::from_millis(results.milliseconds));
    for provider in &results.providers {
        let why = provider.why.as_deref().unwrap_or_default();
        let mut status = match provider.state {
            State::Ran => TestCaseStatus::success(),
            State::Absent => TestCaseStatus::skipped(),
            State::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        };
        status.set_message(why);
        let mut suite = TestSuite::new(provider.name.as_str());
        suite.add_test_case(TestCase::new("opens", status));
        report.add_test_suite(suite);
    }
    report.add_test_suites(results.reports().map(suite));
    report
}

fn suite(report: &Report) -> TestSuite {
    let mut suite = TestSuite::new(report.provider.as_str());
    suite.add_test_cases(report.rows.iter().map(|row| case(row, &report.provider)));
    suite
}

fn case(row: &Row, provider: &str) -> TestCase {
    let status = match &row.outcome {
        Outcome::Passed => TestCaseStatus::success(),
        Outcome::Skipped { reason } => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(reason.as_str());
            status
        }
        Outcome::Failed { failures } => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let lines = { failures.iter() }
                .map(|failure| format!("{}\n{}", failure.message, failure.reproduction));
            if let Some(first) = failures.first() {
                status.set_message(first.message.as_str());
            }
            status.set_description(lines.collect::<Vec<_>>().join("\n"));
            status
        }
        // What a later suite may say is none of these.
        _ => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    let place = [&row.format, &row.direction].into_iter().flatten();
    let name: Vec<&str> = [&row.check]
        .into_iter()
        .chain(place)
        .map(String::as_str)
        .collect();
    let mut case = TestCase::new(name.join(" "), status);
    case.set_classname(provider)
        .set_assertions(row.cases)
        .set_time(Duration::from_millis(row.milliseconds));
    case
}

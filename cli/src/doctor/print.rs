//! What `doctor` found, for people.

use std::io::Write;

use super::report::{Check, Report, State};
use crate::failure::{Failure, printable};

/// Prints a line for each check, its remedy below it; those that were skipped for one reason share
/// a line.
pub fn print(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    let width = report.checks.iter().map(|c| c.name.len()).max();
    let width = width.unwrap_or_default();
    let mut line = |text: String| writeln!(out, "{}", printable(&text)).map_err(Failure::output);
    for check in report.checks.iter().filter(|c| c.state != State::Skipped) {
        let Check { name, found, .. } = check;
        line(format!(
            "{:<7}  {name:<width$}  {found}",
            state(check.state)
        ))?;
        if let Some(remedy) = &check.remedy {
            line(format!("{:<7}  {:<width$}  remedy: {remedy}", "", ""))?;
        }
    }
    for (why, names) in skipped(report) {
        line(format!("skipped  {}: {why}", names.join(", ")))?;
    }
    let tested = |check: &Check| check.name == "self-test" && check.state == State::Ok;
    line(if report.usable && report.checks.iter().any(tested) {
        "QAT can be used.".into()
    } else if report.usable {
        "Nothing is in the way of QAT, as far as it was looked at.".into()
    } else if report.devices.is_empty() {
        "QAT cannot be used: there is no device. Software serves all formats.".into()
    } else {
        "QAT cannot be used as it is. Software serves all formats.".into()
    })
}

fn state(state: State) -> &'static str {
    match state {
        State::Ok => "ok",
        State::Warning => "warning",
        State::Failed => "FAILED",
        State::Skipped => "skipped",
    }
}

/// The checks that were skipped, by the reason.
fn skipped(report: &Report) -> Vec<(&str, Vec<&'static str>)> {
    let mut reasons: Vec<(&str, Vec<&'static str>)> = Vec::new();
    for check in report.checks.iter().filter(|c| c.state == State::Skipped) {
        match reasons.iter_mut().find(|(why, _)| *why == check.found) {
            Some((_, names)) => names.push(check.name),
            None => reasons.push((&check.found, vec![check.name])),
        }
    }
    reasons
}

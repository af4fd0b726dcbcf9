//! What a person sees: failures with the lines that run them again, tables, and the sum.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use compressor_conformance::{Outcome, Report, matrix};

use crate::args::Args;
use crate::failure::Failure;
use crate::replay::SUBJECT;
use crate::results::{Results, State};

/// Everything that was found.
pub fn results(results: &Results, args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let numbers = [2, 3, 4];
    let mut notes = Notes::default();
    let columns = ["provider", "format", "passed", "failed", "skipped", "why"];
    table(&columns, &numbers, suite_rows(results, &mut notes), out)?;
    let outside = outside_rows(results, &mut notes);
    if !outside.is_empty() {
        let columns = ["outside", "provider", "passed", "failed", "skipped", "why"];
        line(out, "")?;
        table(&columns, &numbers, outside, out)?;
    }
    let pairs = matrix_rows(results, &mut notes);
    if !pairs.is_empty() {
        let columns = ["written by", "format", "read", "failed", "skipped", "why"];
        line(out, "")?;
        table(&columns, &numbers, pairs, out)?;
    }
    notes.print(out)?;
    line(out, "")?;
    for provider in results.failed_providers() {
        let why = provider.why.as_deref().unwrap_or_default();
        line(out, &format!("FAILED {}: {why}", provider.name))?;
    }
    let mut plugins = BTreeMap::new();
    for provider in &results.providers {
        if let Some(path) = &provider.plugin {
            plugins.insert(provider.name.as_str(), path.display().to_string());
        }
    }
    for (report, row, failure) in results.failures() {
        let place: Vec<&str> = [&row.format, &row.direction]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let (who, check, message) = (&report.provider, &row.check, &failure.message);
        line(
            out,
            &format!("FAILED {who} {}: {check}: {message}", place.join(" ")),
        )?;
        let mut command = String::from("       compressor-conformance");
        for (name, path) in &plugins {
            // Names of parties are separated by blanks, and a decorated one ends with its own.
            if who.split(' ').any(|party| party.ends_with(name)) {
                command += &format!(" --plugin {}", quoted(path));
            }
        }
        for (given, option) in [
            (args.quick, " --quick"),
            (args.must_accelerate, " --must-accelerate"),
        ] {
            if given {
                command += option;
            }
        }
        let reproduction = &failure.reproduction;
        let again = match row.group == matrix::GROUP {
            true => reproduction.clone(),
            false => format!("{SUBJECT}={who} {reproduction}"),
        };
        line(out, &format!("{command} --replay {}", quoted(&again)))?;
    }
    let [passed, failed, skipped] = results.counts();
    if passed == 0 && failed == 0 {
        line(out, "FAILED: nothing could be tried, so nothing is proved")?;
    }
    let broken = results.failed_providers().count();
    let ran = { results.providers.iter() }
        .filter(|provider| provider.state == State::Ran)
        .count();
    let part = if results.quick { ", quick" } else { "" };
    line(
        out,
        &format!(
            "{}: {ran} providers ran, {broken} failed to, {passed} checks passed, {failed} failed, \
             {skipped} skipped, in {:.1} s (seed {}{part})",
            if results.conforms { "PASSED" } else { "FAILED" },
            results.milliseconds as f64 / 1_000.0,
            results.seed,
        ),
    )
}

/// A row per way to a provider and format; one for a provider that is not there.
fn suite_rows(results: &Results, notes: &mut Notes) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for provider in &results.providers {
        if provider.reports.is_empty() {
            let what = match provider.state {
                State::Failed => ["0", "1", "0"],
                _ => ["0", "0", "1"],
            };
            let why = provider.why.clone().unwrap_or_default();
            rows.push(cells(&provider.name, "", what.map(str::to_owned), why));
        }
        for report in &provider.reports {
            let mut formats: BTreeMap<&str, Sum> = BTreeMap::new();
            for row in &report.rows {
                let format = row.format.as_deref().unwrap_or_default();
                formats
                    .entry(format)
                    .or_default()
                    .add(&row.check, &row.outcome);
            }
            for (format, sum) in formats {
                rows.push(cells(&report.provider, format, sum.counts(), notes.of(sum)));
            }
        }
    }
    rows
}

/// A row per implementation from elsewhere and provider; one for an implementation that is not here.
fn outside_rows(results: &Results, notes: &mut Notes) -> Vec<Vec<String>> {
    let mut sums: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    for report in &results.outside {
        for row in &report.rows {
            let missing = row.format.is_none() && matches!(row.outcome, Outcome::Skipped { .. });
            let provider = if missing {
                ""
            } else {
                report.provider.as_str()
            };
            let sum = sums.entry((&row.check, provider)).or_default();
            if !missing || sum.skipped == 0 {
                sum.add(&row.check, &row.outcome);
            }
        }
    }
    let row = |((check, provider), sum): ((&str, &str), Sum)| {
        cells(check, provider, sum.counts(), notes.of(sum))
    };
    sums.into_iter().map(row).collect()
}

/// A row per writer and format.
fn matrix_rows(results: &Results, notes: &mut Notes) -> Vec<Vec<String>> {
    let mut writers: Vec<(&str, BTreeMap<&str, Sum>)> = Vec::new();
    for report in &results.matrix {
        let (writer, reader) = parties(report);
        if writers.last().is_none_or(|(last, _)| *last != writer) {
            let known = writers.iter().position(|(name, _)| *name == writer);
            match known {
                Some(at) => {
                    let known = writers.remove(at);
                    writers.push(known);
                }
                None => writers.push((writer, BTreeMap::new())),
            }
        }
        let Some((_, formats)) = writers.last_mut() else {
            continue;
        };
        for row in &report.rows {
            let format = row.format.as_deref().unwrap_or_default();
            formats.entry(format).or_default().add(reader, &row.outcome);
        }
    }
    writers.sort_by_key(|(writer, _)| *writer);
    let mut rows = Vec::new();
    for (writer, formats) in writers {
        for (format, sum) in formats {
            rows.push(cells(writer, format, sum.counts(), notes.of(sum)));
        }
    }
    rows
}

fn parties(report: &Report) -> (&str, &str) {
    report
        .provider
        .split_once(" to ")
        .unwrap_or((&report.provider, ""))
}

fn cells(name: &str, format: &str, counts: [String; 3], why: String) -> Vec<String> {
    let [passed, failed, skipped] = counts;
    let (name, format) = (name.to_owned(), format.to_owned());
    vec![name, format, passed, failed, skipped, why]
}

/// What came of several rows.
#[derive(Default)]
struct Sum {
    passed: usize,
    failed: usize,
    skipped: usize,
    /// What was skipped, by reason.
    reasons: BTreeMap<String, BTreeSet<String>>,
}

impl Sum {
    fn add(&mut self, what: &str, outcome: &Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Skipped { reason } => {
                self.skipped += 1;
                let names = self.reasons.entry(reason.clone()).or_default();
                names.insert(what.to_owned());
            }
            _ => self.failed += 1,
        }
    }

    fn counts(&self) -> [String; 3] {
        [self.passed, self.failed, self.skipped].map(|count| count.to_string())
    }
}

/// Why rows were skipped: each reason once, with what was skipped for it.
#[derive(Default)]
struct Notes(Vec<(String, BTreeSet<String>)>);

impl Notes {
    /// The numbers of a sum's reasons.
    fn of(&mut self, sum: Sum) -> String {
        let numbers = sum.reasons.into_iter().map(|(reason, names)| {
            let known = self.0.iter().position(|(known, _)| *known == reason);
            let at = known.unwrap_or(self.0.len());
            match self.0.get_mut(at) {
                Some((_, all)) => all.extend(names),
                None => self.0.push((reason, names)),
            }
            format!("({})", at + 1)
        });
        numbers.collect::<Vec<_>>().join(" ")
    }

    fn print(&self, out: &mut dyn Write) -> Result<(), Failure> {
        for (at, (reason, names)) in self.0.iter().enumerate() {
            if at == 0 {
                line(out, "\nSkipped:")?;
            }
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            line(out, &format!("({}) {reason}: {}", at + 1, names.join(", ")))?;
        }
        Ok(())
    }
}

/// Prints rows of cells under their columns; `numbers` are the columns that hold those.
pub fn table(
    columns: &[&str],
    numbers: &[usize],
    rows: impl IntoIterator<Item = Vec<String>>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(columns);
    for (at, column) in table.column_iter_mut().enumerate() {
        if numbers.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.add_rows(rows);
    writeln!(out, "{table}").map_err(Failure::output)
}

fn line(out: &mut dyn Write, text: &str) -> Result<(), Failure> {
    writeln!(out, "{text}").map_err(Failure::output)
}

/// As one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_a_quote_stays_one_word() {
        assert_eq!(quoted("/it's here"), r"'/it'\''s here'");
    }
}

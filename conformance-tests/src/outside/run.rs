//! Runs every exchange of a provider, and reports it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use compressor_api::{Capabilities, CompressorFactory, Direction, Format};

use super::exchange::Exchange;
use super::{Detected, Frozen, Outside, agreement, detect, frozen, plan};
use crate::case::Case;
use crate::contain::{caught, contained};
use crate::data::Kind;
use crate::options::Options;
use crate::report::{Failure, Outcome, Report, Row};
use crate::reproduction::Reproduction;
use crate::stop::Stop;

/// The group of these rows, for [`Options::only`] and in reports.
///
/// A row's check is `outside:` and the implementation's name. Its direction is the provider's:
/// `compress` where the provider writes and the implementation reads, `decompress` the other way
/// round.
pub const GROUP: &str = "outside";

/// The check that reads the units which are kept as data.
const FROZEN: &str = "outside:frozen";

/// Exchanges units between each provider and each implementation that is found; a report for each
/// provider, in their order.
///
/// The suite ([`crate::run`]) limits and watches calls of a provider; here they are taken to return.
#[must_use]
pub fn run(providers: &[(&str, Arc<dyn CompressorFactory>)], options: &Options) -> Vec<Report> {
    let mut detected = detect();
    providers
        .iter()
        .map(|(name, provider)| run_with(&mut detected, name, &**provider, options))
        .collect()
}

/// As [`run`], for one provider with implementations that were looked for before.
#[must_use]
pub fn run_with(
    detected: &mut [Detected],
    name: &str,
    provider: &dyn CompressorFactory,
    options: &Options,
) -> Report {
    let mut rows = Vec::new();
    let listed = match caught(|| provider.capabilities().to_vec()) {
        Ok(listed) => listed,
        Err(message) => {
            let mut tally = Tally::new(GROUP, options);
            let stop = Stop::fault(format!("{message}, when asked what it does"));
            tally.count(None, &Case::new(Kind::Zeros, 0, 0), Err(stop));
            let rows = vec![tally.finish(row(GROUP.into(), None))];
            return report(name, rows, options);
        }
    };
    if wanted(FROZEN, options) {
        rows.extend(frozen_rows(provider, &listed, options));
    }
    for one in detected {
        let check = check_of(one.name());
        if !wanted(&check, options) {
            continue;
        }
        match one {
            Detected::Missing { why, .. } => {
                let mut row = row(check, None);
                row.outcome = Outcome::Skipped {
                    reason: why.clone(),
                };
                rows.push(row);
            }
            Detected::Found(outside) => {
                let provider = (provider, &*listed);
                rows.extend(rows_with(&check, &mut **outside, provider, options));
            }
        }
    }
    report(name, rows, options)
}

/// The report of a provider with which nothing is tried, and why.
#[must_use]
pub fn skipped(name: &str, why: &str, options: &Options) -> Report {
    let mut row = row(GROUP.into(), None);
    row.outcome = Outcome::Skipped { reason: why.into() };
    report(name, vec![row], options)
}

/// Runs one case again.
///
/// # Errors
///
/// If the line is about no implementation that is found, or nothing that both parties do.
pub fn replay(
    name: &str,
    provider: &dyn CompressorFactory,
    options: &Options,
    reproduction: &Reproduction,
) -> Result<Report, String> {
    let check = reproduction.check();
    let (format, direction) = reproduction
        .target
        .ok_or_else(|| format!("{check} runs on a format and direction"))?;
    let listed = caught(|| provider.capabilities().to_vec())?;
    let capabilities = find(&listed, format, direction)
        .ok_or_else(|| format!("{name} does not {direction} {format}"))?;
    if check == FROZEN {
        let rows = frozen_rows(provider, &listed, options);
        return Ok(report(name, rows, options));
    }
    let found = detect()
        .into_iter()
        .find(|one| check_of(one.name()) == check);
    let mut outside = match found {
        Some(Detected::Found(outside)) => outside,
        Some(missing @ Detected::Missing { .. }) => return Err(missing.to_string()),
        None => return Err(format!("no implementation is called {check:?}")),
    };
    let mut exchange = Exchange {
        provider,
        capabilities,
        outside: &mut *outside,
    };
    let mut tally = Tally::new(check, options);
    tally.run(&mut exchange, &reproduction.case);
    let row = tally.finish(row(check.to_owned(), Some((format, direction))));
    Ok(report(name, vec![row], options))
}

fn check_of(name: &str) -> String {
    format!("{GROUP}:{name}")
}

fn wanted(check: &str, options: &Options) -> bool {
    let mut only = options.only.iter();
    options.only.is_empty() || only.any(|name| name == check || name == GROUP)
}

fn report(name: &str, rows: Vec<Row>, options: &Options) -> Report {
    Report {
        provider: name.to_owned(),
        quick: options.quick,
        seed: options.seed,
        rows,
    }
}

fn row(check: String, key: Option<(Format, Direction)>) -> Row {
    Row {
        check,
        group: GROUP.into(),
        format: key.map(|(format, _)| format.to_string()),
        direction: key.map(|(_, direction)| direction.to_string()),
        outcome: Outcome::Passed,
        cases: 0,
        not_tried: BTreeSet::new(),
        milliseconds: 0,
    }
}

fn find(listed: &[Capabilities], format: Format, direction: Direction) -> Option<Capabilities> {
    let mut all = listed.iter().copied();
    all.find(|one| one.format == format && one.direction == direction)
}

fn frozen_rows(
    provider: &dyn CompressorFactory,
    listed: &[Capabilities],
    options: &Options,
) -> Vec<Row> {
    let direction = Direction::Decompress;
    let units = match frozen() {
        Ok(units) => units,
        Err(line) => {
            let mut tally = Tally::new(FROZEN, options);
            tally.count(None, &Case::new(Kind::Zeros, 0, 0), Err(Stop::fault(line)));
            return vec![tally.finish(row(FROZEN.into(), None))];
        }
    };
    Format::ALL
        .into_iter()
        .filter(|format| find(listed, *format, direction).is_some())
        .map(|format| {
            let key = Some((format, direction));
            let mut tally = Tally::new(FROZEN, options);
            let of_format = |unit: &&Frozen| unit.format == format;
            for unit in units.iter().filter(of_format) {
                let case = Case::of_unit(&unit.unit, unit.content.len());
                tally.count(key, &case, contained(|| unit.check(provider)));
            }
            tally.finish(row(FROZEN.into(), key))
        })
        .collect()
}

/// A row for each format that both parties have, and each direction.
fn rows_with(
    check: &str,
    outside: &mut dyn Outside,
    (provider, listed): (&dyn CompressorFactory, &[Capabilities]),
    options: &Options,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for side in outside.sides().to_vec() {
        let of = |direction| find(listed, side.format, direction);
        if Direction::BOTH.into_iter().all(|one| of(one).is_none()) {
            continue;
        }
        for direction in Direction::BOTH {
            let mut row = row(check.to_owned(), Some((side.format, direction)));
            let Some(capabilities) = of(direction) else {
                row.outcome = Outcome::Skipped {
                    reason: format!("does not {direction} {}", side.format),
                };
                rows.push(row);
                continue;
            };
            let slow = outside.is_slow();
            let mut exchange = Exchange {
                provider,
                capabilities,
                outside: &mut *outside,
            };
            let mut tally = Tally::new(check, options);
            for case in plan::cases(&capabilities, &side, slow, options) {
                tally.run(&mut exchange, &case);
            }
            if direction == Direction::Decompress && agreement::has_checksum(side.format) {
                damaged(&mut exchange, &mut tally, slow, options);
            }
            rows.push(tally.finish(row));
        }
    }
    rows
}

/// Damages a unit that the implementation writes in many ways, and gives each to both.
fn damaged(exchange: &mut Exchange<'_>, tally: &mut Tally<'_>, slow: bool, options: &Options) {
    let case = Case::new(Kind::Text, 100, options.seed);
    let content = case.content();
    match exchange.written_outside(&case, &content) {
        Ok((_, unit)) => {
            for case in agreement::cases(&case, &unit, content.len(), slow) {
                tally.run(exchange, &case);
            }
        }
        Err(stop) => {
            let key = (exchange.capabilities.format, Direction::Decompress);
            tally.count(Some(key), &case, Err(stop));
        }
    }
}

/// What a row comes to.
struct Tally<'a> {
    check: &'a str,
    options: &'a Options,
    started: Instant,
    cases: usize,
    not_tried: BTreeSet<String>,
    failures: Vec<Failure>,
}

impl<'a> Tally<'a> {
    fn new(check: &'a str, options: &'a Options) -> Self {
        Self {
            check,
            options,
            started: Instant::now(),
            cases: 0,
            not_tried: BTreeSet::new(),
            failures: Vec::new(),
        }
    }

    fn run(&mut self, exchange: &mut Exchange<'_>, case: &Case) {
        if self.failures.len() < self.options.max_failures {
            let Capabilities {
                format, direction, ..
            } = exchange.capabilities;
            self.count(Some((format, direction)), case, exchange.run(case));
        }
    }

    fn count(&mut self, key: Option<(Format, Direction)>, case: &Case, result: Result<(), Stop>) {
        match result {
            Ok(()) => self.cases += 1,
            Err(Stop::NotTried(why)) => {
                self.not_tried.insert(why);
            }
            Err(Stop::Fault(fault)) => {
                self.cases += 1;
                let line = Reproduction::of(self.check, key, case.clone(), Some(&fault));
                self.failures.push(Failure {
                    message: fault.message,
                    reproduction: line.to_string(),
                });
            }
        }
    }

    fn finish(self, mut row: Row) -> Row {
        row.outcome = if !self.failures.is_empty() {
            Outcome::Failed {
                failures: self.failures,
            }
        } else if self.cases == 0 {
            let reasons: Vec<_> = self.not_tried.iter().cloned().collect();
            let reason = match reasons.is_empty() {
                true => "nothing to exchange".to_owned(),
                false => reasons.join("; "),
            };
            Outcome::Skipped { reason }
        } else {
            Outcome::Passed
        };
        row.cases = self.cases;
        row.not_tried = self.not_tried;
        row.milliseconds = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        row
    }
}

//! Runs every exchange of a provider, and reports it.

use std::time::Instant;

use compressor_api::{Capabilities, Direction, Format};

use super::exchange::Exchange;
use super::{Detected, Frozen, Outside, agreement, detect, frozen, plan};
use crate::bench::Bench;
use crate::case::Case;
use crate::contain::{Unanswered, contained};
use crate::data::Kind;
use crate::options::Options;
use crate::report::{Outcome, Report, Row};
use crate::reproduction::Reproduction;
use crate::stop::{Fault, Stop};
use crate::subject::Subject;
use crate::tally::Tally;
use crate::target::Target;

/// The group of these rows, for [`Options::only`] and in reports.
///
/// A row's check is `outside:` and the implementation's name. Its direction is the provider's:
/// `compress` where the provider writes and the implementation reads, `decompress` the other way
/// round.
pub const GROUP: &str = "outside";

/// The check that reads the units which are kept as data.
const FROZEN: &str = "outside:frozen";

/// Exchanges units between a provider and each implementation that was looked for.
///
/// The suite ([`crate::run`]) limits and watches calls of a provider; here they are taken to return.
#[must_use]
pub fn run_with(
    detected: &mut [Detected],
    name: &str,
    subject: &Subject,
    options: &Options,
) -> Report {
    let mut rows = Vec::new();
    let parties = match Parties::of(subject, options) {
        Ok(parties) => parties,
        Err(message) => {
            let mut tally = Tally::new(options);
            tally.count(Err(Stop::fault(message)), |_| format!("check={GROUP}"));
            let mut row = Row::new(GROUP, GROUP, None);
            tally.finish(&mut row, "");
            return report(name, vec![row], options);
        }
    };
    if wanted(FROZEN, options) {
        rows.extend(parties.frozen());
    }
    for one in detected {
        let check = check_of(one.name());
        if !wanted(&check, options) {
            continue;
        }
        match one {
            Detected::Missing { why, .. } => rows.push(skip(&check, None, why.clone())),
            Detected::Found(outside) => rows.extend(parties.with(&check, &mut **outside)),
        }
    }
    report(name, rows, options)
}

/// The report of a provider with which nothing is tried, and why.
#[must_use]
pub fn skipped(name: &str, why: &str, options: &Options) -> Report {
    report(name, vec![skip(GROUP, None, why.into())], options)
}

/// Runs one case again, with whatever is found here.
///
/// # Errors
///
/// As [`replay_with`].
pub fn replay(
    name: &str,
    subject: &Subject,
    options: &Options,
    reproduction: &Reproduction,
) -> Result<Report, String> {
    replay_with(&mut detect(), name, subject, options, reproduction)
}

/// Runs one case again, with implementations that were looked for before.
///
/// # Errors
///
/// If the line is about no implementation that is found, or nothing that both parties do.
pub fn replay_with(
    detected: &mut [Detected],
    name: &str,
    subject: &Subject,
    options: &Options,
    reproduction: &Reproduction,
) -> Result<Report, String> {
    let check = reproduction.check();
    let key = reproduction
        .target
        .ok_or_else(|| format!("{check} runs on a format and direction"))?;
    let (format, direction) = key;
    let target = Parties::of(subject, options)?
        .target(format, direction)
        .ok_or_else(|| format!("{name} does not {direction} {format}"))?;
    let case = &reproduction.case;
    let result = if check == FROZEN {
        let line = case.at.unwrap_or(0);
        let unit = { frozen()?.into_iter() }
            .find(|unit| (unit.line, unit.format) == (line, format))
            .ok_or_else(|| format!("line {line} of vectors/outside.tsv is no unit of {format}"))?;
        read_frozen(&target, &unit, case)
    } else {
        let mut found = detected
            .iter_mut()
            .filter(|one| check_of(one.name()) == check);
        match found.next() {
            Some(Detected::Found(outside)) => Exchange {
                target: &target,
                outside: &mut **outside,
            }
            .run(case),
            Some(missing @ Detected::Missing { .. }) => return Err(missing.to_string()),
            None => return Err(format!("no implementation is called {check:?}")),
        }
    };
    let mut tally = Tally::new(options);
    tally.count(result, line_of(check, key, case));
    let mut row = Row::new(check, GROUP, Some(key));
    tally.finish(&mut row, NOTHING);
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

fn skip(check: &str, key: Option<(Format, Direction)>, reason: String) -> Row {
    let mut row = Row::new(check, GROUP, key);
    row.outcome = Outcome::Skipped { reason };
    row
}

/// The line that runs a case again.
fn line_of(check: &str, key: (Format, Direction), case: &Case) -> impl FnOnce(&Fault) -> String {
    move |fault| Reproduction::of(check, Some(key), case.clone(), Some(fault)).to_string()
}

/// The provider, and what it says that it does.
struct Parties {
    bench: Bench,
    listed: Vec<Capabilities>,
}

impl Parties {
    fn of(subject: &Subject, options: &Options) -> Result<Self, String> {
        let bench = Bench {
            subject: subject.clone(),
            options: options.clone(),
        };
        match bench.listed() {
            Ok(listed) => Ok(Self { bench, listed }),
            Err(Unanswered::Panicked(message) | Unanswered::Late(message)) => {
                Err(format!("{message}, when asked what it does"))
            }
        }
    }

    fn target(&self, format: Format, direction: Direction) -> Option<Target> {
        self.bench.target(&self.listed, format, direction)
    }

    /// A row for each format whose frozen units the provider may read.
    fn frozen(&self) -> Vec<Row> {
        let options = &self.bench.options;
        let units = match frozen() {
            Ok(units) => units,
            Err(line) => {
                let mut tally = Tally::new(options);
                tally.count(Err(Stop::fault(line)), |_| format!("check={FROZEN}"));
                let mut row = Row::new(FROZEN, GROUP, None);
                tally.finish(&mut row, "");
                return vec![row];
            }
        };
        let mut rows = Vec::new();
        for format in Format::ALL {
            let Some(target) = self.target(format, Direction::Decompress) else {
                continue;
            };
            let (key, started) = ((format, Direction::Decompress), Instant::now());
            let mut tally = Tally::new(options);
            for unit in units.iter().filter(|unit| unit.format == format) {
                if tally.is_full() {
                    break;
                }
                let result = read_frozen(&target, unit, &unit.case);
                tally.count(result, line_of(FROZEN, key, &unit.case));
            }
            let mut row = Row::new(FROZEN, GROUP, Some(key));
            tally.finish(&mut row, NOTHING);
            row.took(started.elapsed());
            rows.push(row);
        }
        rows
    }

    /// A row for each format that both parties have, and each direction.
    fn with(&self, check: &str, outside: &mut dyn Outside) -> Vec<Row> {
        let options = &self.bench.options;
        let mut rows = Vec::new();
        for side in outside.sides().to_vec() {
            if !self.listed.iter().any(|one| one.format == side.format) {
                continue;
            }
            for direction in Direction::BOTH {
                let key = (side.format, direction);
                let Some(target) = self.target(side.format, direction) else {
                    let why = format!("does not {direction} {}", side.format);
                    rows.push(skip(check, Some(key), why));
                    continue;
                };
                let started = Instant::now();
                let slow = outside.is_slow();
                let mut cases = plan::cases(&target.capabilities, &side, slow, options);
                let mut exchange = Exchange {
                    target: &target,
                    outside: &mut *outside,
                };
                let mut tally = Tally::new(options);
                if direction == Direction::Decompress && agreement::has_checksum(side.format) {
                    let case = Case::new(Kind::Text, 100, options.seed);
                    match damaged(&mut exchange, &case, slow) {
                        Ok(damaged) => cases.extend(damaged),
                        Err(stop) => tally.count(Err(stop), line_of(check, key, &case)),
                    }
                }
                for case in &cases {
                    if tally.is_full() {
                        break;
                    }
                    tally.count(exchange.run(case), line_of(check, key, case));
                }
                let mut row = Row::new(check, GROUP, Some(key));
                tally.finish(&mut row, NOTHING);
                row.took(started.elapsed());
                rows.push(row);
            }
        }
        rows
    }
}

/// Why a row has no cases, where no case says it.
const NOTHING: &str = "nothing to exchange";

fn read_frozen(target: &Target, unit: &Frozen, case: &Case) -> Result<(), Stop> {
    let result = contained(|| unit.check(target, case));
    target.subject.drops().judge(result)
}

/// The unit that the implementation writes of a case, damaged in many ways.
fn damaged(exchange: &mut Exchange<'_>, case: &Case, slow: bool) -> Result<Vec<Case>, Stop> {
    let content = case.content();
    let unit = exchange.written_outside(case, &content)?;
    Ok(agreement::cases(case, &unit, content.len(), slow))
}

//! Every encoder of a format against every decoder of it.
//!
//! Each party is a provider under a name: alone, in a decorator, behind the plugin ABI. What one
//! writes at each of its levels, each other one reads, itself included; decoded data is compared.
//! With a decorator among the parties, that is also "written by the accelerator, read with it
//! removed", and the reverse.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use compressor_api::{
    Capabilities, CompressSession, CompressorFactory, DecompressSession, DictionarySupport,
    Direction, Format,
};

use crate::bench::Bench;
use crate::case::{Case, DictionaryChoice};
use crate::check::Group;
use crate::checks::{self, NEVER_PANICS, RETURNS_IN_TIME};
use crate::contain::{Unanswered, contained};
use crate::data::Kind;
use crate::judge::same;
use crate::options::Options;
use crate::report::{Failure, Report, Row};
use crate::reproduction::Reproduction;
use crate::sizes::{FEW, some_kinds};
use crate::stop::Stop;
use crate::subject::Subject;
use crate::tally::Tally;
use crate::target::Target;

/// The name of the check, in every row.
pub const CHECK: &str = "cross-read";

/// The group of these rows, for [`Options::only`] and in reports.
pub const GROUP: &str = "matrix";

/// What is proved, in one sentence.
pub const PROVES: &str =
    "What one implementation of a format writes, every other one reads, within its limits.";

/// An implementation that takes part, under a name without blanks.
#[derive(Clone)]
pub struct Party {
    name: String,
    subject: Subject,
}

impl Party {
    /// An opened provider, however it is reached.
    #[must_use]
    pub fn new(name: impl Into<String>, factory: Arc<dyn CompressorFactory>) -> Self {
        Self {
            name: name.into(),
            subject: Subject::new(factory),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn asked(&self, options: &Options) -> Result<Asked, Unanswered> {
        let bench = Bench {
            subject: self.subject.clone(),
            options: options.clone(),
        };
        Ok(Asked {
            name: self.name.clone(),
            listed: bench.listed()?,
            bench,
        })
    }
}

/// A party that has said what it does.
struct Asked {
    name: String,
    bench: Bench,
    listed: Vec<Capabilities>,
}

impl Asked {
    fn side(&self, format: Format, direction: Direction) -> Option<Side> {
        Some(Side {
            name: self.name.clone(),
            target: self.bench.target(&self.listed, format, direction)?,
        })
    }
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Party").field("name", &self.name).finish()
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Formats of writers that are done.
    pub done: usize,
    /// Formats of writers that there are.
    pub total: usize,
    /// Who writes next.
    pub writer: &'a str,
    /// What it writes.
    pub format: Format,
}

/// Runs all of them; a report for each pair of writer and reader that have a format in common, with
/// a row per format, whose time is that of the reader.
///
/// Returns whatever the parties do, as [`run`](crate::run) does.
#[must_use]
pub fn run(
    parties: &[Party],
    options: &Options,
    mut progress: impl FnMut(Progress<'_>),
) -> Vec<Report> {
    let mut reports = Vec::new();
    if !wanted(options) {
        return reports;
    }
    let mut asked = Vec::new();
    for party in parties {
        match party.asked(options) {
            Ok(party) => asked.push(party),
            Err(unanswered) => reports.push(silent(&party.name, unanswered, options)),
        }
    }
    let plans = plans(&asked, options);
    let mut hung = BTreeSet::new();
    for (done, plan) in plans.iter().enumerate() {
        progress(Progress {
            done,
            total: plans.len(),
            writer: &plan.writer.name,
            format: plan.format,
        });
        for (reader, row) in plan.run(plan.cases(), &mut hung) {
            let pair = pair(&plan.writer.name, &reader);
            match reports
                .iter_mut()
                .find(|r: &&mut Report| r.provider == pair)
            {
                Some(report) => report.rows.push(row),
                None => reports.push(Report {
                    provider: pair,
                    quick: options.quick,
                    seed: options.seed,
                    rows: vec![row],
                }),
            }
        }
    }
    reports
}

/// Runs one case again, from the line that a failure of [`run`] carries.
///
/// # Errors
///
/// If the line cannot be read, or names a party that is not there or does not do the format.
pub fn replay(parties: &[Party], options: &Options, line: &str) -> Result<Report, String> {
    let (mut from, mut to) = (None, None);
    let mut rest = Vec::new();
    for field in line.split_whitespace() {
        match field.split_once('=') {
            Some(("from", name)) => from = Some(name),
            Some(("to", name)) => to = Some(name),
            _ => rest.push(field),
        }
    }
    let reproduction: Reproduction = rest.join(" ").parse()?;
    let (format, _) = reproduction.target.ok_or("says no format")?;
    let find = |key: &str, name: Option<&str>, direction| {
        let name = name.ok_or_else(|| format!("{CHECK} says no {key}"))?;
        let party = parties.iter().find(|party| party.name == name);
        let party = party.ok_or_else(|| format!("nobody here is called {name:?}"))?;
        let asked = party.asked(options);
        let asked = asked.map_err(|_| format!("{name} does not say what it does"))?;
        let side = asked.side(format, direction);
        side.ok_or_else(|| format!("{name} does not {direction} {format}"))
    };
    let writer = find("from", from, Direction::Compress)?;
    let reader = find("to", to, Direction::Decompress)?;
    let provider = pair(&writer.name, &reader.name);
    let plan = Plan {
        format,
        writer,
        readers: vec![reader],
        options,
    };
    let rows = plan.run(vec![reproduction.case], &mut BTreeSet::new());
    Ok(Report {
        provider,
        quick: options.quick,
        seed: options.seed,
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    })
}

/// The report of a party that does not even say what it does.
fn silent(name: &str, unanswered: Unanswered, options: &Options) -> Report {
    let (check, message) = match unanswered {
        Unanswered::Panicked(message) => (NEVER_PANICS, message),
        Unanswered::Late(message) => (RETURNS_IN_TIME, message),
    };
    let mut row = Row::new(check, Group::Conduct.name(), None);
    let mut tally = Tally::new(options);
    tally.failed(Failure {
        message: format!("{message}, when asked what it does"),
        reproduction: format!("check={}", checks::CAPABILITIES),
    });
    tally.finish(&mut row, "");
    Report {
        provider: name.to_owned(),
        quick: options.quick,
        seed: options.seed,
        rows: vec![row],
    }
}

fn pair(writer: &str, reader: &str) -> String {
    format!("{writer} to {reader}")
}

fn wanted(options: &Options) -> bool {
    options.only.is_empty()
        || options
            .only
            .iter()
            .any(|name| name == CHECK || name == GROUP)
}

/// Who writes each format, and who reads it.
fn plans<'a>(parties: &[Asked], options: &'a Options) -> Vec<Plan<'a>> {
    let mut plans = Vec::new();
    for format in Format::ALL {
        let readers: Vec<Side> = { parties.iter() }
            .filter_map(|party| party.side(format, Direction::Decompress))
            .collect();
        let writers = { parties.iter() }
            .filter_map(|party| party.side(format, Direction::Compress))
            .filter(|_| !readers.is_empty());
        plans.extend(writers.map(|writer| Plan {
            format,
            writer,
            readers: readers.clone(),
            options,
        }));
    }
    plans
}

/// A party in one direction of a format.
#[derive(Clone, Debug)]
struct Side {
    name: String,
    target: Target,
}

/// What one party writes in one format, for all that read it.
#[derive(Debug)]
struct Plan<'a> {
    format: Format,
    writer: Side,
    readers: Vec<Side>,
    options: &'a Options,
}

impl Plan<'_> {
    /// Content of every size, at every level, with every dictionary; those that share a session
    /// one after the other.
    fn cases(&self) -> Vec<Case> {
        let writer = &self.writer.target;
        let quick = writer.options.quick;
        let case = |size, kind| Case::new(kind, size, writer.options.seed);
        let few = || FEW.into_iter().filter(|size| writer.takes(*size));
        let mut cases = Vec::new();
        for level in writer.levels() {
            let usual = level == writer.default_level();
            let sizes = if usual {
                writer.sizes()
            } else {
                few().collect()
            };
            for (row, size) in sizes.into_iter().enumerate() {
                let kinds = match (usual, quick) {
                    (true, true) => some_kinds(row, 2),
                    (true, false) => Kind::ALL.to_vec(),
                    (false, _) => some_kinds(row, 1),
                };
                cases.extend(kinds.into_iter().map(|kind| case(size, kind).level(level)));
            }
        }
        if writer.capabilities.dictionary != DictionarySupport::None {
            let level = writer.default_level();
            for dictionary in [DictionaryChoice::Raw, DictionaryChoice::Trained] {
                cases.extend(
                    few().map(|size| case(size, Kind::Rows).level(level).dictionary(dictionary)),
                );
            }
        }
        cases
    }

    /// A row for each reader, by its name. `hung` are the formats and parties that never returned:
    /// nothing more is tried with those.
    fn run(&self, cases: Vec<Case>, hung: &mut BTreeSet<(Format, String)>) -> Vec<(String, Row)> {
        let mut pairs: Vec<Pair> = { self.readers.iter() }
            .map(|reader| Pair::new(&self.writer.name, &reader.name, self.options))
            .collect();
        let is_hung = |name: &String| hung.contains(&(self.format, name.clone()));
        for (pair, reader) in pairs.iter_mut().zip(&self.readers) {
            pair.hung = is_hung(&self.writer.name) || is_hung(&reader.name);
        }
        let (events, heard) = mpsc::channel();
        let worker = Worker {
            writer: self.writer.target.clone(),
            readers: { self.readers.iter().zip(&pairs) }
                .map(|(reader, pair)| (!pair.hung).then(|| reader.target.clone()))
                .collect(),
            events,
        };
        let row = |pair: Pair| (pair.reader.clone(), pair.row(self.format));
        // Left behind if it never returns.
        let started = thread::Builder::new()
            .name(CHECK.into())
            .spawn(move || worker.run(&cases));
        if let Err(error) = started {
            for pair in &mut pairs {
                pair.tally
                    .not_tried(format!("no thread to run it on: {error}"));
            }
            return pairs.into_iter().map(row).collect();
        }
        let deadline = self.options.deadline;
        let mut running = (None, Case::new(Kind::Zeros, 0, 0));
        loop {
            match heard.recv_timeout(deadline) {
                Ok(Event::Started { reader, case }) => running = (reader, case),
                Ok(Event::Ended {
                    reader,
                    result,
                    took,
                }) => {
                    if let Some(pair) = pairs.get_mut(reader) {
                        pair.took += took;
                        pair.count(self.format, &running.1, result);
                    }
                }
                Ok(Event::Done) => break,
                Err(error) => {
                    let (reader, case) = &running;
                    let stop = || match error {
                        RecvTimeoutError::Timeout => {
                            Stop::fault(format!("did not return within {deadline:?}"))
                        }
                        RecvTimeoutError::Disconnected => {
                            Stop::fault("ended the thread that it ran on")
                        }
                    };
                    match reader.and_then(|reader| Some((reader, self.readers.get(reader)?))) {
                        Some((at, reader)) => {
                            hung.insert((self.format, reader.name.clone()));
                            if let Some(pair) = pairs.get_mut(at) {
                                pair.count(self.format, case, Err(stop()));
                            }
                        }
                        None => {
                            hung.insert((self.format, self.writer.name.clone()));
                            for pair in pairs.iter_mut().filter(|pair| !pair.hung) {
                                pair.count(self.format, case, Err(stop()));
                            }
                        }
                    }
                    break;
                }
            }
        }
        pairs.into_iter().map(row).collect()
    }
}

/// What comes of one pair.
struct Pair {
    writer: String,
    reader: String,
    /// Not tried, because one of them never returned before.
    hung: bool,
    tally: Tally,
    took: Duration,
}

impl Pair {
    fn new(writer: &str, reader: &str, options: &Options) -> Self {
        Self {
            writer: writer.to_owned(),
            reader: reader.to_owned(),
            hung: false,
            tally: Tally::new(options),
            took: Duration::ZERO,
        }
    }

    fn count(&mut self, format: Format, case: &Case, result: Result<(), Stop>) {
        self.tally.count(result, |_| {
            // From whoever writes it again: a unit of last time proves nothing of it.
            let target = Some((format, Direction::Compress));
            let line = Reproduction::of(CHECK, target, case.clone(), None);
            format!("{line} from={} to={}", self.writer, self.reader)
        });
    }

    fn row(self, format: Format) -> Row {
        let mut row = Row::new(CHECK, GROUP, None);
        row.format = Some(format.to_string());
        let nothing = match self.hung {
            true => "an earlier call never returned",
            false => "there is no content that the writer takes",
        };
        self.tally.finish(&mut row, nothing);
        row.took(self.took);
        row
    }
}

/// What a worker says while it runs.
enum Event {
    /// The writer is at it, or this reader.
    Started { reader: Option<usize>, case: Case },
    /// What came of it for this reader.
    Ended {
        reader: usize,
        result: Result<(), Stop>,
        /// How long it took to read.
        took: Duration,
    },
    /// Said last.
    Done,
}

/// One writer's part of the matrix, on its thread.
struct Worker {
    writer: Target,
    /// `None` in place of one that is not tried.
    readers: Vec<Option<Target>>,
    events: Sender<Event>,
}

impl Worker {
    fn run(self, cases: &[Case]) {
        let same_sessions = |a: &Case, b: &Case| (a.level, a.dictionary) == (b.level, b.dictionary);
        for cases in cases.chunk_by(same_sessions) {
            self.exchange(cases);
        }
        let _ = self.events.send(Event::Done);
    }

    /// Cases that need the same sessions.
    fn exchange(&self, cases: &[Case]) {
        let Some(first) = cases.first() else {
            return;
        };
        self.say_started(None, first);
        let mut writer = match contained(|| open_writer(&self.writer, first)) {
            Ok(writer) => writer,
            Err(stop) => return self.all_ended(stop),
        };
        let mut readers: Vec<_> = { self.readers.iter().enumerate() }
            .filter_map(|(at, reader)| Some((at, reader.as_ref()?)))
            .filter_map(|(at, target)| {
                self.say_started(Some(at), first);
                match contained(|| open_reader(target, first)) {
                    Ok(session) => Some((at, target, session)),
                    Err(stop) => {
                        self.say_ended(at, Err(stop), Duration::ZERO);
                        None
                    }
                }
            })
            .collect();
        for case in cases {
            self.say_started(None, case);
            let content = case.content();
            let unit = match contained(|| write(&self.writer, &mut *writer, case, &content)) {
                Ok(unit) => unit,
                Err(stop) => {
                    self.all_ended(stop);
                    continue;
                }
            };
            for (at, target, session) in &mut readers {
                self.say_started(Some(*at), case);
                let started = Instant::now();
                let result = contained(|| read(target, &mut **session, &unit, &content));
                self.say_ended(*at, result, started.elapsed());
            }
        }
        for (at, target, session) in readers {
            drop(session);
            if let Err(stop) = target.subject.drops().judge(Ok(())) {
                self.say_ended(at, Err(stop), Duration::ZERO);
            }
        }
        drop(writer);
        if let Err(stop) = self.writer.subject.drops().judge(Ok(())) {
            self.all_ended(stop);
        }
    }

    /// Nothing came out that anybody could read.
    fn all_ended(&self, stop: Stop) {
        let stop = Stop::prefixed("the writer: ", stop);
        for (at, reader) in self.readers.iter().enumerate() {
            if reader.is_some() {
                let stop = match &stop {
                    Stop::NotTried(why) => Stop::NotTried(why.clone()),
                    Stop::Fault(fault) => Stop::fault(fault.message.clone()),
                };
                self.say_ended(at, Err(stop), Duration::ZERO);
            }
        }
    }

    fn say_started(&self, reader: Option<usize>, case: &Case) {
        // Nobody listens any more if this took too long; so below.
        let case = case.clone();
        let _ = self.events.send(Event::Started { reader, case });
    }

    fn say_ended(&self, reader: usize, result: Result<(), Stop>, took: Duration) {
        let _ = self.events.send(Event::Ended {
            reader,
            result,
            took,
        });
    }
}

fn open_writer(target: &Target, case: &Case) -> Result<Box<dyn CompressSession>, Stop> {
    target.lists(case)?;
    target.compress_session(case)
}

fn open_reader(target: &Target, case: &Case) -> Result<Box<dyn DecompressSession>, Stop> {
    // The level binds the writer alone.
    let case = Case {
        level: None,
        ..case.clone()
    };
    target.lists(&case)?;
    target.decompress_session(&case)
}

fn write(
    target: &Target,
    session: &mut dyn CompressSession,
    case: &Case,
    content: &[u8],
) -> Result<Vec<u8>, Stop> {
    let bound = target.bound(case, content.len())?;
    let called = target.compress(session, content, bound)?;
    called.bytes().map(<[u8]>::to_vec)
}

fn read(
    target: &Target,
    session: &mut dyn DecompressSession,
    unit: &[u8],
    content: &[u8],
) -> Result<(), Stop> {
    target.within_limits(unit, content.len())?;
    let called = target.decompress(session, unit, content.len())?;
    same(content, called.bytes()?)
}

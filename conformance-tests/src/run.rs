//! Runs checks: each on a thread of its own, so that one that never returns can be given up.

use std::collections::BTreeSet;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use compressor_api::{Capabilities, Direction, Format};

use crate::bench::{self, Bench};
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::checks::{self, NEVER_PANICS, RETURNS_IN_TIME};
use crate::contain::{Unanswered, asked, caught, contained};
use crate::data::Kind;
use crate::options::Options;
use crate::report::{Failure, Outcome, Report, Row};
use crate::reproduction::Reproduction;
use crate::stop::{Fault, Stop};
use crate::subject::Subject;
use crate::tally::Tally;
use crate::target::Target;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Rows of the report that are done.
    pub done: usize,
    /// Rows there will be.
    pub total: usize,
    /// The check that runs next.
    pub check: &'static str,
    /// What it runs on.
    pub target: Option<(Format, Direction)>,
}

/// Runs the suite.
///
/// Whatever the provider does, this returns: panics are caught, and a call that does not return
/// within the deadline is given up, its thread left behind.
#[must_use]
pub fn run(subject: &Subject, options: &Options, mut progress: impl FnMut(Progress)) -> Report {
    let bench = Bench {
        subject: subject.clone(),
        options: options.clone(),
    };
    let mut run = Run::new(&bench);
    let plan = plan(&bench, &mut run);
    let total = plan.len();
    for (done, (check, place)) in plan.into_iter().enumerate() {
        let target = place.as_ref().map(Place::key);
        progress(Progress {
            done,
            total,
            check: check.name,
            target,
        });
        run.check(check, place);
    }
    run.finish()
}

/// Runs one case again.
///
/// # Errors
///
/// If the subject has no such check, format or direction.
pub fn replay(
    subject: &Subject,
    options: &Options,
    reproduction: &Reproduction,
) -> Result<Report, String> {
    let bench = Bench {
        subject: subject.clone(),
        options: options.clone(),
    };
    let check = checks::all()
        .find(|check| check.name == reproduction.check)
        .ok_or_else(|| {
            let names: Vec<_> = checks::all().map(Check::name).collect();
            let names = names.join(", ");
            format!(
                "no check is called {:?}; there are {names}",
                reproduction.check
            )
        })?;
    let mut run = Run::new(&bench);
    let place = match (reproduction.target, &check.proof) {
        (_, Proof::Provider(_)) => None,
        (None, Proof::Operation { .. }) => {
            return Err(format!("{} runs on a format and direction", check.name));
        }
        (Some((format, direction)), Proof::Operation { .. }) => {
            let listed = run.listed().ok_or("it does not say what it does")?;
            let target = bench
                .target(&listed, format, direction)
                .ok_or_else(|| format!("{} does not {direction} {format}", run.provider))?;
            Some(Place::Listed(Box::new(target)))
        }
    };
    run.only_case = Some(reproduction.case.clone());
    run.check(check, place);
    Ok(run.finish())
}

/// Where a check runs.
#[derive(Debug)]
enum Place {
    Listed(Box<Target>),
    /// The format is listed, this direction is not.
    Unlisted(Format, Direction),
}

impl Place {
    fn key(&self) -> (Format, Direction) {
        match self {
            Self::Listed(target) => (target.format, target.direction),
            Self::Unlisted(format, direction) => (*format, *direction),
        }
    }
}

/// What runs, in order: the provider as such, then format by format.
fn plan(bench: &Bench, run: &mut Run) -> Vec<(&'static Check, Option<Place>)> {
    let only = &bench.options.only;
    let wanted: Vec<&Check> = checks::all()
        .filter(|check| {
            only.is_empty()
                || only
                    .iter()
                    .any(|name| name == check.name || name == check.group.name())
        })
        .collect();
    let mut plan = Vec::new();
    for check in &wanted {
        if let Proof::Provider(_) = check.proof {
            plan.push((*check, None));
        }
    }
    let listed = run.listed().unwrap_or_default();
    for format in bench::formats(&listed) {
        for direction in Direction::BOTH {
            for check in &wanted {
                let Proof::Operation { directions, .. } = check.proof else {
                    continue;
                };
                if directions.contains(&direction) {
                    let target = bench.target(&listed, format, direction);
                    let place = target.map_or(Place::Unlisted(format, direction), |target| {
                        Place::Listed(Box::new(target))
                    });
                    plan.push((*check, Some(place)));
                }
            }
        }
    }
    plan
}

/// A panic, or a call that never returned.
struct Incident {
    /// The check that stands for it, whichever one met it.
    check: &'static str,
    target: Option<(Format, Direction)>,
    failure: Failure,
}

/// A run under way.
struct Run {
    bench: Bench,
    provider: String,
    rows: Vec<Row>,
    incidents: Vec<Incident>,
    /// Where a call never returned; nothing more is tried there.
    hung: BTreeSet<Option<(Format, Direction)>>,
    only_case: Option<Case>,
}

impl Run {
    fn new(bench: &Bench) -> Self {
        let mut run = Self {
            bench: bench.clone(),
            provider: String::new(),
            rows: Vec::new(),
            incidents: Vec::new(),
            hung: BTreeSet::new(),
            only_case: None,
        };
        let subject = bench.subject.clone();
        let name = asked(bench.options.deadline, move || {
            subject.factory().id().to_string()
        });
        run.provider = run
            .answered(name, "when asked for its name", checks::NAME)
            .unwrap_or_else(|| "a provider that does not say its name".into());
        run
    }

    /// What the provider lists, asked outside of any check.
    fn listed(&mut self) -> Option<Vec<Capabilities>> {
        let listed = self.bench.listed();
        self.answered(listed, "when asked what it does", checks::CAPABILITIES)
    }

    /// The answer; an incident if there is none, which `check` meets as well.
    fn answered<T>(&mut self, answer: Result<T, Unanswered>, when: &str, check: &str) -> Option<T> {
        let (stands_for, message) = match answer {
            Ok(answer) => return Some(answer),
            Err(Unanswered::Panicked(message)) => (NEVER_PANICS, message),
            Err(Unanswered::Late(message)) => {
                self.hung.insert(None);
                (RETURNS_IN_TIME, message)
            }
        };
        let failure = Failure {
            message: format!("{message}, {when}"),
            reproduction: format!("check={check}"),
        };
        self.incident(stands_for, None, &failure);
        None
    }

    fn incident(
        &mut self,
        check: &'static str,
        target: Option<(Format, Direction)>,
        failure: &Failure,
    ) {
        self.incidents.push(Incident {
            check,
            target,
            failure: failure.clone(),
        });
    }

    fn check(&mut self, check: &'static Check, place: Option<Place>) {
        let started = Instant::now();
        let key = place.as_ref().map(Place::key);
        let mut tally = Tally::new(&self.bench.options);
        match place {
            Some(Place::Unlisted(format, direction)) => {
                tally.not_tried(format!("does not {direction} {format}"));
            }
            _ if self.hung.contains(&key) => {
                tally.not_tried("an earlier call never returned".into());
            }
            Some(Place::Listed(target)) => self.watch(check, key, Some(*target), &mut tally),
            None => self.watch(check, key, None, &mut tally),
        }
        let mut row = Row::new(check.name, check.group.name(), key);
        tally.finish(&mut row, "nothing of the kind is listed");
        row.took(started.elapsed());
        self.rows.push(row);
    }

    /// Starts the check on its own thread, and listens to it.
    fn watch(
        &mut self,
        check: &'static Check,
        key: Option<(Format, Direction)>,
        target: Option<Target>,
        tally: &mut Tally,
    ) {
        let (events, heard) = mpsc::channel();
        let worker = Worker {
            bench: self.bench.clone(),
            only_case: self.only_case.clone(),
            check,
            target,
            events,
        };
        let started = thread::Builder::new()
            .name(check.name.into())
            .spawn(move || worker.run());
        match started {
            Ok(_) => self.listen(check, key, &heard, tally),
            Err(error) => tally.not_tried(format!("no thread to run it on: {error}")),
        }
    }

    fn listen(
        &mut self,
        check: &'static Check,
        key: Option<(Format, Direction)>,
        heard: &Receiver<Event>,
        tally: &mut Tally,
    ) {
        let mut running = Case::new(Kind::Zeros, 0, 0);
        let failure = |message: String, case: &Case, fault: Option<&Fault>| Failure {
            message,
            reproduction: Reproduction::of(check.name, key, case.clone(), fault).to_string(),
        };
        loop {
            match heard.recv_timeout(self.bench.options.deadline) {
                Ok(Event::Started(case)) => running = case,
                Ok(Event::Held) => tally.held(),
                Ok(Event::NotTried(reason)) => tally.not_tried(reason),
                Ok(Event::Broken(fault)) => {
                    let failure = failure(fault.message.clone(), &running, Some(&fault));
                    if fault.panicked {
                        self.incident(NEVER_PANICS, key, &failure);
                    }
                    tally.failed(failure);
                }
                Ok(Event::Done) => return,
                Err(RecvTimeoutError::Timeout) => {
                    self.hung.insert(key);
                    let after = self.bench.options.deadline;
                    let failure =
                        failure(format!("did not return within {after:?}"), &running, None);
                    self.incident(RETURNS_IN_TIME, key, &failure);
                    return tally.failed(failure);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "ended the thread that it ran on".to_owned();
                    let failure = failure(message, &running, None);
                    self.incident(NEVER_PANICS, key, &failure);
                    return tally.failed(failure);
                }
            }
        }
    }

    /// The report, with each incident under the check that stands for it.
    fn finish(mut self) -> Report {
        for Incident {
            check,
            target,
            failure,
        } in self.incidents
        {
            let format = target.map(|(format, _)| format.to_string());
            let direction = target.map(|(_, direction)| direction.to_string());
            let row = self.rows.iter_mut().find(|row| {
                row.check == check && row.format == format && row.direction == direction
            });
            match row.map(|row| &mut row.outcome) {
                Some(Outcome::Failed { failures }) => {
                    let more = failures.len() < self.bench.options.max_failures;
                    if more && !failures.contains(&failure) {
                        failures.push(failure);
                    }
                }
                Some(outcome) => {
                    *outcome = Outcome::Failed {
                        failures: vec![failure],
                    };
                }
                None => {
                    let mut row = Row::new(check, Group::Conduct.name(), target);
                    row.cases = 1;
                    row.outcome = Outcome::Failed {
                        failures: vec![failure],
                    };
                    self.rows.push(row);
                }
            }
        }
        Report {
            provider: self.provider,
            quick: self.bench.options.quick,
            seed: self.bench.options.seed,
            rows: self.rows,
        }
    }
}

/// What a check says while it runs.
#[derive(Debug)]
enum Event {
    Started(Case),
    Held,
    NotTried(String),
    Broken(Fault),
    /// Said last; a thread that ends without was ended by the provider.
    Done,
}

/// A check on its thread.
struct Worker {
    bench: Bench,
    only_case: Option<Case>,
    check: &'static Check,
    target: Option<Target>,
    events: Sender<Event>,
}

impl Worker {
    fn run(self) {
        self.prove();
        self.say(Event::Done);
    }

    fn prove(&self) {
        match (&self.check.proof, &self.target) {
            (Proof::Provider(run), _) => {
                self.case(|| run(&self.bench));
            }
            (Proof::Operation { cases, run, .. }, Some(target)) => {
                let cases = match &self.only_case {
                    Some(case) => vec![case.clone()],
                    None => match caught(|| cases(target)) {
                        Ok(cases) => cases,
                        Err(message) => {
                            self.case(|| Err(Stop::panicked(message)));
                            Vec::new()
                        }
                    },
                };
                let mut failures = 0;
                for case in cases {
                    // A provider may list what it likes; nothing is allocated by that.
                    if case.size > target.longest() && self.only_case.is_none() {
                        let longest = target.longest();
                        let why =
                            format!("content of more than {longest} bytes is too long to try");
                        self.say(Event::NotTried(why));
                        continue;
                    }
                    self.say(Event::Started(case.clone()));
                    if !self.case(|| run(target, &case)) {
                        failures += 1;
                    }
                    if failures >= self.bench.options.max_failures {
                        break;
                    }
                }
            }
            (Proof::Operation { .. }, None) => {}
        }
    }

    /// Runs one case; false if it failed.
    fn case(&self, run: impl FnOnce() -> Result<(), Stop>) -> bool {
        let event = match self.bench.subject.drops().judge(contained(run)) {
            Ok(()) => Event::Held,
            Err(Stop::NotTried(reason)) => Event::NotTried(reason),
            Err(Stop::Fault(fault)) => Event::Broken(fault),
        };
        let fine = matches!(event, Event::Held | Event::NotTried(_));
        self.say(event);
        fine
    }

    fn say(&self, event: Event) {
        // Nobody listens any more if this took too long.
        let _ = self.events.send(event);
    }
}

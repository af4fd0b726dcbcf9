//! Runs everything that was asked for.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use compressor::OpenError;
use compressor_conformance::host::{Opened, Way};
use compressor_conformance::matrix::Party;
use compressor_conformance::{RETURNS_IN_TIME, Report, matrix, outside, run as run_suite};

use crate::args::Args;
use crate::machine::Machine;
use crate::progress::Bar;
use crate::results::{Provider, Results, State};

/// Providers at a time: what a check measures is its own thread, and the machine this is made for
/// has two CPUs.
const AT_ONCE: usize = 2;

/// The suite on every way to every provider that is wanted, then all of them against each other.
pub fn run(opened: &[Opened], args: &Args) -> Results {
    let started = Instant::now();
    let wanted: Vec<&Opened> = { opened.iter() }
        .filter(|opened| args.wants(opened.listed()))
        .collect();
    let bar = Bar::new(wanted.len() + 2);
    // One after the other where a device has to serve all that it is given.
    let at_once = if args.must_accelerate { 1 } else { AT_ONCE };
    let mut providers = all(&wanted, at_once, |job, one| {
        provider(one, opened, args, &|done, total, what| {
            bar.set(job, done, total, what);
        })
    });
    if args.must_accelerate {
        must_have_one(&wanted, &mut providers);
    }
    let hung = hung(&providers);
    let outside = outside(&wanted, opened, &hung, args, &|done, total, what| {
        bar.set(wanted.len() + 1, done, total, what);
    });
    let parties: Vec<Party> = { opened.iter() }
        .flat_map(Opened::ways)
        .map(|way| way.party())
        .collect();
    let matrix = matrix::run(&parties, &args.options(), |progress| {
        let what = format!("{} {}", progress.writer, progress.format);
        bar.set(wanted.len(), progress.done, progress.total, what);
    });
    bar.finish();
    let mut results = Results {
        version: env!("CARGO_PKG_VERSION"),
        machine: Machine::this(),
        started: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| (now.saturating_sub(started.elapsed())).as_secs()),
        milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        quick: args.quick,
        seed: args.seed,
        must_accelerate: args.must_accelerate,
        conforms: false,
        providers,
        outside,
        matrix: between(matrix, &wanted),
    };
    results.judge();
    results
}

/// Each of the jobs, `at_once` of them at a time, in their order.
fn all<T: Sync, R: Send>(
    jobs: &[T],
    at_once: usize,
    run: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(at) else {
                        return;
                    };
                    let result = run(at, job);
                    done.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The suite on one provider.
fn provider(
    opened: &Opened,
    all: &[Opened],
    args: &Args,
    progress: &dyn Fn(usize, usize, String),
) -> Provider {
    let listed = opened.listed();
    let ways = opened.ways();
    let mut reports = Vec::new();
    for (at, way) in ways.iter().enumerate() {
        reports.push(suite(way, all, args, &|done, total, what| {
            progress(at * total + done, ways.len() * total, what);
        }));
    }
    let asked_for = args.must_accelerate && args.names(listed);
    let state = match opened.error() {
        None => State::Ran,
        Some(OpenError::Absent { .. }) if !asked_for => State::Absent,
        Some(_) => State::Failed,
    };
    progress(1, 1, listed.name());
    Provider {
        name: listed.name(),
        plugin: listed.path().map(Into::into),
        state,
        why: opened.error().map(ToString::to_string),
        version: opened.version(args.options().deadline),
        health: opened.health(args.options().deadline),
        reports,
    }
}

fn suite(
    way: &Way,
    all: &[Opened],
    args: &Args,
    progress: &dyn Fn(usize, usize, String),
) -> Report {
    let options = match way.accelerator && args.must_accelerate {
        true => args.options().must_accelerate(),
        false => args.options(),
    };
    let name = &way.name;
    let mut report = run_suite(&way.subject(all), &options, |at| {
        let target = at
            .target
            .map(|(format, direction)| format!("{format} {direction} "));
        let what = format!("{name} {}{}", target.unwrap_or_default(), at.check);
        progress(at.done, at.total, what);
    });
    report.provider.clone_from(name);
    report
}

/// Each provider, without the decorator, and each implementation from elsewhere.
fn outside(
    wanted: &[&Opened],
    all: &[Opened],
    hung: &BTreeSet<String>,
    args: &Args,
    progress: &dyn Fn(usize, usize, String),
) -> Vec<Report> {
    let options = args.options();
    let group = outside::GROUP;
    let is_outside = |name: &String| name == group || name.starts_with(&format!("{group}:"));
    if !options.only.is_empty() && !options.only.iter().any(is_outside) {
        return Vec::new();
    }
    let ways: Vec<Way> = { wanted.iter() }
        .flat_map(|opened| opened.ways())
        .filter(|way| !way.is_decorated())
        .collect();
    let mut detected = outside::detect();
    let run = |(at, way): (usize, &Way)| {
        progress(at, ways.len(), format!("{} and others", way.name));
        // Calls are taken to return there.
        if hung.contains(&way.name) {
            let why = format!("an earlier call to {} never returned", way.name);
            return outside::skipped(&way.name, &why, &options);
        }
        outside::run_with(&mut detected, &way.name, &way.subject(all), &options)
    };
    ways.iter().enumerate().map(run).collect()
}

/// The names of those of which a call never returned.
fn hung(providers: &[Provider]) -> BTreeSet<String> {
    { providers.iter() }
        .flat_map(|provider| &provider.reports)
        .filter(|report| report.failed_checks().contains(RETURNS_IN_TIME))
        .map(|report| report.provider.clone())
        .collect()
}

/// Fails those that could have accelerated, if none did.
fn must_have_one(wanted: &[&Opened], providers: &mut [Provider]) {
    let accelerates =
        |opened: &&&Opened| opened.error().is_none() && !opened.listed().is_software();
    if wanted.iter().find(accelerates).is_some() {
        return;
    }
    for provider in providers {
        if provider.state == State::Absent {
            provider.state = State::Failed;
        } else if provider.why.is_none() {
            provider.state = State::Failed;
            provider.why = Some("no accelerator serves, and one must".into());
        }
    }
}

/// The pairs in which a wanted provider takes part.
fn between(matrix: Vec<Report>, wanted: &[&Opened]) -> Vec<Report> {
    let names: Vec<String> = { wanted.iter() }
        .flat_map(|opened| opened.ways())
        .map(|way| way.name)
        .collect();
    { matrix.into_iter() }
        .filter(|report| {
            let mut parties = report.provider.split(" to ");
            parties.any(|party| names.iter().any(|name| name == party))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_once_each_and_end_in_their_order() {
        for at_once in 1..5 {
            let jobs: Vec<usize> = (0..20).collect();
            let results = all(&jobs, at_once, |at, job| (at, *job));
            let right: Vec<_> = jobs.iter().map(|job| (*job, *job)).collect();
            assert_eq!(results, right);
        }
    }
}

//! What lives from call to call.

use compressor_api::{Direction, ErrorKind, Job};

use crate::call::{Called, POISON};
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::judge::same;
use crate::stop::{Stop, ensure};
use crate::target::Target;

use super::memory::flipped;

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "reusable-after-failure",
        group: Group::Sessions,
        proves: "A session serves again after a failed call, unless that said Poisoned.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: some,
            run: reusable,
        },
    },
    Check {
        name: "no-trace",
        group: Group::Sessions,
        proves: "A call leaves no trace in the next one on the same session.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: some,
            run: no_trace,
        },
    },
    Check {
        name: "sessions-independent",
        group: Group::Sessions,
        proves: "Sessions of one compressor have nothing in common, their end neither.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: some,
            run: independent,
        },
    },
    Check {
        name: "outlives-compressor",
        group: Group::Sessions,
        proves: "A session serves on when its compressor is gone.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: some,
            run: outlives,
        },
    },
    Check {
        name: "batch-equals-singles",
        group: Group::Sessions,
        proves: "A batch leaves in each job what a single call would; one failure touches no other.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: some,
            run: batch,
        },
    },
];

fn some(target: &Target) -> Vec<Case> {
    target.by_each_writer_or_once(&target.cases(Kind::Text, &[100, 4_097]))
}

/// The same kind of case with other content.
fn another(case: &Case) -> Case {
    Case {
        kind: Kind::Random,
        seed: case.seed + 1,
        ..case.clone()
    }
}

fn reusable(target: &Target, case: &Case) -> Result<(), Stop> {
    match target.direction {
        Direction::Compress => {
            let content = case.content();
            let bound = target.bound(case, content.len())?;
            let mut session = target.compress_session(case)?;
            for room in [0, 1, bound / 8] {
                let failed = target.compress(&mut *session, &content, room)?;
                if failed.kind() == Some(ErrorKind::Poisoned) {
                    session = target.compress_session(case)?;
                }
                let called = target.compress(&mut *session, &content, bound)?;
                let after = format!("after {} with room for {room} bytes, ", failed.outcome());
                called
                    .bytes()
                    .and_then(|unit| target.check_unit(case, &content, unit))
                    .map_err(|stop| Stop::prefixed(&after, stop))?;
            }
        }
        Direction::Decompress => {
            let (unit, content) = target.unit(case)?;
            let cut = unit.get(..unit.len() / 2).unwrap_or_default();
            let flips = flipped(&unit, unit.len() * 4);
            let failing = [
                (&unit[..], 0),
                (&unit, content.len() / 2),
                (cut, content.len()),
                (&flips, content.len()),
                (&[0x77; 30], content.len()),
                (&[], content.len()),
            ];
            let mut session = target.decompress_session(case)?;
            for (src, room) in failing {
                let failed = target.decompress(&mut *session, src, room)?;
                if failed.kind() == Some(ErrorKind::Poisoned) {
                    session = target.decompress_session(case)?;
                }
                let called = target.decompress(&mut *session, &unit, content.len())?;
                let after = format!("after {} with room for {room} bytes, ", failed.outcome());
                called
                    .bytes()
                    .and_then(|read| same(&content, read))
                    .map_err(|stop| Stop::prefixed(&after, stop))?;
            }
        }
    }
    Ok(())
}

fn no_trace(target: &Target, case: &Case) -> Result<(), Stop> {
    match target.direction {
        Direction::Compress => {
            let mut session = target.compress_session(case)?;
            // Twice the same, so that whoever remembers the first would refer to it.
            for case in [case, case, &another(case), case] {
                let content = case.content();
                let bound = target.bound(case, content.len())?;
                let called = target.compress(&mut *session, &content, bound)?;
                target.check_unit(case, &content, called.bytes()?)?;
                target.compress(&mut *session, &content, 3)?;
            }
            Ok(())
        }
        Direction::Decompress => {
            let (unit, content) = target.unit(case)?;
            let (other, _) = target.unit(&another(case))?;
            let cut = unit.get(..unit.len().saturating_sub(1)).unwrap_or_default();
            let tail = unit.get(unit.len() / 2..).unwrap_or_default();
            let mut session = target.decompress_session(case)?;
            let steps = [&unit[..], cut, tail, &unit, &[], &other, cut, &unit];
            for (step, src) in steps.into_iter().enumerate() {
                let called = target.decompress(&mut *session, src, content.len())?;
                let mut fresh = target.decompress_session(case)?;
                let right = target.decompress(&mut *fresh, src, content.len())?;
                alike(&right, &called).map_err(|stop| stop.at(step))?;
                if called.kind() == Some(ErrorKind::Poisoned) {
                    session = target.decompress_session(case)?;
                }
            }
            Ok(())
        }
    }
}

fn alike(fresh: &Called, used: &Called) -> Result<(), Stop> {
    ensure(fresh.comparable() == used.comparable(), || {
        format!(
            "a session that was used before says {}, a fresh one {}, or other bytes",
            used.outcome(),
            fresh.outcome()
        )
    })
}

fn independent(target: &Target, case: &Case) -> Result<(), Stop> {
    let cases = [case.clone(), another(case)];
    match target.direction {
        Direction::Compress => {
            let compressor = target.compressor(case)?;
            let make = || target.open(|| compressor.compress_session());
            let mut sessions = [make()?, make()?];
            for round in 0..6 {
                for (session, case) in sessions.iter_mut().zip(&cases) {
                    let content = case.content();
                    let bound = target.bound(case, content.len())?;
                    let called = target.compress(&mut **session, &content, bound)?;
                    target.check_unit(case, &content, called.bytes()?)?;
                }
                if round == 3 {
                    let [first, _] = &mut sessions;
                    *first = make()?;
                }
            }
        }
        Direction::Decompress => {
            let compressor = target.compressor(case)?;
            let make = || target.open(|| compressor.decompress_session());
            let mut sessions = [make()?, make()?];
            for round in 0..6 {
                for (session, case) in sessions.iter_mut().zip(&cases) {
                    let (unit, content) = target.unit(case)?;
                    let called = target.decompress(&mut **session, &unit, content.len())?;
                    same(&content, called.bytes()?).map_err(|stop| stop.unit(&unit))?;
                }
                if round == 3 {
                    let [first, _] = &mut sessions;
                    *first = make()?;
                }
            }
        }
    }
    Ok(())
}

fn outlives(target: &Target, case: &Case) -> Result<(), Stop> {
    // Sessions are made from a compressor that nobody else holds.
    match target.direction {
        Direction::Compress => {
            let mut session = target.compress_session(case)?;
            let content = case.content();
            let bound = target.bound(case, content.len())?;
            let called = target.compress(&mut *session, &content, bound)?;
            target
                .check_unit(case, &content, called.bytes()?)
                .map(|_| ())
        }
        Direction::Decompress => {
            let mut session = target.decompress_session(case)?;
            let (unit, content) = target.unit(case)?;
            let called = target.decompress(&mut *session, &unit, content.len())?;
            same(&content, called.bytes()?).map_err(|stop| stop.unit(&unit))
        }
    }
}

fn batch(target: &Target, case: &Case) -> Result<(), Stop> {
    let sources = sources(target, case)?;
    let mut singles = Vec::new();
    for (src, room) in &sources {
        let called = match target.direction {
            Direction::Compress => {
                target.compress(&mut *target.compress_session(case)?, src, *room)?
            }
            Direction::Decompress => {
                target.decompress(&mut *target.decompress_session(case)?, src, *room)?
            }
        };
        singles.push(called);
    }

    let mut rooms: Vec<Vec<u8>> = sources
        .iter()
        .map(|(_, room)| vec![POISON; *room])
        .collect();
    let mut jobs: Vec<Job<'_>> = sources
        .iter()
        .zip(&mut rooms)
        .map(|((src, _), dst)| Job::new(src, dst))
        .collect();
    match target.direction {
        Direction::Compress => {
            let mut session = target.compress_session(case)?;
            session.compress_many(&mut []);
            session.compress_many(&mut jobs);
        }
        Direction::Decompress => {
            let mut session = target.decompress_session(case)?;
            session.decompress_many(&mut []);
            session.decompress_many(&mut jobs);
        }
    }
    for (at, ((job, single), (src, room))) in jobs.iter().zip(&singles).zip(&sources).enumerate() {
        let written = match job.result {
            Err(error) => Err(error.kind()),
            Ok(n) => Ok(job.dst.get(..n).ok_or_else(|| {
                Stop::fault(format!("job {at} says that it wrote {n} bytes of {room}"))
            })?),
        };
        match (target.direction, written) {
            (_, Err(ErrorKind::Busy)) => {}
            // Two units of one content need not be the same bytes.
            (Direction::Compress, Ok(unit)) if single.result.is_ok() => {
                target
                    .check_unit(case, src, unit)
                    .map_err(|stop| stop.at(at))?;
            }
            _ => ensure(written == single.comparable(), || {
                let job = written
                    .map_or_else(|kind| kind.to_string(), |dst| format!("Ok({})", dst.len()));
                format!(
                    "job {at} of a batch says {job}, a single call {}",
                    single.outcome()
                )
            })?,
        }
    }
    Ok(())
}

/// Sources and rooms, of which some must fail.
fn sources(target: &Target, case: &Case) -> Result<Vec<(Vec<u8>, usize)>, Stop> {
    let mut sources = Vec::new();
    for turn in 0..5 {
        let case = Case {
            seed: case.seed + turn,
            ..case.clone()
        };
        match target.direction {
            Direction::Compress => {
                let content = case.content();
                let bound = target.bound(&case, content.len())?;
                sources.push((content.clone(), bound));
                sources.push((content, 2));
            }
            Direction::Decompress => {
                let (unit, content) = target.unit(&case)?;
                let cut = unit.get(..unit.len() / 2).unwrap_or_default();
                sources.push((cut.to_vec(), content.len()));
                sources.push((unit.clone(), content.len() / 2));
                sources.push((unit, content.len()));
            }
        }
    }
    Ok(sources)
}

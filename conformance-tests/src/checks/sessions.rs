//! What lives from call to call.

use compressor_api::{Direction, ErrorKind};

use crate::call::Called;
use crate::case::{Case, Writer};
use crate::check::{Check, Group, Proof};
use crate::damage::flipped;
use crate::data::Kind;
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::work::{Session, Work};

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
            cases: interleaved,
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
];

fn some(target: &Target) -> Vec<Case> {
    target.by_each_writer_or_once(&target.cases(Kind::Text, &[100, 4_097]))
}

/// Long ones as well: what a device shares are the buffers for those.
fn interleaved(target: &Target) -> Vec<Case> {
    let mut cases = target.by_each_writer_or_once(&target.cases(Kind::Text, &[100, 4_097]));
    let own = target.writers().pop().unwrap_or(Writer::Plain);
    let long = target.cases(Kind::Rows, &[LONG]).into_iter();
    cases.extend(long.map(|case| case.writer(own)));
    cases
}

/// More than fits into LZ4's window or a buffer of 64 KiB, in bytes.
const LONG: usize = 70_001;

/// The work of a case, and other content of its length.
fn two(target: &Target, case: &Case) -> Result<[Work; 2], Stop> {
    let same = case.varied(case.kind, case.seed);
    let other = case.varied(Kind::Random, case.seed.wrapping_add(1));
    Ok([Work::new(target, &same)?, Work::new(target, &other)?])
}

fn reusable(target: &Target, case: &Case) -> Result<(), Stop> {
    let work = Work::new(target, case)?;
    let mut session = Session::open(target, case)?;
    for (src, room) in failing(target.direction, &work) {
        let failed = session.call(target, &src, room)?;
        if failed.kind() == Some(ErrorKind::Poisoned) {
            session = Session::open(target, case)?;
        }
        let after = format!("after {} with room for {room} bytes, ", failed.outcome());
        session
            .serve(target, &work)
            .map_err(|stop| Stop::prefixed(&after, stop))?;
    }
    Ok(())
}

/// Sources and rooms that make a call fail.
fn failing(direction: Direction, work: &Work) -> Vec<(Vec<u8>, usize)> {
    let (src, room) = (work.src(direction), work.room());
    let mut failing: Vec<_> = [0, 1, room / 8, room / 2]
        .map(|room| (src.to_vec(), room))
        .to_vec();
    if direction == Direction::Decompress {
        let cut = src.get(..src.len() / 2).unwrap_or_default();
        let damaged = [
            cut.to_vec(),
            flipped(src, src.len() * 4),
            vec![0x77; 30],
            Vec::new(),
        ];
        failing.extend(damaged.map(|src| (src, room)));
    }
    failing
}

fn no_trace(target: &Target, case: &Case) -> Result<(), Stop> {
    let [work, other] = two(target, case)?;
    let mut session = Session::open(target, case)?;
    if target.direction == Direction::Compress {
        // Twice the same, so that whoever remembers the first would refer to it.
        for work in [&work, &work, &other, &work] {
            session.serve(target, work)?;
            session.call(target, work.src(target.direction), 3)?;
        }
        return Ok(());
    }
    let unit = work.src(target.direction);
    let cut = unit.get(..unit.len().saturating_sub(1)).unwrap_or_default();
    let tail = unit.get(unit.len() / 2..).unwrap_or_default();
    let other = other.src(target.direction);
    let steps = [unit, cut, tail, unit, &[], other, cut, unit];
    for (step, src) in steps.into_iter().enumerate() {
        let called = session.call(target, src, work.room())?;
        let right = Session::open(target, case)?.call(target, src, work.room())?;
        alike(&right, &called).map_err(|stop| stop.at(step))?;
        if called.kind() == Some(ErrorKind::Poisoned) {
            session = Session::open(target, case)?;
        }
    }
    Ok(())
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
    let works = two(target, case)?;
    let compressor = target.compressor(case)?;
    let open = || Session::of(target, &*compressor);
    let mut sessions = [open()?, open()?];
    let rounds = if case.size < LONG { 6 } else { 4 };
    for round in 0..rounds {
        for (session, work) in sessions.iter_mut().zip(&works) {
            session.serve(target, work)?;
        }
        // The end of one is nothing to the other.
        if round == 2 {
            let [first, _] = &mut sessions;
            *first = open()?;
        }
    }
    Ok(())
}

fn outlives(target: &Target, case: &Case) -> Result<(), Stop> {
    let work = Work::new(target, case)?;
    let compressor = target.compressor(case)?;
    let mut session = Session::of(target, &*compressor)?;
    drop(compressor);
    session.serve(target, &work)
}

//! Sessions that move between threads, and many threads at once.

use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread;

use compressor_api::{Direction, SessionPool};

use crate::call::POISON;
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::contain::contained;
use crate::data::Kind;
use crate::stop::Stop;
use crate::target::Target;
use crate::work::{Session, Work};

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "moves-between-threads",
        group: Group::Sessions,
        proves: "A session made on one thread serves on another, and ends on a third.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: some,
            run: moves,
        },
    },
    Check {
        name: "many-threads",
        group: Group::Sessions,
        proves: "Threads with their own sessions do not disturb each other.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: some,
            run: many,
        },
    },
    Check {
        name: "in-flight-limit",
        group: Group::Limits,
        proves: "As many operations as are listed run at once, none of them Busy; beside as many \
                 sessions one more is served or Busy, and is served once they are gone.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: |target| target.by_each_writer_or_once(&target.cases(Kind::Rows, &[1_000])),
            run: in_flight,
        },
    },
    Check {
        name: "pools",
        group: Group::Sessions,
        proves: "Sessions serve from a pool, to threads that share it.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: |target| target.by_each_writer_or_once(&target.cases(Kind::Rows, &[1_000])),
            run: pools,
        },
    },
];

/// More than a small host has CPUs, so that threads are interrupted in the middle of calls.
const THREADS: u64 = 8;

fn some(target: &Target) -> Vec<Case> {
    target.by_each_writer_or_once(&target.cases(Kind::Text, &[100, 4_097]))
}

/// The work of a thread: other content for each.
fn work_of(target: &Target, case: &Case, thread: u64) -> Result<Work, Stop> {
    let seed = case.seed.wrapping_add(thread);
    Work::new(target, &case.varied(case.kind, seed))
}

fn moves(target: &Target, case: &Case) -> Result<(), Stop> {
    let work = Work::new(target, case)?;
    let mut session = Session::open(target, case)?;
    session.serve(target, &work)?;
    for _ in 0..3 {
        session = on_another_thread(|| session.serve(target, &work).map(|()| session))?;
    }
    on_another_thread(|| {
        drop(session);
        Ok(())
    })?;
    let mut opened = on_another_thread(|| Session::open(target, case))?;
    opened.serve(target, &work)
}

fn on_another_thread<T: Send>(work: impl FnOnce() -> Result<T, Stop> + Send) -> Result<T, Stop> {
    thread::scope(|scope| joined(scope.spawn(|| contained(work))))
}

/// What the thread gave, which contains what it runs; a panic of its own goes on here.
fn joined<T>(handle: thread::ScopedJoinHandle<'_, Result<T, Stop>>) -> Result<T, Stop> {
    handle.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn many(target: &Target, case: &Case) -> Result<(), Stop> {
    let rounds = if target.options.quick { 10 } else { 200 };
    let work: Result<Vec<Work>, Stop> = (0..THREADS)
        .map(|thread| work_of(target, case, thread))
        .collect();
    let work = work?;
    let start = Barrier::new(work.len());
    thread::scope(|scope| {
        let threads: Vec<_> = work
            .iter()
            .map(|work| {
                let start = &start;
                let serve = move || {
                    start.wait();
                    let mut session = Session::open(target, case)?;
                    for round in 0..rounds {
                        session.serve(target, work)?;
                        if round % 5 == 4 {
                            session = Session::open(target, case)?;
                        }
                    }
                    Ok(())
                };
                scope.spawn(move || contained(serve))
            })
            .collect();
        threads.into_iter().try_for_each(joined)
    })
}

fn in_flight(target: &Target, case: &Case) -> Result<(), Stop> {
    let Some(limit) = target.capabilities.in_flight else {
        return Err(Stop::NotTried("lists no limit".into()));
    };
    let work = Work::new(target, case)?;
    let count = limit.get().min(MOST_IN_FLIGHT);
    let mut sessions = Vec::new();
    for _ in 0..count {
        sessions.push(Session::open(target, case)?);
    }
    let start = Barrier::new(sessions.len());
    thread::scope(|scope| {
        let threads: Vec<_> = { sessions.iter_mut() }
            .map(|session| {
                let (start, work) = (&start, &work);
                let serve = move || {
                    start.wait();
                    (0..AT_ONCE).try_for_each(|_| session.serve_at_once(target, work))
                };
                scope.spawn(move || contained(serve))
            })
            .collect();
        threads.into_iter().try_for_each(joined)
    })
    .map_err(|stop| Stop::prefixed(&format!("one of {count} at once "), stop))?;

    // One past the limit, while all that are listed are held.
    let compressor = target.compressor(case)?;
    match Session::open_at_once(target, &*compressor)? {
        None => {}
        Some(mut one_more) => match one_more.serve_at_once(target, &work) {
            Err(Stop::Fault(fault)) if fault.busy => {}
            result => result.map_err(|stop| {
                Stop::prefixed(&format!("beside {count} sessions one more "), stop)
            })?,
        },
    }
    drop(sessions);
    let mut free = Session::of(target, &*compressor)?;
    free.serve(target, &work)
        .map_err(|stop| Stop::prefixed("with all others gone ", stop))
}

/// Threads that are started at the most, and what each does in a row.
const MOST_IN_FLIGHT: u32 = 1_024;
const AT_ONCE: usize = 3;

fn pools(target: &Target, case: &Case) -> Result<(), Stop> {
    let pool = SessionPool::new(target.compressor(case)?, 2);
    let work = Work::new(target, case)?;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (pool, work) = (&pool, &work);
                let serve = move || {
                    for _ in 0..10 {
                        let called = target.call(
                            work.src(target.direction),
                            work.room(),
                            POISON,
                            |src, dst| match target.direction {
                                Direction::Compress => pool.compress(src, dst),
                                Direction::Decompress => pool.decompress(src, dst),
                            },
                        )?;
                        work.check(target, &called)?;
                    }
                    Ok(())
                };
                scope.spawn(move || contained(serve))
            })
            .collect();
        threads.into_iter().try_for_each(joined)
    })
}

//! Sessions that move between threads, and many threads at once.

use std::panic::resume_unwind;
use std::sync::Barrier;
use std::thread;

use compressor_api::{Direction, SessionPool};

use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::judge::same;
use crate::stop::Stop;
use crate::target::Target;

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
        proves: "As many sessions serve at once as are listed, and one more is served or Busy.",
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

/// What a thread does with a session of its own.
enum Session {
    Compress(Box<dyn compressor_api::CompressSession>),
    Decompress(Box<dyn compressor_api::DecompressSession>),
}

impl Session {
    fn open(target: &Target, case: &Case) -> Result<Self, Stop> {
        Ok(match target.direction {
            Direction::Compress => Self::Compress(target.compress_session(case)?),
            Direction::Decompress => Self::Decompress(target.decompress_session(case)?),
        })
    }

    fn serve(&mut self, target: &Target, work: &Work) -> Result<(), Stop> {
        match self {
            Self::Compress(session) => {
                let called = target.compress(&mut **session, &work.content, work.bound)?;
                target
                    .check_unit(&work.case, &work.content, called.bytes()?)
                    .map(|_| ())
            }
            Self::Decompress(session) => {
                let called = target.decompress(&mut **session, &work.unit, work.content.len())?;
                same(&work.content, called.bytes()?).map_err(|stop| stop.unit(&work.unit))
            }
        }
    }
}

/// What a session is given, made beforehand so that threads do nothing but serve.
struct Work {
    case: Case,
    content: Vec<u8>,
    unit: Vec<u8>,
    bound: usize,
}

impl Work {
    fn new(target: &Target, case: &Case, thread: u64) -> Result<Self, Stop> {
        let case = Case {
            seed: case.seed + thread,
            ..case.clone()
        };
        let (unit, content, bound) = match target.direction {
            Direction::Compress => {
                let content = case.content();
                let bound = target.bound(&case, content.len())?;
                (Vec::new(), content, bound)
            }
            Direction::Decompress => {
                let (unit, content) = target.unit(&case)?;
                (unit, content, 0)
            }
        };
        Ok(Self {
            case,
            content,
            unit,
            bound,
        })
    }
}

fn moves(target: &Target, case: &Case) -> Result<(), Stop> {
    let work = Work::new(target, case, 0)?;
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
    thread::scope(|scope| joined(scope.spawn(work)))
}

/// What the thread gave; its panic goes on here.
fn joined<T>(handle: thread::ScopedJoinHandle<'_, Result<T, Stop>>) -> Result<T, Stop> {
    handle.join().unwrap_or_else(|panic| resume_unwind(panic))
}

fn many(target: &Target, case: &Case) -> Result<(), Stop> {
    let rounds = if target.options.quick { 10 } else { 200 };
    let work: Result<Vec<Work>, Stop> = (0..THREADS)
        .map(|thread| Work::new(target, case, thread))
        .collect();
    let work = work?;
    let start = Barrier::new(work.len());
    thread::scope(|scope| {
        let threads: Vec<_> = work
            .iter()
            .map(|work| {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    let mut session = Session::open(target, &work.case)?;
                    for round in 0..rounds {
                        session.serve(target, work)?;
                        if round % 5 == 4 {
                            session = Session::open(target, &work.case)?;
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(joined)
    })
}

fn in_flight(target: &Target, case: &Case) -> Result<(), Stop> {
    let Some(limit) = target.capabilities.in_flight else {
        return Err(Stop::NotTried("lists no limit".into()));
    };
    let work = Work::new(target, case, 0)?;
    let mut sessions = Vec::new();
    for _ in 0..limit.get().min(1_024) {
        sessions.push(Session::open(target, case)?);
    }
    for session in &mut sessions {
        session.serve(target, &work)?;
    }
    // One past the limit: served as well, or Busy until another one ends.
    thread::scope(|scope| {
        let waiting = scope.spawn(|| Session::open(target, case)?.serve(target, &work));
        drop(sessions);
        joined(waiting)
    })
}

fn pools(target: &Target, case: &Case) -> Result<(), Stop> {
    let pool = SessionPool::new(target.compressor(case)?, 2);
    let work = Work::new(target, case, 0)?;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (pool, work) = (&pool, &work);
                scope.spawn(move || {
                    for _ in 0..10 {
                        match target.direction {
                            Direction::Compress => {
                                let called =
                                    target.call(&work.content, work.bound, 0, |src, dst| {
                                        pool.compress(src, dst)
                                    })?;
                                target.check_unit(&work.case, &work.content, called.bytes()?)?;
                            }
                            Direction::Decompress => {
                                let room = work.content.len();
                                let called = target.call(&work.unit, room, 0, |src, dst| {
                                    pool.decompress(src, dst)
                                })?;
                                same(&work.content, called.bytes()?)?;
                            }
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(joined)
    })
}

//! What holds for every call: no panic, no endless wait, no allocation, no false name.

use compressor_api::{Direction, Error, ErrorKind, Format, Job, ProviderId};

use crate::alloc;
use crate::answer::{Answer, Damage};
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::judge::{is_beyond, same};
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::work::{Session, Work};

/// The check under which panics are reported, whichever one met them.
pub const NEVER_PANICS: &str = "never-panics";

/// The check under which calls that never returned are reported, whichever one made them.
pub const RETURNS_IN_TIME: &str = "returns-in-time";

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: NEVER_PANICS,
        group: Group::Conduct,
        proves: "No call panics, on any input; nor does printing or dropping what was made.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: one,
            run: never_panics,
        },
    },
    Check {
        name: RETURNS_IN_TIME,
        group: Group::Conduct,
        proves: "No call waits without bound.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: one,
            run: serves_once,
        },
    },
    Check {
        name: "stops-being-busy",
        group: Group::Conduct,
        proves: "Busy passes: a provider alone with one caller serves in the end.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: one,
            run: serves_once,
        },
    },
    Check {
        name: "errors-name-provider",
        group: Group::Conduct,
        proves: "An error carries the name of the provider it came from.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: one,
            run: errors_name_provider,
        },
    },
    Check {
        name: "allocates-nothing",
        group: Group::Conduct,
        proves: "After warm-up, success, OutputTooSmall and CorruptInput allocate nothing, alone and \
                 in a batch, at any level (LZ4 at 10 to 12: once, as liblz4 does).",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: at_every_class_of_levels,
            run: allocates_nothing,
        },
    },
    Check {
        name: "accelerates",
        group: Group::Conduct,
        proves: "Where it must accelerate, no software serves in its place, at any level and length that the \
                 accelerator lists.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: accelerated,
            run: accelerates,
        },
    },
];

fn one(target: &Target) -> Vec<Case> {
    vec![Case::new(
        Kind::Text,
        target.within(1_000),
        target.options.seed,
    )]
}

fn never_panics(target: &Target, case: &Case) -> Result<(), Stop> {
    let factory = target.subject.factory();
    let compressor = target.compressor(case)?;
    // Nothing may panic even when it is printed; what it prints is its own.
    let _ = format!("{factory:?} {compressor:?} {:?}", factory.health());
    for len in [0, 1, usize::MAX / 2, usize::MAX] {
        let _ = compressor.max_compressed_len(len);
    }
    let (random, zeros) = (Kind::Random.make(70_000, 7), vec![0; 70_000]);
    let sources = [
        &[][..],
        &[0],
        &[0xFF; 3],
        random.get(..100).unwrap_or_default(),
        &random,
        &zeros,
    ];
    for src in sources {
        let _ = compressor.decompressed_len(src);
        for room in [0, 1, 7, src.len(), 2 * src.len() + 1_000] {
            match target.direction {
                Direction::Compress => {
                    let mut session = target.compress_session(case)?;
                    target.compress(&mut *session, src, room)?;
                }
                Direction::Decompress => {
                    let mut session = target.decompress_session(case)?;
                    target.decompress(&mut *session, src, room)?;
                    target.decompress_exact(&mut *session, src, room)?;
                    let _ = session.provider();
                }
            }
        }
    }
    Ok(())
}

/// Whether it is done right is for others to say; here it only has to be done.
fn serves_once(target: &Target, case: &Case) -> Result<(), Stop> {
    let work = Work::new(target, case)?;
    let mut session = Session::open(target, case)?;
    session
        .call(target, work.src(target.direction), work.room())
        .map(|_| ())
}

fn errors_name_provider(target: &Target, case: &Case) -> Result<(), Stop> {
    if target.subject.is_composed() {
        return Err(Stop::NotTried(
            "other providers are at work inside this one".into(),
        ));
    }
    let id = target.subject.factory().id();
    let mut results: Vec<Result<(), Error>> = Vec::new();
    match target.direction {
        Direction::Compress => {
            let mut session = target.compress_session(case)?;
            results.push(session.compress(&case.content(), &mut []).map(|_| ()));
        }
        Direction::Decompress => {
            let (unit, content) = target.unit(case)?;
            let mut session = target.decompress_session(case)?;
            let mut dst = vec![0; content.len() + 1];
            results.push(session.decompress(&unit, &mut []).map(|_| ()));
            results.push(session.decompress_exact(&unit, &mut dst));
            let cut = unit.get(..unit.len() / 2).unwrap_or_default();
            results.push(session.decompress(cut, &mut dst).map(|_| ()));
        }
    }
    for error in results.into_iter().filter_map(Result::err) {
        ensure(error.provider() == id, || {
            format!("is {id}, and an error says {}", error.provider())
        })?;
    }
    Ok(())
}

fn at_every_class_of_levels(target: &Target) -> Vec<Case> {
    let mut cases = target.by_each_writer_or_once(&target.cases(Kind::Rows, &[100, 16_384]));
    if target.direction == Direction::Compress {
        for level in target.level_classes() {
            let long = target.cases(Kind::Rows, &[16_384]).into_iter();
            cases.extend(long.map(|case| case.level(level)));
        }
    }
    cases
}

/// Allocations that a call may make. From level 10 on liblz4 takes 64 KiB for its optimal parser in
/// each call and gives them back, unless it was built with LZ4HC_HEAPMODE=0; there is no way to hand
/// it that memory.
fn allowed(target: &Target, case: &Case) -> u64 {
    let lz4 = matches!(target.format, Format::Lz4Block | Format::Lz4Sized);
    let optimal = case.level.is_some_and(|level| level >= 10);
    u64::from(lz4 && optimal && target.direction == Direction::Compress)
}

/// A call whose allocations are counted.
struct Counted {
    src: Vec<u8>,
    room: usize,
    /// `decompress_exact`.
    exact: bool,
    /// What came of it when it was looked at.
    due: Result<(), ErrorKind>,
}

impl Counted {
    fn run(&self, session: &mut Session, dst: &mut [u8]) -> Result<usize, Error> {
        let dst = dst.get_mut(..self.room).unwrap_or_default();
        match session {
            Session::Decompress(session) if self.exact => {
                session.decompress_exact(&self.src, dst).map(|()| self.room)
            }
            session => session.bare(&self.src, dst),
        }
    }

    /// A fault if it allocated, or ended in another way than it did before.
    fn judge(
        &self,
        allocated: u64,
        allowed: u64,
        result: Result<usize, Error>,
    ) -> Result<(), Stop> {
        let outcome = || result.map_or_else(|error| error.kind().to_string(), |_| "Ok".into());
        ensure(allocated <= allowed, || {
            format!(
                "allocates {allocated} times in a call that ends with {}",
                outcome()
            )
        })?;
        let kind = result.map(|_| ()).map_err(Error::kind);
        ensure(kind == self.due || kind == Err(ErrorKind::Busy), || {
            let before = self
                .due
                .map_or_else(|kind| kind.to_string(), |()| "Ok".into());
            format!(
                "ends with {}, and the same call with {before} before",
                outcome()
            )
        })
    }
}

/// Calls before counting: enough for scratch to have grown to what it needs.
const WARM_UP: usize = 12;

/// Calls that are counted, and batches.
const COUNTED: usize = 16;
const BATCHES: usize = 3;

fn allocates_nothing(target: &Target, case: &Case) -> Result<(), Stop> {
    if !alloc::is_counting() {
        let why = "the program does not count allocations (count_mallocs!)";
        return Err(Stop::NotTried(why.into()));
    }
    let mut session = Session::open(target, case)?;
    let calls = match target.direction {
        Direction::Compress => compressing(target, case, &mut session)?,
        Direction::Decompress => decompressing(target, case, &mut session)?,
    };
    let allowed = allowed(target, case);
    let most = calls.iter().map(|call| call.room).max().unwrap_or(0);
    let mut dst = vec![0; most];
    for (turn, call) in calls.iter().cycle().take(WARM_UP + COUNTED).enumerate() {
        let (result, allocated) = alloc::allocations(|| call.run(&mut session, &mut dst));
        if turn >= WARM_UP {
            call.judge(allocated, allowed, result)?;
        }
    }
    let singles: Vec<&Counted> = calls.iter().filter(|call| !call.exact).collect();
    let mut rooms: Vec<Vec<u8>> = { singles.iter() }.map(|call| vec![0; call.room]).collect();
    for turn in 0..2 * BATCHES {
        let mut jobs: Vec<Job<'_>> = { singles.iter().zip(&mut rooms) }
            .map(|(call, room)| Job::new(&call.src, room))
            .collect();
        let (ran, allocated) = alloc::allocations(|| session.call_many(&mut jobs));
        ran?;
        if turn >= BATCHES {
            let allowed = allowed * jobs.len() as u64;
            for (call, job) in singles.iter().zip(&jobs) {
                call.judge(allocated, allowed, job.result)
                    .map_err(|stop| Stop::prefixed("in a batch: ", stop))?;
            }
        }
    }
    Ok(())
}

/// Calls that succeed, and that do not fit.
fn compressing(target: &Target, case: &Case, session: &mut Session) -> Result<Vec<Counted>, Stop> {
    let content = case.content();
    let bound = target.bound(case, content.len())?;
    let mut calls = Vec::new();
    for room in [bound, (content.len() / 8).min(bound)] {
        let called = session.call(target, &content, room)?;
        match called.result {
            Err(_) if room < bound => called.must_fail(ErrorKind::OutputTooSmall)?,
            _ => {
                target.check_unit(case, &content, called.bytes()?)?;
            }
        }
        calls.push(Counted {
            src: content.clone(),
            room,
            exact: false,
            due: called.result.map(|_| ()).map_err(Error::kind),
        });
    }
    Ok(calls)
}

/// Calls that succeed, that do not fit, and on a unit that ends too early.
fn decompressing(
    target: &Target,
    case: &Case,
    session: &mut Session,
) -> Result<Vec<Counted>, Stop> {
    let (unit, content) = target.unit(case)?;
    let cut = unit.get(..unit.len() / 2).unwrap_or_default();
    let len = content.len();
    let mut calls = Vec::new();
    for (src, room, exact, damage) in [
        (&unit[..], len, false, None),
        (&unit, len.min(1), false, None),
        (cut, len, false, Some(Damage::Resized)),
        (&unit, len, true, None),
    ] {
        let answer = Answer::due(target, src, damage);
        let called = match &mut *session {
            Session::Decompress(session) if exact => {
                let called = target.decompress_exact(&mut **session, src, room)?;
                answer.check_exact(room, &called)?;
                called
            }
            session => {
                let called = session.call(target, src, room)?;
                answer.check(room, &called)?;
                called
            }
        };
        if src == unit && room == len {
            same(&content, called.bytes()?)?;
        }
        calls.push(Counted {
            src: src.to_vec(),
            room,
            exact,
            due: called.result.map(|_| ()).map_err(Error::kind),
        });
    }
    Ok(calls)
}

/// A block of an engine, in bytes.
const BLOCK: usize = 16 << 10;

/// Operations that must all be accelerated: of a block at the default level, and of all else.
const OPERATIONS: u64 = 20;
const FEW_OPERATIONS: u64 = 3;

/// Every level and, of what the accelerator takes by itself, the least, the greatest and some between.
fn accelerated(target: &Target) -> Vec<Case> {
    let block = target.cases(Kind::Rows, &[BLOCK]);
    let Some(listed) = target.subject.accelerated(target.capabilities) else {
        return block;
    };
    if !target.options.must_accelerate {
        return block;
    }
    let long = if target.options.quick {
        256 << 10
    } else {
        1 << 20
    };
    let most = match target.direction {
        Direction::Compress => listed.max_input,
        Direction::Decompress => listed.max_output,
    };
    // Random bytes do not shrink: as short a unit as is taken holds somewhat less than this.
    let least = target.cases(Kind::Random, &[listed.min_input]);
    let some = target.cases(Kind::Rows, &[1_000, long.min(most)]);
    let cases = [block, least, some].concat();
    if target.direction == Direction::Decompress {
        return target.by_each_writer(&cases);
    }
    let levels = target.every_level().into_iter();
    let at_each = levels
        .filter(|level| listed.levels.contains(*level))
        .flat_map(|level| cases.iter().map(move |case| case.clone().level(level)));
    cases.iter().cloned().chain(at_each).collect()
}

fn accelerates(target: &Target, case: &Case) -> Result<(), Stop> {
    if !target.options.must_accelerate {
        return Err(Stop::NotTried("acceleration was not asked for".into()));
    }
    let Some(listed) = target.subject.accelerated(target.capabilities) else {
        return Err(Stop::NotTried("the accelerator does not do this".into()));
    };
    // A unit of its own writing may have been written in software: it is there before anything counts.
    let work = Work::new(target, case)?;
    let is_beyond = match target.direction {
        Direction::Compress => !(listed.min_input..=listed.max_input).contains(&case.size),
        Direction::Decompress => is_beyond(&listed, work.src(target.direction), work.room()),
    };
    if is_beyond {
        let why = "outside the limits of the accelerator";
        return Err(Stop::NotTried(why.into()));
    }
    let compressor = target.compressor(case)?;
    let effective = compressor.effective();
    let side = match target.direction {
        Direction::Compress => effective.compress,
        Direction::Decompress => effective.decompress,
    };
    let provider = side.map(|side| side.provider);
    ensure(
        provider.is_some_and(|id| !id.as_str().starts_with("software.")),
        || {
            let who = provider.map_or("nobody", ProviderId::as_str);
            format!("effective() says that {who} serves")
        },
    )?;
    let Some(before) = target.subject.served() else {
        return Ok(());
    };
    let operations = match (case.level, case.size) {
        (None, BLOCK) => OPERATIONS,
        _ => FEW_OPERATIONS,
    };
    let mut session = Session::open(target, case)?;
    for _ in 0..operations {
        session.call(target, work.src(target.direction), work.room())?;
    }
    let after = target.subject.served().unwrap_or_default();
    let accelerated = after.accelerated - before.accelerated;
    let software = after.software - before.software;
    ensure(software == 0 && accelerated >= operations, || {
        format!(
            "of {operations} operations {accelerated} ran accelerated and {software} in software"
        )
    })
}

//! What holds for every call: no panic, no endless wait, no allocation, no false name.

use compressor_api::{Direction, Error, Format, ProviderId};

use crate::alloc;
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
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
        proves: "After warm-up, success, OutputTooSmall and CorruptInput allocate nothing, at any \
                 level (LZ4 at 10 to 12: once, as liblz4 does).",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: at_every_class_of_levels,
            run: allocates_nothing,
        },
    },
    Check {
        name: "accelerates",
        group: Group::Conduct,
        proves: "Where it must accelerate, no software serves in its place.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: |target| target.by_each_writer_or_once(&target.cases(Kind::Rows, &[16_384])),
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

/// Calls before counting: enough for scratch to have grown to what it needs.
const WARM_UP: usize = 3;

fn allocates_nothing(target: &Target, case: &Case) -> Result<(), Stop> {
    if !alloc::is_counting() {
        let why = "the program does not count allocations (count_mallocs!)";
        return Err(Stop::NotTried(why.into()));
    }
    match target.direction {
        Direction::Compress => {
            let content = case.content();
            let mut dst = vec![0; target.bound(case, content.len())?];
            let small = (content.len() / 8).min(dst.len());
            let mut session = target.compress_session(case)?;
            none_allocates(allowed(target, case), |turn| {
                let room = if turn % 2 == 0 { dst.len() } else { small };
                session.compress(&content, dst.get_mut(..room).unwrap_or_default())
            })
        }
        Direction::Decompress => {
            let (unit, content) = target.unit(case)?;
            let mut dst = vec![0; content.len()];
            let cut = unit.get(..unit.len() / 2).unwrap_or_default();
            let mut session = target.decompress_session(case)?;
            none_allocates(allowed(target, case), |turn| match turn % 4 {
                0 => session.decompress(&unit, &mut dst),
                1 => session.decompress(&unit, dst.get_mut(..1).unwrap_or_default()),
                2 => session.decompress(cut, &mut dst),
                _ => session
                    .decompress_exact(&unit, &mut dst)
                    .map(|()| content.len()),
            })
        }
    }
}

fn none_allocates(
    allowed: u64,
    mut call: impl FnMut(usize) -> Result<usize, Error>,
) -> Result<(), Stop> {
    for turn in 0..4 * WARM_UP {
        let _ = call(turn);
    }
    for turn in 0..16 {
        let before = alloc::count();
        let result = call(turn);
        let allocated = alloc::count() - before;
        ensure(allocated <= allowed, || {
            let outcome = result.map_or_else(|error| error.kind().to_string(), |_| "Ok".into());
            format!("allocates {allocated} times in a call that ends with {outcome}")
        })?;
    }
    Ok(())
}

/// Operations that must all be accelerated.
const OPERATIONS: u64 = 20;

fn accelerates(target: &Target, case: &Case) -> Result<(), Stop> {
    if !target.options.must_accelerate {
        return Err(Stop::NotTried("acceleration was not asked for".into()));
    }
    if !target
        .subject
        .is_accelerated(target.format, target.direction)
    {
        return Err(Stop::NotTried("the accelerator does not do this".into()));
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
    for _ in 0..OPERATIONS {
        serves_once(target, case)?;
    }
    let after = target.subject.served().unwrap_or_default();
    let accelerated = after.accelerated - before.accelerated;
    let software = after.software - before.software;
    ensure(software == 0 && accelerated >= OPERATIONS, || {
        format!(
            "of {OPERATIONS} operations {accelerated} ran accelerated and {software} in software"
        )
    })
}

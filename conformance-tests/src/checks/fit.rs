//! How much room there is in `dst`.

use compressor_api::{CompressSession, Direction, ErrorKind, OutputNeed};

use crate::call::Called;
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::judge::same;
use crate::sizes::FEW;
use crate::stop::{Stop, ensure};
use crate::target::{Target, plausible};

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "bound-suffices",
        group: Group::Room,
        proves: "A dst of at least max_compressed_len never gives OutputTooSmall.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: incompressible,
            run: bound_suffices,
        },
    },
    Check {
        name: "bound-plausible",
        group: Group::Room,
        proves: "max_compressed_len is never 0, never wrapped, never more than anybody would allocate, \
                 and None only beyond what is taken.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: lengths_of_every_width,
            run: bound_plausible,
        },
    },
    Check {
        name: "exact-fit",
        group: Group::Room,
        proves: "An exact fit succeeds, one byte less is OutputTooSmall; where it is listed that all of \
                 the bound is needed, no less than that need suffice.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: fits,
            run: exact_fit,
        },
    },
    Check {
        name: "every-room",
        group: Group::Room,
        proves: "Any length of dst is legal, down to 0.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: small_contents,
            run: every_room,
        },
    },
    Check {
        name: "exact-length",
        group: Group::Room,
        proves: "decompress_exact takes content that fills dst, and calls any other length corrupt.",
        proof: Proof::Operation {
            directions: &[Direction::Decompress],
            cases: |target| target.by_each_writer(&dense(target)),
            run: exact_length,
        },
    },
];

fn incompressible(target: &Target) -> Vec<Case> {
    let mut cases = Vec::new();
    for level in target.levels() {
        for kind in [Kind::Random, Kind::High, Kind::Compressed] {
            let sizes = match level == target.default_level() || !target.options.quick {
                true => target.sizes(),
                false => AT_OTHER_LEVELS.to_vec(),
            };
            let of_level = target.cases(kind, &sizes);
            cases.extend(of_level.into_iter().map(|case| case.level(level)));
        }
    }
    // Short contents, where headers weigh most.
    let step = if target.options.quick { 5 } else { 1 };
    let short: Vec<usize> = (0..300).step_by(step).collect();
    cases.extend(target.cases(Kind::High, &short));
    cases
}

fn bound_suffices(target: &Target, case: &Case) -> Result<(), Stop> {
    let content = case.content();
    let bound = target.bound(case, content.len())?;
    let mut session = target.compress_session(case)?;
    for room in [bound, bound + 1] {
        let called = target.compress(&mut *session, &content, room)?;
        called
            .bytes()
            .map_err(|stop| Stop::prefixed("with a dst as long as the bound ", stop))?;
    }
    Ok(())
}

fn lengths_of_every_width(target: &Target) -> Vec<Case> {
    let mut lengths: Vec<usize> = (0..usize::BITS).map(|bits| 1 << bits).collect();
    lengths.extend([0, usize::MAX / 2, usize::MAX - 1, usize::MAX]);
    lengths.extend([target.capabilities.min_input, target.capabilities.max_input]);
    let around = |len: usize| [len.wrapping_sub(1), len, len.wrapping_add(1)];
    let mut lengths: Vec<usize> = lengths.into_iter().flat_map(around).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let case = |len| Case::new(Kind::Zeros, 0, 0).at(len);
    lengths.into_iter().map(case).collect()
}

fn bound_plausible(target: &Target, case: &Case) -> Result<(), Stop> {
    let len = case.at.unwrap_or(0);
    let listed = target.capabilities;
    match target.compressor(case)?.max_compressed_len(len) {
        Some(bound) => {
            // Nothing shrinks random bytes, so a bound below the length has wrapped.
            ensure(bound >= len.max(1), || {
                format!("the bound of {len} bytes is {bound}")
            })?;
            plausible(len, bound)?;
            ensure(len <= listed.max_input, || {
                format!(
                    "takes {} bytes, and has a bound for {len}",
                    listed.max_input
                )
            })
        }
        None => {
            // What is near the end of the address space has no bound that could be said.
            let sayable = len <= listed.max_input && len < usize::MAX / 4;
            ensure(!sayable || len < listed.min_input, || {
                format!(
                    "takes {} bytes, and has no bound for {len}",
                    listed.max_input
                )
            })
        }
    }
}

/// Lengths where levels other than the default are tried in a quick run.
const AT_OTHER_LEVELS: [usize; 3] = [0, 17, 4_097];

fn fits(target: &Target) -> Vec<Case> {
    let mut cases = Vec::new();
    let kinds = match target.options.quick {
        true => &[Kind::Text, Kind::Random, Kind::Zeros][..],
        false => &Kind::ALL[..],
    };
    for kind in kinds {
        for level in target.levels() {
            let of_level = target.cases(*kind, few(target, level));
            cases.extend(of_level.into_iter().map(|case| case.level(level)));
        }
    }
    cases.extend(dense(target));
    target.by_each_writer_or_once(&cases)
}

fn few(target: &Target, level: i32) -> &'static [usize] {
    match level == target.default_level() || !target.options.quick {
        true => &FEW,
        false => &AT_OTHER_LEVELS,
    }
}

/// Lengths close to each other: what fails by a byte or two fails at some of them.
fn dense(target: &Target) -> Vec<Case> {
    let lengths: Vec<usize> = match target.options.quick {
        true => (2..70)
            .step_by(3)
            .chain([255, 256, 1_000, 16_384])
            .collect(),
        false => (2..600).chain([4_096, 16_384, 65_536, 131_073]).collect(),
    };
    target.cases(Kind::Text, &lengths)
}

fn exact_fit(target: &Target, case: &Case) -> Result<(), Stop> {
    match target.direction {
        Direction::Compress => exact_fit_of_unit(target, case),
        Direction::Decompress => exact_fit_of_content(target, case),
    }
}

fn exact_fit_of_unit(target: &Target, case: &Case) -> Result<(), Stop> {
    let content = case.content();
    let bound = target.bound(case, content.len())?;
    let mut session = target.compress_session(case)?;
    let n = target
        .compress(&mut *session, &content, bound)?
        .bytes()?
        .len();
    if may_need(target, n, bound) {
        return does_not_fit(target, case, &mut *session, &content, n);
    }
    let fits = target.compress(&mut *session, &content, n)?;
    let unit = fits.bytes().map_err(|stop| {
        let before = format!("made {n} bytes with room for {bound}, and with room for {n} ");
        Stop::prefixed(&before, stop).room(n)
    })?;
    target.check_unit(case, &content, unit)?;
    match n.checked_sub(1) {
        Some(less) => does_not_fit(target, case, &mut *session, &content, less),
        None => Ok(()),
    }
}

/// Whether it lists that it needs all of the bound: then less room may be too small, though the unit
/// would fit.
fn may_need(target: &Target, room: usize, bound: usize) -> bool {
    target.capabilities.output == OutputNeed::Bound && room < bound
}

/// A fault unless it is `OutputTooSmall`, or a shorter unit after all: an implementation may try
/// harder when there is less room.
fn does_not_fit(
    target: &Target,
    case: &Case,
    session: &mut dyn CompressSession,
    content: &[u8],
    room: usize,
) -> Result<(), Stop> {
    let called = target.compress(session, content, room)?;
    match called.result {
        Ok(_) => target
            .check_unit(case, content, called.bytes()?)
            .map(|_| ()),
        Err(_) => called.must_fail(ErrorKind::OutputTooSmall),
    }
    .map_err(|stop| stop.room(room))
}

fn exact_fit_of_content(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let mut session = target.decompress_session(case)?;
    let len = content.len();
    for room in [
        Some(len),
        len.checked_sub(1),
        Some(len + 1),
        Some(len + 100),
    ] {
        let Some(room) = room else { continue };
        let called = target.decompress(&mut *session, &unit, room)?;
        check_fit(target, &unit, room, &content, &called)?;
    }
    Ok(())
}

/// What an intact unit gives in too little room, or in enough: also where nothing here reads the
/// format.
fn check_fit(
    target: &Target,
    unit: &[u8],
    room: usize,
    content: &[u8],
    called: &Called,
) -> Result<(), Stop> {
    if target.is_beyond_limits(unit, room) && called.kind() == Some(ErrorKind::Unsupported) {
        return Ok(());
    }
    match room < content.len() {
        true => called.must_fail(ErrorKind::OutputTooSmall),
        false => called.bytes().and_then(|read| same(content, read)),
    }
    .map_err(|stop| stop.unit(unit).room(room))
}

fn small_contents(target: &Target) -> Vec<Case> {
    let mut cases = target.cases(Kind::Text, &[0, 1, 17, 64, 200]);
    cases.extend(target.cases(Kind::Random, &[16, 100]));
    cases.extend(target.cases(Kind::Zeros, &[300]));
    target.by_each_writer_or_once(&cases)
}

fn every_room(target: &Target, case: &Case) -> Result<(), Stop> {
    match target.direction {
        Direction::Compress => {
            let content = case.content();
            let bound = target.bound(case, content.len())?;
            let mut session = target.compress_session(case)?;
            let n = target
                .compress(&mut *session, &content, bound)?
                .bytes()?
                .len();
            let rooms = match case.room {
                Some(room) => room..room + 1,
                None => 0..bound + 1,
            };
            for room in rooms {
                if room < n || may_need(target, room, bound) {
                    does_not_fit(target, case, &mut *session, &content, room)?;
                } else {
                    let called = target.compress(&mut *session, &content, room)?;
                    called
                        .bytes()
                        .and_then(|unit| target.check_unit(case, &content, unit))
                        .map_err(|stop| stop.room(room))?;
                }
            }
        }
        Direction::Decompress => {
            let (unit, content) = target.unit(case)?;
            let mut session = target.decompress_session(case)?;
            let rooms = match case.room {
                Some(room) => room..room + 1,
                None => 0..content.len() + 20,
            };
            for room in rooms {
                let called = target.decompress(&mut *session, &unit, room)?;
                check_fit(target, &unit, room, &content, &called)?;
            }
        }
    }
    Ok(())
}

fn exact_length(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.unit(case)?;
    let len = content.len();
    let mut session = target.decompress_session(case)?;
    let exact = target.decompress_exact(&mut *session, &unit, len)?;
    same(&content, exact.bytes()?)?;
    for room in [
        len.checked_sub(1),
        Some(len / 2),
        Some(len + 1),
        Some(2 * len + 64),
    ] {
        let Some(room) = room.filter(|room| *room != len) else {
            continue;
        };
        let called = target.decompress_exact(&mut *session, &unit, room)?;
        if called.kind() == Some(ErrorKind::Unsupported) && target.is_beyond_limits(&unit, room) {
            continue;
        }
        called
            .must_fail(ErrorKind::CorruptInput)
            .map_err(|stop| stop.unit(&unit).room(room))?;
    }
    // Wrong lengths have not spoiled the session.
    let again = target.decompress_exact(&mut *session, &unit, len)?;
    same(&content, again.bytes()?)
}

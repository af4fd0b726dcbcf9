//! What is written is one unit of the format that holds all of the content; what others wrote is
//! read.

use compressor_api::{Direction, ErrorKind, self_test};

use crate::answer::Answer;
use crate::case::{Case, Writer};
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::judge::same;
use crate::sizes::{FEW, SMALL};
use crate::stop::{Stop, ensure};
use crate::target::{Target, read_with};
use crate::work::{Session, Work, compressed, serves};

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "known-answer",
        group: Group::Units,
        proves: "What the reference libraries wrote is read.",
        proof: Proof::Operation {
            directions: &[Direction::Decompress],
            cases: |_| vec![Case::new(Kind::Zeros, 0, 0)],
            run: known_answer,
        },
    },
    Check {
        name: "unit-not-empty",
        group: Group::Units,
        proves: "Ok with 0 bytes for content is no unit.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: |target| target.cases(Kind::Text, &SMALL),
            run: unit_not_empty,
        },
    },
    Check {
        name: "consumes-all",
        group: Group::Units,
        proves: "Ok: all of src was consumed, to its last byte.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: ends_matter,
            run: serves,
        },
    },
    Check {
        name: "empty-content",
        group: Group::Units,
        proves: "Empty input is legal in every format.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: no_content,
            run: empty_content,
        },
    },
    Check {
        name: "round-trip",
        group: Group::Units,
        proves: "Ok(n): dst[..n] is one complete unit that any conforming decoder accepts alone.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: Target::matrix,
            run: serves,
        },
    },
    Check {
        name: "reference-reads",
        group: Group::Units,
        proves: "The reference codec reads what the provider wrote.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: Target::matrix,
            run: reference_reads,
        },
    },
    Check {
        name: "reads-every-writer",
        group: Group::Units,
        proves: "Units of other writers are read, whatever they hold.",
        proof: Proof::Operation {
            directions: &[Direction::Decompress],
            cases: every_writer,
            run: serves,
        },
    },
    Check {
        name: "steady",
        group: Group::Units,
        proves: "The same session does it right every time.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: |target| target.by_each_writer_or_once(&target.cases(Kind::Rows, &[1_000])),
            run: steady,
        },
    },
];

fn known_answer(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = (self_test::unit(target.format), self_test::CONTENT);
    target.within_limits(unit, content.len())?;
    let mut session = target.decompress_session(case)?;
    let called = target.decompress(&mut *session, unit, content.len())?;
    same(content, called.bytes()?)
}

fn unit_not_empty(target: &Target, case: &Case) -> Result<(), Stop> {
    let (content, called) = compressed(target, case)?;
    ensure(!called.bytes()?.is_empty(), || {
        format!("says Ok with 0 bytes for {} of content", content.len())
    })
}

fn ends_matter(target: &Target) -> Vec<Case> {
    [Kind::Random, Kind::Text]
        .into_iter()
        .flat_map(|kind| target.cases(kind, &FEW))
        .collect()
}

fn reference_reads(target: &Target, case: &Case) -> Result<(), Stop> {
    let reference = target.reference()?;
    let (content, called) = compressed(target, case)?;
    let unit = called.bytes()?;
    let read = read_with(reference, &target.spec(case)?, unit, content.len());
    let read = read.map_err(|error| Stop::fault(format!("the reference codec: {error}")));
    same(&content, &read.map_err(|stop| stop.unit(unit))?).map_err(|stop| stop.unit(unit))
}

fn every_writer(target: &Target) -> Vec<Case> {
    let mut cases = Vec::new();
    for case in target.matrix() {
        for writer in target.writers() {
            // The plain writer has one level.
            let default = case
                .level
                .is_none_or(|level| level == target.default_level());
            if writer != Writer::Plain || default {
                cases.push(case.clone().writer(writer));
            }
        }
    }
    cases
}

fn no_content(target: &Target) -> Vec<Case> {
    match target.takes(0) {
        true => target.by_each_writer_or_once(&target.cases(Kind::Zeros, &[0])),
        false => Vec::new(),
    }
}

fn empty_content(target: &Target, case: &Case) -> Result<(), Stop> {
    match target.direction {
        Direction::Compress => {
            serves(target, case)?;
            let mut session = target.compress_session(case)?;
            let none = target.compress(&mut *session, &[], 0)?;
            match none.result {
                Ok(_) => target.check_unit(case, &[], none.bytes()?).map(|_| ()),
                Err(_) => none.must_fail(ErrorKind::OutputTooSmall),
            }
        }
        Direction::Decompress => {
            let (unit, _) = target.unit(case)?;
            let mut session = target.decompress_session(case)?;
            for room in [0, 1, 64] {
                let called = target.decompress(&mut *session, &unit, room)?;
                Answer::due(target, &unit, None).check(room, &called)?;
                let called = target.decompress_exact(&mut *session, &unit, room)?;
                Answer::due(target, &unit, None).check_exact(room, &called)?;
            }
            Ok(())
        }
    }
}

/// Calls on one session that are enough to meet a fault of every few calls.
const STEADY: u64 = 40;

fn steady(target: &Target, case: &Case) -> Result<(), Stop> {
    let mut session = Session::open(target, case)?;
    for turn in 0..STEADY {
        let seed = case.seed.wrapping_add(turn);
        let work = Work::new(target, &case.varied(case.kind, seed))?;
        session.serve(target, &work)?;
    }
    Ok(())
}

//! The frozen vectors.

use compressor_api::{Direction, ErrorKind};

use crate::call::Called;
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::vectors::{self, Expected, Vector};

pub(super) static CHECKS: &[Check] = &[Check {
    name: "frozen-vectors",
    group: Group::Units,
    proves: "Units with known outcomes have those outcomes.",
    proof: Proof::Operation {
        directions: &[Direction::Decompress],
        cases,
        run,
    },
}];

fn cases(target: &Target) -> Vec<Case> {
    vectors::decode()
        .unwrap_or_default()
        .into_iter()
        .filter(|vector| vector.format == target.format)
        .map(|vector| Case::of_unit(&vector.unit, vector.room).at(vector.line))
        .collect()
}

fn run(target: &Target, case: &Case) -> Result<(), Stop> {
    let mut vectors = vectors::decode().map_err(Stop::NotTried)?.into_iter();
    let vector = vectors
        .find(|vector| Some(vector.line) == case.at)
        .ok_or_else(|| Stop::NotTried("no vector stands there".into()))?;
    if target.is_beyond_limits(&vector.unit, vector.room) {
        return Err(Stop::NotTried("units outside the limits".into()));
    }
    let mut session = target.decompress_session(case)?;
    if !vector.exact {
        let called = target.decompress(&mut *session, &vector.unit, vector.room)?;
        agrees(&vector, &called, "")?;
        return Ok(());
    }
    let called = target.decompress_exact(&mut *session, &vector.unit, vector.room)?;
    agrees(&vector, &called, "decompress_exact: ")?;
    // Content that fills the room is found by either call.
    if called.result.is_ok() {
        let called = target.decompress(&mut *session, &vector.unit, vector.room)?;
        agrees(&vector, &called, "decompress: ")?;
    }
    Ok(())
}

fn agrees(vector: &Vector, called: &Called, call: &str) -> Result<(), Stop> {
    let fine = vector.outcomes.iter().any(|outcome| match outcome {
        Expected::Content(content) => called.comparable() == Ok(content),
        Expected::Error(kind) => called.comparable() == Err(*kind),
    });
    let due = |outcome: &Expected| match outcome {
        Expected::Content(content) => format!("Ok({})", content.len()),
        Expected::Error(kind) => ErrorKind::to_string(kind),
    };
    ensure(fine, || {
        let due: Vec<_> = vector.outcomes.iter().map(due).collect();
        let due = due.join(" or ");
        format!(
            "{call}{due} is due, and it says {} or other bytes",
            called.outcome()
        )
    })
}

//! Content of lengths that nobody has in mind.
//!
//! The other checks try lengths at which something changes in some codec. A device that does wrong
//! somewhere in between is met here, as far as the time allows: at every round length, at those drawn
//! from the seed, and in a full run at every one up to [`EVERY`].

use compressor_api::{Direction, Format};

use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::random::Random;
use crate::target::Target;
use crate::work::serves;

pub(super) static CHECKS: &[Check] = &[Check {
    name: "any-length",
    group: Group::Units,
    proves: "Content of any length is served, not only of those at which something is known to \
             change.",
    proof: Proof::Operation {
        directions: &Direction::BOTH,
        cases: any,
        run: serves,
    },
}];

/// In a full run every length up to this one is tried, in bytes.
const EVERY: usize = 10_000;

/// From which lengths to which, in bytes, and how many are drawn: in a quick run, and in a full one.
const DRAWN: [(usize, usize, usize, usize); 5] = [
    (1, 4 << 10, 4, 100),
    (4 << 10, 64 << 10, 4, 100),
    (64 << 10, 256 << 10, 2, 40),
    (256 << 10, 512 << 10, 1, 16),
    (512 << 10, 4 << 20, 0, 6),
];

fn any(target: &Target) -> Vec<Case> {
    let quick = target.options.quick;
    let mut random = Random::new(seed_of(target));
    let mut lengths: Vec<usize> = (1..=20).map(|thousands| thousands * 1_000).collect();
    if !quick {
        lengths.extend(0..=EVERY);
    }
    for (from, to, some, many) in DRAWN {
        let (from, to) = (target.within(from), target.within(to));
        let count = if quick { some } else { many };
        lengths.extend((0..count).map(|_| from + random.below(to - from + 1)));
    }
    lengths.retain(|len| target.takes(*len));
    let writers = target.writers();
    let kinds = Kind::ALL.into_iter().cycle();
    let mut cases = Vec::new();
    for (turn, (len, kind)) in lengths.into_iter().zip(kinds).enumerate() {
        let case = Case::new(kind, len, target.options.seed);
        // One writer each: what they have in common, other checks try.
        let writer = writers.get(turn % writers.len().max(1)).copied();
        cases.push(match (target.direction, writer) {
            (Direction::Decompress, Some(writer)) => case.writer(writer),
            _ => case,
        });
    }
    cases
}

/// Other lengths for each format and direction, so that one run sees more of them.
fn seed_of(target: &Target) -> u64 {
    let place = |found: Option<usize>| found.unwrap_or(0) as u64;
    let format = place(Format::ALL.iter().position(|one| *one == target.format));
    let direction = place(
        Direction::BOTH
            .iter()
            .position(|one| *one == target.direction),
    );
    let mut random = Random::new(target.options.seed);
    random.next().wrapping_add(2 * format + direction)
}

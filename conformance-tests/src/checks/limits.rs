//! The published limits on lengths: at them, and one past.

use compressor_api::{Direction, ErrorKind};

use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::judge::same;
use crate::plain;
use crate::stop::Stop;
use crate::target::{Target, plausible};

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "input-limits",
        group: Group::Limits,
        proves: "Input at the least and the greatest length is served; one past is Unsupported, or \
                 right all the same.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: inputs,
            run: input_limits,
        },
    },
    Check {
        name: "output-limit",
        group: Group::Limits,
        proves: "Content of the greatest length is served; one past is Unsupported, or right all \
                 the same.",
        proof: Proof::Operation {
            directions: &[Direction::Decompress],
            cases: outputs,
            run: output_limit,
        },
    },
];

/// Each of the limits, and one to each side. `usize::MAX` is none.
fn around(limits: &[usize]) -> Vec<usize> {
    let mut lengths: Vec<usize> = limits
        .iter()
        .filter(|limit| **limit < usize::MAX)
        .flat_map(|limit| [limit.checked_sub(1), Some(*limit), limit.checked_add(1)])
        .flatten()
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn inputs(target: &Target) -> Vec<Case> {
    let listed = target.capabilities;
    let lengths = around(&[listed.min_input, listed.max_input]);
    let seed = target.options.seed;
    match target.direction {
        Direction::Compress => lengths
            .into_iter()
            .flat_map(|len| [Kind::Text, Kind::Random].map(|kind| Case::new(kind, len, seed)))
            .collect(),
        // The unit's length, which that of its content is near.
        Direction::Decompress => lengths
            .into_iter()
            .map(|len| Case::new(Kind::Random, len, seed).at(len))
            .collect(),
    }
}

/// Seeds that are tried for content whose unit has a certain length: of some lengths there is none
/// from nineteen in twenty.
const SEEDS: u64 = 8;

/// A plain unit of this length, and its content.
fn unit_of_length(target: &Target, case: &Case, len: usize) -> Result<(Vec<u8>, Vec<u8>), Stop> {
    (0..SEEDS)
        .find_map(|turn| unit_from_seed(target, case.seed.wrapping_add(turn), len))
        .ok_or_else(|| Stop::NotTried(format!("found no unit of {len} bytes")))
}

fn unit_from_seed(target: &Target, seed: u64, len: usize) -> Option<(Vec<u8>, Vec<u8>)> {
    let made = |size: usize| {
        let content = Kind::Random.make(size, seed);
        plain::write(target.format, &content).map(|unit| (unit, content))
    };
    // Random bytes grow evenly, so a few steps lead near.
    let mut size = len;
    for _ in 0..4 {
        let (unit, _) = made(size)?;
        size = (size + len).checked_sub(unit.len())?;
    }
    let mut near = size.saturating_sub(8)..size + 8;
    near.find_map(|size| made(size).filter(|(unit, _)| unit.len() == len))
}

fn input_limits(target: &Target, case: &Case) -> Result<(), Stop> {
    let listed = target.capabilities;
    match target.direction {
        Direction::Compress => {
            let content = case.content();
            let within = (listed.min_input..=listed.max_input).contains(&content.len());
            let room = match target.compressor(case)?.max_compressed_len(content.len()) {
                Some(bound) => {
                    plausible(content.len(), bound)?;
                    bound
                }
                None if within => return Err(Stop::fault("has no bound for what it takes")),
                None => content.len() + content.len() / 8 + 64,
            };
            let mut session = target.compress_session(case)?;
            let called = target.compress(&mut *session, &content, room)?;
            match called.result {
                Err(error) if !within && error.kind() == ErrorKind::Unsupported => Ok(()),
                _ => target
                    .check_unit(case, &content, called.bytes()?)
                    .map(|_| ()),
            }
        }
        Direction::Decompress => {
            let (unit, content) = match case.at {
                Some(len) => unit_of_length(target, case, len)?,
                None => target.any_unit(case)?,
            };
            let within = !target.is_beyond_limits(&unit, content.len());
            let mut session = target.decompress_session(case)?;
            let called = target.decompress(&mut *session, &unit, content.len())?;
            match called.result {
                Err(error) if !within && error.kind() == ErrorKind::Unsupported => Ok(()),
                _ => same(&content, called.bytes()?),
            }
        }
    }
}

fn outputs(target: &Target) -> Vec<Case> {
    let lengths = around(&[target.capabilities.max_output]);
    let of = |kind| move |len: &usize| Case::new(kind, *len, 1);
    let mut cases: Vec<Case> = lengths.iter().map(of(Kind::Zeros)).collect();
    cases.extend(lengths.iter().map(of(Kind::Text)));
    cases
}

fn output_limit(target: &Target, case: &Case) -> Result<(), Stop> {
    let (unit, content) = target.any_unit(case)?;
    let beyond = target.is_beyond_limits(&unit, content.len());
    let mut session = target.decompress_session(case)?;
    let called = target.decompress(&mut *session, &unit, content.len())?;
    if beyond && called.kind() == Some(ErrorKind::Unsupported) {
        return Ok(());
    }
    same(&content, called.bytes()?)?;
    // One byte more room may lie beyond what is listed, though the content does not.
    let room = content.len() + 1;
    let called = target.decompress(&mut *session, &unit, room)?;
    if target.is_beyond_limits(&unit, room) && called.kind() == Some(ErrorKind::Unsupported) {
        return Ok(());
    }
    called
        .bytes()
        .and_then(|read| same(&content, read))
        .map_err(|stop| Stop::prefixed("with one byte more room ", stop))
}

#[cfg(test)]
mod tests {
    use compressor_api::Format;

    use super::*;
    use crate::bench::Bench;
    use crate::options::Options;
    use crate::subject::Subject;

    fn target(format: Format) -> Target {
        let bench = Bench {
            subject: Subject::new(plain::factory_of(&[format])),
            options: Options::quick(),
        };
        let listed = bench.listed().unwrap();
        bench
            .target(&listed, format, Direction::Decompress)
            .unwrap()
    }

    #[test]
    fn a_unit_of_nearly_every_length_is_found_and_the_rest_says_so() {
        // Those of the first seed alone leave a length in twenty out.
        let zlib = target(Format::Zlib);
        let missing = |seeds: u64| {
            let found = |len: &usize| {
                (0..seeds).any(|turn| unit_from_seed(&zlib, 1 + turn, *len).is_some())
            };
            (40..440).filter(|len| !found(len)).count()
        };
        assert!(missing(1) > 0);
        assert_eq!(missing(SEEDS), 0);

        let case = Case::new(Kind::Random, 1, 1).at(1);
        let none = unit_of_length(&zlib, &case, 1).unwrap_err();
        assert!(matches!(none, Stop::NotTried(why) if why == "found no unit of 1 bytes"));
    }
}

//! The published limits on lengths: at them, and one past.

use compressor_api::{Direction, ErrorKind};

use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::judge::same;
use crate::plain;
use crate::stop::{Stop, ensure};
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

/// The greatest length that is tried, in bytes: limits beyond it are too large to try.
const fn most(target: &Target) -> usize {
    match target.options.quick {
        true => 4 << 20,
        false => 64 << 20,
    }
}

fn around(limits: &[usize], most: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> = limits
        .iter()
        .flat_map(|limit| [limit.checked_sub(1), Some(*limit), limit.checked_add(1)])
        .flatten()
        .filter(|len| *len <= most)
        .collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn inputs(target: &Target) -> Vec<Case> {
    let listed = target.capabilities;
    let lengths = around(&[listed.min_input, listed.max_input], most(target));
    let seed = target.options.seed;
    match target.direction {
        Direction::Compress => lengths
            .into_iter()
            .flat_map(|len| [Kind::Text, Kind::Random].map(|kind| Case::new(kind, len, seed)))
            .collect(),
        Direction::Decompress => lengths
            .into_iter()
            .filter_map(|len| unit_of_length(target, len))
            .collect(),
    }
}

/// A case whose plain unit has this length.
fn unit_of_length(target: &Target, len: usize) -> Option<Case> {
    let case = |size| Case::new(Kind::Random, size, target.options.seed);
    let unit_len =
        |size: usize| plain::write(target.format, &case(size).content()).map(|unit| unit.len());
    // Random bytes grow evenly, so a few steps lead near.
    let mut size = len;
    for _ in 0..4 {
        let made = unit_len(size)?;
        size = (size + len).checked_sub(made)?;
    }
    let near = size.saturating_sub(8)..size + 8;
    near.into_iter()
        .find(|size| unit_len(*size) == Some(len))
        .map(case)
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
            let (unit, content) = target.any_unit(case)?;
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
    let lengths = around(&[target.capabilities.max_output], most(target));
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
    // The room may be longer than the content, but not the content longer than was listed.
    let called = target.decompress(&mut *session, &unit, content.len() + 1)?;
    ensure(
        called.result.is_ok() || called.kind() == Some(ErrorKind::Unsupported),
        || format!("with one byte more room says {}", called.outcome()),
    )
}

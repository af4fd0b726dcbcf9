//! How far back a match may reach.

use compressor_api::{Direction, Format, inspect};

use crate::answer::Answer;
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::plain;
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::work::compressed;

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "window-resolved",
        group: Group::Limits,
        proves: "Matches as far back as is listed are resolved; further ones are Unsupported, or \
                 right all the same.",
        proof: Proof::Operation {
            directions: &[Direction::Decompress],
            cases: distances,
            run: resolved,
        },
    },
    Check {
        name: "window-kept",
        group: Group::Limits,
        proves: "No match reaches further back than the spec, the listing, effective() and the \
                 unit's own header say.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: repeats,
            run: kept,
        },
    },
];

/// What follows a distant match's source: the match.
const REPEATED: usize = 64;

fn distances(target: &Target) -> Vec<Case> {
    if target.format == Format::Zstd {
        return single_segments(target);
    }
    let mut distances = vec![1, 4_095, 4_096, 32_767, 32_768, 65_535, 65_536, 100_000];
    if let Ok(window) = usize::try_from(target.capabilities.window)
        && window < 1 << 26
    {
        distances.extend([window, window + 1]);
    }
    distances.sort_unstable();
    distances.dedup();
    distances
        .into_iter()
        .filter(|distance| target.takes(distance + REPEATED))
        .filter_map(|distance| {
            let kind = Kind::Repeats(u32::try_from(distance).ok()?);
            let case = Case::new(kind, distance + REPEATED, target.options.seed).at(distance);
            plain::write_distant(target.format, &case.content(), distance).map(|_| case)
        })
        .collect()
}

/// Frames whose window is the content, which is as long as what is listed and one byte longer. The
/// plain writer makes no matches there: what is tried is whether the window that a frame asks for is
/// given.
fn single_segments(target: &Target) -> Vec<Case> {
    let window = usize::try_from(target.capabilities.window).unwrap_or(usize::MAX);
    let lengths = match window {
        usize::MAX => vec![0],
        _ => vec![window, window.saturating_add(1)],
    };
    let case = |len| Case::new(Kind::Text, len, target.options.seed);
    lengths.into_iter().map(case).collect()
}

fn resolved(target: &Target, case: &Case) -> Result<(), Stop> {
    let content = case.content();
    let unit = match target.format {
        Format::Zstd if target.capabilities.window == u64::MAX => {
            return Err(Stop::NotTried("lists no limit on windows".into()));
        }
        Format::Zstd => plain::write(target.format, &content),
        _ => plain::write_distant(target.format, &content, case.at.unwrap_or(0)),
    };
    let unit = unit.ok_or_else(|| Stop::NotTried("no such distance in this format".into()))?;
    let mut session = target.decompress_session(case)?;
    let called = target.decompress(&mut *session, &unit, content.len())?;
    Answer::due(target, &unit, None).check(content.len(), &called)
}

fn repeats(target: &Target) -> Vec<Case> {
    let size = target.within(131_073);
    let seed = target.options.seed;
    let kinds = [4_096, 32_767, 32_768, 65_535, 65_536].map(Kind::Repeats);
    let mut cases = Vec::new();
    for level in target.levels() {
        cases.extend(kinds.map(|kind| Case::new(kind, size, seed).level(level)));
    }
    let (min, max) = target.format.window_logs().unwrap_or((1, 0));
    let logs: Vec<u8> = match target.options.quick {
        true => vec![min, min + 2, 15, max],
        false => (min..=max).collect(),
    };
    for log in logs.into_iter().filter(|log| (min..=max).contains(log)) {
        for kind in [
            Kind::Text,
            Kind::Repeats(1 << (u32::from(log).min(16))),
            Kind::Zeros,
        ] {
            let case = Case {
                window_log: Some(log),
                ..Case::new(kind, size, seed)
            };
            if let Ok(spec) = case.spec(target.format, target.default_level())
                && target.capabilities.shortfall(&spec).is_none()
            {
                cases.push(case);
            }
        }
    }
    cases
}

fn kept(target: &Target, case: &Case) -> Result<(), Stop> {
    let compressor = target.compressor(case)?;
    let (content, called) = compressed(target, case)?;
    let unit = called.bytes()?;
    let distance = target.check_unit(case, &content, unit)?;

    let header = inspect::header(target.format, unit)
        .ok()
        .and_then(|header| header.window);
    let asked = case.window_log.map(|log| 1_u64 << log);
    let effective = compressor.effective().compress.map(|side| side.window);
    for (who, window) in [
        ("the spec asks for", asked),
        ("it lists", Some(target.capabilities.window)),
        ("effective() says", effective),
        ("the unit's header says", header),
    ] {
        let (Some(window), Some(distance)) = (window, distance) else {
            continue;
        };
        ensure(distance as u64 <= window, || {
            format!("a match reaches {distance} bytes back, and {who} {window}")
        })?;
    }
    // A reader sizes its window by the header.
    if let (Some(asked), Some(header), Format::Zlib | Format::Zstd) = (asked, header, target.format)
    {
        ensure(header <= asked, || {
            format!("the unit's header says a window of {header} bytes, and the spec {asked}")
        })?;
    }
    Ok(())
}

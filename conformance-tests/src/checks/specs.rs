//! Which specs a provider serves, and what it says of how.

use compressor_api::{Compressor, Direction, Effective, EffectiveSide, ErrorKind, Format, Spec};

use crate::answer::Answer;
use crate::case::{Case, DictionaryChoice};
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::work::{compressed, serves};

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "serves-every-level",
        group: Group::Specs,
        proves: "Each level that is listed compresses.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: every_level,
            run: serves,
        },
    },
    Check {
        name: "reads-at-every-level",
        group: Group::Specs,
        proves: "Levels bind writers only: a spec of any level of the format decompresses.",
        proof: Proof::Operation {
            directions: &[Direction::Decompress],
            cases: ends_of_the_format,
            run: reads_at_level,
        },
    },
    Check {
        name: "refuses-unlisted-levels",
        group: Group::Specs,
        proves: "A level that is not listed is Unsupported for compressing.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: unlisted_levels,
            run: refuses_to_compress,
        },
    },
    Check {
        name: "refuses-unlisted-windows",
        group: Group::Specs,
        proves: "A window that the provider cannot keep to is Unsupported for compressing.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: unlisted_windows,
            run: refuses_to_compress,
        },
    },
    Check {
        name: "refuses-unlisted-dictionaries",
        group: Group::Specs,
        proves: "A dictionary is Unsupported where none is listed.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: unlisted_dictionaries,
            run: refuses_direction,
        },
    },
    Check {
        name: "keeps-its-spec",
        group: Group::Specs,
        proves: "A compressor says for which spec it was made.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: every_level,
            run: keeps_spec,
        },
    },
    Check {
        name: "effective-sides",
        group: Group::Specs,
        proves: "effective() has a side where the provider goes and none where it does not, with \
                 its name.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: default_alone,
            run: effective_sides,
        },
    },
    Check {
        name: "effective-levels",
        group: Group::Specs,
        proves: "Levels that effective() tells apart are different: the greatest shrinks text more \
                 than the least.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: default_alone,
            run: effective_levels,
        },
    },
];

fn default_alone(target: &Target) -> Vec<Case> {
    vec![Case::new(
        Kind::Text,
        target.within(65_536),
        target.options.seed,
    )]
}

fn every_level(target: &Target) -> Vec<Case> {
    let size = target.within(1_000);
    let case = |level| Case::new(Kind::Text, size, target.options.seed).level(level);
    target.levels().into_iter().map(case).collect()
}

fn ends_of_the_format(target: &Target) -> Vec<Case> {
    let levels = target.format.levels();
    let case =
        |level| Case::new(Kind::Text, target.within(1_000), target.options.seed).level(level);
    [levels.min(), levels.default_level(), levels.max()]
        .map(case)
        .to_vec()
}

fn unlisted_levels(target: &Target) -> Vec<Case> {
    let listed = target.capabilities.levels;
    let beyond = [listed.min().checked_sub(1), listed.max().checked_add(1)];
    beyond
        .into_iter()
        .flatten()
        .filter(|level| target.format.levels().contains(*level))
        .map(|level| Case::new(Kind::Text, 0, 0).level(level))
        .collect()
}

fn unlisted_windows(target: &Target) -> Vec<Case> {
    let (min, max) = target.format.window_logs().unwrap_or((1, 0));
    let too_small = |log: &u8| target.capabilities.window > 1 << log;
    let case = |log| Case {
        window_log: Some(log),
        ..Case::new(Kind::Text, 0, 0)
    };
    // Without a limit of its own, a provider keeps to any.
    match target.capabilities.window {
        u64::MAX => Vec::new(),
        _ => (min..=max).filter(too_small).map(case).collect(),
    }
}

fn unlisted_dictionaries(target: &Target) -> Vec<Case> {
    let case = Case::new(Kind::Text, 0, 0).dictionary(DictionaryChoice::Raw);
    match case.spec(target.format, target.default_level()) {
        Ok(spec) if target.capabilities.shortfall(&spec).is_some() => vec![case],
        _ => Vec::new(),
    }
}

fn reads_at_level(target: &Target, case: &Case) -> Result<(), Stop> {
    // The unit's own level is one that can be written; the reader's spec names another.
    let written = Case {
        level: None,
        ..case.clone()
    };
    let (unit, content) = target.unit(&written)?;
    let mut session = target.decompress_session(case)?;
    let called = target.decompress(&mut *session, &unit, content.len())?;
    Answer::due(target, &unit, None).check(content.len(), &called)
}

fn refuses_to_compress(target: &Target, case: &Case) -> Result<(), Stop> {
    refuses_direction(target, case)
}

/// No compressor at all, or one that does not go in the target's direction.
fn refuses_direction(target: &Target, case: &Case) -> Result<(), Stop> {
    let spec = target.spec(case)?;
    // A line of a failure outlives it: listing what was served is a way to mend it.
    if target.capabilities.shortfall(&spec).is_none() {
        return Err(Stop::NotTried("all of it is listed".into()));
    }
    let compressor = match target.subject.factory().compressor(&spec) {
        Ok(compressor) => target.subject.watched(compressor),
        Err(error) => {
            return ensure(error.kind() == ErrorKind::Unsupported, || {
                format!("Unsupported is due, and it says {error}")
            });
        }
    };
    let direction = target.direction;
    ensure(side(compressor.effective(), direction).is_none(), || {
        format!("serves what it does not list, says effective(): {direction}")
    })?;
    session_is_unsupported(&*compressor, direction)
}

fn session_is_unsupported(compressor: &dyn Compressor, direction: Direction) -> Result<(), Stop> {
    let error = match direction {
        Direction::Compress => compressor.compress_session().err(),
        Direction::Decompress => compressor.decompress_session().err(),
    };
    let kind = error.map(|error| error.kind());
    ensure(kind == Some(ErrorKind::Unsupported), || {
        let says = kind.map_or("Ok", ErrorKind::name);
        format!("Unsupported is due of a session to {direction}, and it says {says}")
    })
}

const fn side(effective: &Effective, direction: Direction) -> Option<EffectiveSide> {
    match direction {
        Direction::Compress => effective.compress,
        Direction::Decompress => effective.decompress,
    }
}

fn keeps_spec(target: &Target, case: &Case) -> Result<(), Stop> {
    let spec = target.spec(case)?;
    let compressor = target.compressor(case)?;
    let kept: &Spec = compressor.spec();
    ensure(*kept == spec, || {
        format!("was made for {spec:?}, and says {kept:?}")
    })
}

fn effective_sides(target: &Target, case: &Case) -> Result<(), Stop> {
    let compressor = target.compressor(case)?;
    let effective = compressor.effective();
    let here = side(effective, target.direction).ok_or_else(|| {
        Stop::fault(format!(
            "lists {}, and effective() has no such side",
            target.direction
        ))
    })?;
    let id = target.subject.factory().id();
    ensure(here.provider == id || target.subject.is_composed(), || {
        format!("is {id}, and effective() says {}", here.provider)
    })?;
    if target.direction == Direction::Decompress {
        let session = target.decompress_session(case)?;
        let says = session.provider();
        ensure(
            says == here.provider || target.subject.is_composed(),
            || {
                format!(
                    "effective() says {}, and a session says {says}",
                    here.provider
                )
            },
        )?;
    }
    if target.opposite.is_none() {
        let other = match target.direction {
            Direction::Compress => Direction::Decompress,
            Direction::Decompress => Direction::Compress,
        };
        ensure(side(effective, other).is_none(), || {
            format!("does not list {other}, and effective() has that side")
        })?;
        session_is_unsupported(&*compressor, other)?;
    }
    Ok(())
}

fn effective_levels(target: &Target, case: &Case) -> Result<(), Stop> {
    let content = case.content();
    let mut made = Vec::new();
    for level in [
        target.capabilities.levels.min(),
        target.capabilities.levels.max(),
    ] {
        let case = case.clone().level(level);
        let compressor = target.compressor(&case)?;
        let used = compressor.effective().compress.map(|side| side.level);
        let (_, called) = compressed(target, &case)?;
        made.push((used, called.bytes()?.len()));
    }
    let [(least, loose), (greatest, tight)] = *made.as_slice() else {
        return Ok(());
    };
    if least == greatest {
        return Err(Stop::NotTried("says that all levels are one".into()));
    }
    if target.format == Format::None || content.len() < 4_096 {
        return Err(Stop::NotTried(
            "takes too little input to tell levels apart".into(),
        ));
    }
    ensure(tight < loose, || {
        format!(
            "says that the levels {least:?} and {greatest:?} are at work, and they make {loose} and \
             {tight} bytes of {}",
            content.len()
        )
    })
}

//! What the spec of a Zstandard frame asks for beside the level.

use compressor_api::{Direction, Format, inspect};

use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::work::compressed;

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "checksum-as-asked",
        group: Group::Zstd,
        proves: "A checksum is written if the spec asks for it, and only then.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: with_and_without,
            run: checksum,
        },
    },
    Check {
        name: "content-size-written",
        group: Group::Zstd,
        proves: "The content size is in the frame's header, that of empty content too.",
        proof: Proof::Operation {
            directions: &[Direction::Compress],
            cases: sizes,
            run: content_size,
        },
    },
];

fn sizes(target: &Target) -> Vec<Case> {
    match target.format {
        Format::Zstd => target.cases(Kind::Text, &[0, 1, 255, 256, 257, 4_096, 65_791, 65_792]),
        _ => Vec::new(),
    }
}

fn with_and_without(target: &Target) -> Vec<Case> {
    let asking = |checksum| {
        move |case| Case {
            checksum: Some(checksum),
            ..case
        }
    };
    let mut cases: Vec<Case> = sizes(target).into_iter().map(asking(true)).collect();
    cases.extend(sizes(target).into_iter().map(asking(false)));
    cases
}

fn header(target: &Target, case: &Case) -> Result<inspect::Header, Stop> {
    let (content, called) = compressed(target, case)?;
    let unit = called.bytes()?;
    match target.check_unit(case, &content, unit) {
        Ok(_) | Err(Stop::NotTried(_)) => {}
        Err(fault) => return Err(fault),
    }
    inspect::header(target.format, unit)
        .map_err(|malformed| Stop::fault(format!("its unit {malformed}")).unit(unit))
}

fn checksum(target: &Target, case: &Case) -> Result<(), Stop> {
    let asked = case.checksum.unwrap_or(true);
    let written = header(target, case)?.checksum;
    ensure(written == asked, || match asked {
        true => "wrote no checksum, and the spec asks for one",
        false => "wrote a checksum, and the spec asks for none",
    })
}

fn content_size(target: &Target, case: &Case) -> Result<(), Stop> {
    let declared = header(target, case)?.declared_len;
    ensure(declared == Some(case.content().len() as u64), || {
        format!("declares {declared:?} of {} bytes", case.content().len())
    })
}

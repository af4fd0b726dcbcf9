//! `--replay`.

use compressor_conformance::host::{Opened, Way};
use compressor_conformance::matrix::{self, Party};
use compressor_conformance::{Report, Reproduction, outside, replay};

use crate::args::Args;
use crate::failure::Failure;

/// The key of a line that says on what it runs; the rest is the library's.
pub const SUBJECT: &str = "subject";

/// Runs one case again.
pub fn run(line: &str, opened: &[Opened], args: &Args) -> Result<Report, Failure> {
    let ways: Vec<Way> = opened.iter().flat_map(Opened::ways).collect();
    let subject = line
        .split_whitespace()
        .find_map(|field| field.strip_prefix(SUBJECT)?.strip_prefix('='));
    let Some(subject) = subject else {
        let check = format!("check={}", matrix::CHECK);
        if !line.split_whitespace().any(|field| field == check) {
            return Err(Failure::usage(format_args!(
                "--replay takes a line that a failure printed, with {SUBJECT}=NAME or {check} in \
                 it; {line:?} has neither"
            )));
        }
        let parties: Vec<Party> = ways.iter().map(Way::party).collect();
        return matrix::replay(&parties, &args.options(), line).map_err(Failure::usage);
    };
    let Some(way) = ways.iter().find(|way| way.name == subject) else {
        return Err(not_there(subject, &ways, opened));
    };
    let rest: Vec<&str> = { line.split_whitespace() }
        .filter(|field| {
            field
                .strip_prefix(SUBJECT)
                .is_none_or(|rest| !rest.starts_with('='))
        })
        .collect();
    let reproduction: Reproduction = rest.join(" ").parse().map_err(Failure::usage)?;
    let options = match args.must_accelerate {
        true => args.options().must_accelerate(),
        false => args.options(),
    };
    let replayed = match reproduction.check().starts_with(outside::GROUP) {
        true => outside::replay(subject, &way.subject(opened), &options, &reproduction),
        false => replay(&way.subject(opened), &options, &reproduction),
    };
    let mut report = replayed.map_err(Failure::usage)?;
    report.provider.clone_from(&way.name);
    Ok(report)
}

/// Who is meant is not open, or not known.
fn not_there(subject: &str, ways: &[Way], opened: &[Opened]) -> Failure {
    let provider = subject.strip_prefix("decorated:").unwrap_or(subject);
    let error = { opened.iter() }
        .find(|opened| opened.listed().name() == provider)
        .and_then(Opened::error);
    match error {
        Some(error) => Failure::refused(format_args!("{provider}: {error}")),
        None => {
            let names: Vec<&str> = ways.iter().map(|way| way.name.as_str()).collect();
            Failure::usage(format_args!(
                "nobody here is called {subject:?}; there are {}",
                names.join(", ")
            ))
        }
    }
}

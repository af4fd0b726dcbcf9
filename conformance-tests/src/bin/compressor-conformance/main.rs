//! Proves every provider of this host against the contract: each alone and inside the decorator,
//! plugins through their ABI, and all of them against each other.
//!
//! Exit status: 0 if nothing failed, 1 on a failure, 2 usage. Standard output gets the result and
//! nothing else; an error is one line on standard error that starts with its kind.
#![deny(unsafe_code)]

mod args;
mod checks;
mod failure;
mod junit;
mod machine;
mod output;
mod print;
mod progress;
mod replay;
mod results;
mod suite;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use compressor::Config;
use compressor_conformance::host::{Listed, Opened};

use args::Args;
use failure::Failure;
use output::Output;

compressor_conformance::count_mallocs!();

/// The exit status if something failed.
const FAILED: u8 = 1;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FAILED),
        Err(failure) => failure.report(),
    }
}

/// Whether nothing failed.
fn run() -> Result<bool, Failure> {
    let args = Args::try_parse()?;
    // What cannot be is refused with `--list` as well, which alone does not look at the environment.
    let listed = listed(&args)?;
    if args.list {
        checks::print(&mut io::stdout().lock())?;
        return Ok(true);
    }
    let config = Config::from_env().map_err(Failure::usage)?;
    let [json, junit] = outputs(&args)?;
    let opened = Opened::all(&listed, &config, args.options().deadline);
    let results = match &args.replay {
        Some(line) => {
            let report = replay::run(line, &opened, &args)?;
            writeln!(io::stdout(), "{report}").map_err(Failure::output)?;
            return Ok(report.conforms());
        }
        None => suite::run(&opened, &args),
    };
    // The files first: they are what is left where whoever reads standard output is gone. And where
    // one of them cannot be written, what was found is printed all the same.
    let saved = [
        json.map(|output| output.save(|file| Ok(serde_json::to_writer_pretty(file, &results)?))),
        junit.map(|output| {
            let report = junit::report(&results);
            output.save(|file| report.serialize(file).map_err(io::Error::other))
        }),
    ];
    // Not held before: what is proved may print as well.
    let mut out = io::stdout().lock();
    print::results(&results, &args, &mut out)?;
    out.flush().map_err(Failure::output)?;
    saved.into_iter().flatten().collect::<Result<(), _>>()?;
    Ok(results.conforms())
}

/// Everything that is linked, and the plugins that are named; that what is asked for is there.
fn listed(args: &Args) -> Result<Vec<Listed>, Failure> {
    let mut listed = Listed::linked().map_err(Failure::usage)?;
    for path in &args.plugins {
        listed.push(Listed::plugin(path).map_err(|error| Failure::plugin(&error))?);
    }
    for check in &args.checks {
        if !checks::is_known(check) {
            return Err(Failure::usage(format_args!(
                "--check takes the name of a check or a group, and {check:?} is none; --list prints \
                 them"
            )));
        }
        if check == checks::ACCELERATES && !args.must_accelerate {
            return Err(Failure::usage(format_args!(
                "--check {check} has something to try only with --must-accelerate"
            )));
        }
    }
    for name in &args.providers {
        if !listed.iter().any(|listed| args::names(name, listed)) {
            let known: Vec<String> = listed.iter().map(Listed::name).collect();
            return Err(Failure::usage(format_args!(
                "unknown provider {name:?}; there are {}",
                known.join(", ")
            )));
        }
    }
    Ok(listed)
}

/// The files for `--json` and `--junit`, open.
fn outputs(args: &Args) -> Result<[Option<Output>; 2], Failure> {
    let open = |path: &Option<_>| path.as_deref().map(Output::open).transpose();
    let outputs = [open(&args.json)?, open(&args.junit)?];
    match &outputs {
        [Some(json), Some(junit)] if json.is(junit) => Err(Failure::usage(
            "--json and --junit cannot be written to the same file",
        )),
        _ => Ok(outputs),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
    }
}

//! Providers that misbehave, each caught by the check that is meant for it, by name.
//!
//! Each wraps a provider that keeps the contract and breaks one line of it. The suite runs the
//! check on the base first, which must pass: so that what is caught is the misbehaviour and nothing
//! else. The failure's reproduction is replayed as well, and must fail again.
//!
//! What safe Rust cannot do is missing here: writing outside `dst`, changing `src`, reading past
//! it, keeping a pointer to either. Plugins in C do it, in `tests/binary.rs`.
//!
//! Of the ways in which devices fail in the field one is not here: a device that appears after the
//! start. The suite is handed a provider that is open; what is tried again until it opens is the
//! decorator's, whose tests have it (`LateDevice`).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

mod batches;
mod conduct;
mod efforts;
mod limits;
mod listing;
mod memory;
mod outside;
mod room;
mod sessions;
mod specs;
mod strictness;
mod units;
mod wrapper;
mod zstd;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use compressor_api::{
    Capabilities, CompressorFactory, Direction, Error, ErrorKind, Format, inspect,
};
use compressor_conformance::{Options, Outcome, Reproduction, Subject, checks, replay, run};

use wrapper::{Compress, Decompress, Misbehaves, fail, misbehaving};

compressor_conformance::count_mallocs!();

/// Runs one check on the base and on a provider that misbehaves, and replays the failure on both.
fn caught(check: &str, base: &dyn Fn() -> Subject, subject: &dyn Fn() -> Subject) {
    let options = options(check);
    // It does nothing wrong, and may be slow on a busy host.
    let patient = options.clone().with_deadline(Duration::from_secs(60));
    let right = run(&base(), &patient, |_| {});
    let [_, failed, _] = right.counts();
    assert_eq!(failed, 0, "the base: {right}");

    let wrong = run(&subject(), &options, |_| {});
    assert!(wrong.failed_checks().contains(check), "not caught: {wrong}");

    // Found in other checks, it is reported under the one that is meant for it; the reproduction
    // is that of the case.
    let (_, failure) = wrong
        .failures()
        .find(|(row, _)| row.check == check)
        .unwrap();
    let reproduction: Reproduction = failure.reproduction.parse().unwrap();
    let again = replay(&subject(), &options, &reproduction).unwrap();
    assert!(!again.conforms(), "{reproduction}: {again}");

    // Whoever mends the provider sees the line pass.
    let mended = replay(&base(), &patient, &reproduction).unwrap();
    let [_, failed, _] = mended.counts();
    assert_eq!(failed, 0, "{reproduction}, of the base: {mended}");
}

fn options(check: &str) -> Options {
    let options = Options::quick()
        .only(check)
        .with_deadline(Duration::from_secs(30))
        .with_patience(Duration::from_millis(20));
    match check {
        "returns-in-time" => options.with_deadline(Duration::from_millis(400)),
        "survives-fork" => options.with_deadline(Duration::from_secs(6)),
        "accelerates" => options.must_accelerate(),
        _ => options,
    }
}

/// A provider over the plain one for a format.
fn plain(format: Format) -> Arc<dyn CompressorFactory> {
    compressor_conformance::plain::factory_of(&[format])
}

/// A test per line: `name: misbehaviour, format => "check"`.
macro_rules! each_caught {
    ($($name:ident: $misbehaviour:expr, $format:ident => $check:literal;)*) => {
        $(
            #[test]
            fn $name() {
                let base = || compressor_conformance::Subject::new(crate::plain(compressor_api::Format::$format));
                let subject = || {
                    let base = crate::plain(compressor_api::Format::$format);
                    compressor_conformance::Subject::new(crate::misbehaving(base, $misbehaviour))
                };
                crate::caught($check, &base, &subject);
            }
        )*

        /// The checks that these are caught by.
        pub(crate) const CHECKS: &[&str] = &[$($check),*];
    };
}
pub(crate) use each_caught;

#[test]
fn every_check_catches_something() {
    let caught: BTreeSet<&str> = [
        batches::CHECKS,
        conduct::CHECKS,
        efforts::CHECKS,
        limits::CHECKS,
        listing::CHECKS,
        memory::CHECKS,
        room::CHECKS,
        sessions::CHECKS,
        specs::CHECKS,
        strictness::CHECKS,
        units::CHECKS,
        zstd::CHECKS,
        zstd::plain::CHECKS,
        // By tests that are written out.
        &["reference-reads", "allocates-nothing"],
        // By plugins in C, in `tests/binary.rs`.
        &["source-unchanged", "reads-within-src", "keeps-no-pointer"],
    ]
    .into_iter()
    .flatten()
    .copied()
    .collect();
    let left: Vec<&str> = checks()
        .map(|check| check.name())
        .filter(|name| !caught.contains(name))
        .collect();
    assert_eq!(left, [] as [&str; 0]);
}

/// Keeps the limits of a device, which are its own, and everything else.
#[derive(Debug)]
struct Narrow;

impl Narrow {
    const COMPRESS: (usize, usize) = (1_024, 100_000);
    const DECOMPRESS: (usize, usize) = (20, 120_000);
    const MAX_OUTPUT: usize = 100_000;
    const WINDOW: u64 = 32 << 10;
}

impl Misbehaves for Narrow {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        let narrow = |entry: Capabilities| match entry.direction {
            Direction::Compress => entry.with_input(Self::COMPRESS.0, Self::COMPRESS.1),
            Direction::Decompress => entry
                .with_input(Self::DECOMPRESS.0, Self::DECOMPRESS.1)
                .with_max_output(Self::MAX_OUTPUT)
                .with_window(Self::WINDOW),
        };
        listed.into_iter().map(narrow).collect()
    }

    fn bound(&self, len: usize, right: Option<usize>) -> Option<usize> {
        right.filter(|_| len <= Self::COMPRESS.1)
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        match (Self::COMPRESS.0..=Self::COMPRESS.1).contains(&src.len()) {
            true => base.compress(src, dst),
            false => Err(fail(ErrorKind::Unsupported)),
        }
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let window = inspect::needed_window(Format::Lz4Sized, src, dst.len());
        let takes = (Self::DECOMPRESS.0..=Self::DECOMPRESS.1).contains(&src.len())
            && dst.len() <= Self::MAX_OUTPUT
            // What has no header is corrupt, which the base says.
            && !window.is_ok_and(|window| window > Self::WINDOW);
        match takes {
            true => base.decompress(src, dst),
            false => Err(fail(ErrorKind::Unsupported)),
        }
    }
}

/// Providers that are wrapped and do nothing wrong conform, but for what the plain one says that it
/// does not keep; and little is skipped.
fn conforms(how: impl Misbehaves) {
    let subject = Subject::new(misbehaving(plain(Format::Lz4Sized), how));
    let report = run(&subject, &Options::quick(), |_| {});
    let failed: Vec<&str> = report.failed_checks().into_iter().collect();
    assert_eq!(failed, ["allocates-nothing"], "{report}");
    let skipped = report
        .rows
        .iter()
        .filter(|row| matches!(row.outcome, Outcome::Skipped { .. }));
    assert!(skipped.count() <= 26, "{report}");
}

#[test]
fn a_wrapper_that_does_nothing_conforms() {
    #[derive(Debug)]
    struct Nothing;
    impl Misbehaves for Nothing {}
    conforms(Nothing);
}

#[test]
fn a_device_with_narrow_limits_conforms() {
    conforms(Narrow);
}

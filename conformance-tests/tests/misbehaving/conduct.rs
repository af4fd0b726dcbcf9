//! Panics, hangs, allocates, or has somebody else do the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use compressor_api::{
    Effective, EffectiveSide, Error, ErrorKind, Format, Health, ProviderId, Spec,
};
use compressor_conformance::{Options, Served, Subject, run};

use crate::wrapper::{Compress, Decompress, Misbehaves, fail, misbehaving};

#[derive(Debug)]
struct PanicsInCompress;

impl Misbehaves for PanicsInCompress {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        panic!("in compress");
    }
}

/// Panics where the length of a unit is declared.
#[derive(Debug)]
struct PanicsOnBadInput;

impl Misbehaves for PanicsOnBadInput {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        Ok(base.decompress(src, dst).expect("a unit"))
    }
}

#[derive(Debug)]
struct PanicsInHealth;

impl Misbehaves for PanicsInHealth {
    fn health(&self) -> Health {
        panic!("in health");
    }
}

#[derive(Debug)]
struct PanicsInName;

impl Misbehaves for PanicsInName {
    fn id(&self, _: ProviderId) -> ProviderId {
        panic!("in name");
    }
}

#[derive(Debug)]
struct PanicsInDrop;

impl Misbehaves for PanicsInDrop {
    fn drop_session(&self) {
        if !thread::panicking() {
            panic!("in drop");
        }
    }
}

#[derive(Debug)]
struct PanicsInBound;

impl Misbehaves for PanicsInBound {
    fn bound(&self, len: usize, _: Option<usize>) -> Option<usize> {
        Some(
            len.checked_add(len / 8)
                .expect("a length")
                .saturating_add(64),
        )
    }
}

/// Does not return within its deadline.
#[derive(Debug)]
struct NeverCompletes;

impl Misbehaves for NeverCompletes {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        // Long after the test has ended, and the process with it.
        thread::sleep(Duration::from_secs(600));
        Err(fail(ErrorKind::Timeout))
    }
}

/// Slow beyond its deadline, though it ends.
#[derive(Debug)]
struct SlowToRead;

impl Misbehaves for SlowToRead {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        thread::sleep(Duration::from_secs(2));
        base.decompress(src, dst)
    }
}

#[derive(Debug)]
struct BusyForever;

impl Misbehaves for BusyForever {
    fn decompress(&self, _: Decompress<'_>) -> Result<usize, Error> {
        Err(fail(ErrorKind::Busy))
    }
}

/// Errors come under the name of the library behind it.
#[derive(Debug)]
struct ErrsUnderAnotherName;

impl Misbehaves for ErrsUnderAnotherName {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        base.decompress(src, dst)
            .map_err(|error| Error::new(error.kind(), ProviderId::new("somebody.else")))
    }
}

/// Allocates a scratch buffer per call.
#[derive(Debug)]
struct AllocatesPerCall;

impl Misbehaves for AllocatesPerCall {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        let scratch = src.to_vec();
        base.compress(&scratch, dst)
    }
}

/// Allocates only to say what went wrong.
#[derive(Debug)]
struct AllocatesOnFailure;

impl Misbehaves for AllocatesOnFailure {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        base.decompress(src, dst).inspect_err(|error| {
            std::hint::black_box(error.to_string());
        })
    }
}

/// Says that software serves.
#[derive(Debug)]
struct SaysSoftware;

impl Misbehaves for SaysSoftware {
    fn effective(&self, _: &Spec, right: Effective) -> Effective {
        let side = |side: EffectiveSide| {
            EffectiveSide::new(ProviderId::new("software.lz4"), side.level, side.window)
        };
        Effective::new(right.compress.map(side), right.decompress.map(side))
    }
}

crate::each_caught! {
    panics_in_compress: PanicsInCompress, Snappy => "never-panics";
    panics_on_bad_input: PanicsOnBadInput, Snappy => "never-panics";
    panics_in_health: PanicsInHealth, Snappy => "never-panics";
    panics_in_drop: PanicsInDrop, Snappy => "never-panics";
    panics_in_bound: PanicsInBound, Snappy => "never-panics";
    never_completes: NeverCompletes, Snappy => "returns-in-time";
    slow_to_read: SlowToRead, Snappy => "returns-in-time";
    busy_forever: BusyForever, Snappy => "stops-being-busy";
    errs_under_another_name: ErrsUnderAnotherName, Snappy => "errors-name-provider";
    says_software: SaysSoftware, Lz4Block => "accelerates";
}

/// Says OK, and did the work on the CPU: only the counters tell.
#[test]
fn silent_software() {
    #[derive(Debug)]
    struct Counts(Arc<AtomicU64>);

    impl Misbehaves for Counts {
        fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
            let Compress { base, src, dst, .. } = call;
            self.0.fetch_add(1, Ordering::Relaxed);
            base.compress(src, dst)
        }
    }

    let subject = |software: bool| {
        let count = Arc::new(AtomicU64::new(0));
        let factory = misbehaving(crate::plain(Format::Lz4Sized), Counts(Arc::clone(&count)));
        Subject::new(factory).with_served(move || {
            let count = count.load(Ordering::Relaxed);
            match software {
                true => Served {
                    accelerated: 0,
                    software: count,
                },
                false => Served {
                    accelerated: count,
                    software: 0,
                },
            }
        })
    };
    let options = Options::quick().only("accelerates").must_accelerate();
    let failed = |software| {
        let report = run(&subject(software), &options, |_| {});
        report
            .failures()
            .any(|(row, _)| row.direction.as_deref() == Some("compress"))
    };
    assert!(!failed(false));
    assert!(failed(true));
}

/// A name that cannot be asked for is reported, and the rest is run all the same.
#[test]
fn a_provider_that_panics_when_asked_for_its_name_is_reported() {
    let factory = misbehaving(crate::plain(Format::Snappy), PanicsInName);
    let options = Options::quick().only("unit-not-empty");
    let report = run(&Subject::new(factory), &options, |_| {});
    assert!(report.failed_checks().contains("never-panics"), "{report}");
    let [passed, ..] = report.counts();
    assert_eq!(passed, 1, "{report}");
}

/// Whatever check meets a panic, it is reported under the one for panics as well.
#[test]
fn a_panic_is_reported_by_the_check_that_met_it_too() {
    let factory = misbehaving(crate::plain(Format::Snappy), PanicsOnBadInput);
    let options = Options::quick().only("strictness");
    let report = run(&Subject::new(factory), &options, |_| {});
    let failed = report.failed_checks();
    assert!(
        failed.contains("truncation") && failed.contains("never-panics"),
        "{report}"
    );
}

/// A call that never returns ends the checks of its format and direction, and not those of others.
#[test]
fn a_call_that_never_returns_does_not_stop_the_run() {
    let factory = misbehaving(crate::plain(Format::Snappy), NeverCompletes);
    let options = Options::quick()
        .only("unit-not-empty")
        .only("consumes-all")
        .only("empty-unit")
        .only("returns-in-time")
        .with_deadline(Duration::from_millis(300));
    let report = run(&Subject::new(factory), &options, |_| {});
    let failed: Vec<_> = report.failed_checks().into_iter().collect();
    assert_eq!(failed, ["returns-in-time", "unit-not-empty"], "{report}");
    let passed: Vec<_> = report
        .rows
        .iter()
        .filter(|row| row.outcome == compressor_conformance::Outcome::Passed)
        .map(|row| row.check.as_str())
        .collect();
    assert_eq!(passed, ["empty-unit", "returns-in-time"]);
}

/// Over the format that copies: the plain provider allocates by itself.
#[test]
fn allocates_per_call() {
    let base = || Subject::new(compressor_api::stored::factory());
    let subject = || {
        Subject::new(misbehaving(
            compressor_api::stored::factory(),
            AllocatesPerCall,
        ))
    };
    crate::caught("allocates-nothing", &base, &subject);
}

#[test]
fn allocates_on_failure() {
    let base = || Subject::new(compressor_api::stored::factory());
    let subject = || {
        Subject::new(misbehaving(
            compressor_api::stored::factory(),
            AllocatesOnFailure,
        ))
    };
    crate::caught("allocates-nothing", &base, &subject);
}

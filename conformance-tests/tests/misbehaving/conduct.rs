//! Panics, hangs, allocates, or has somebody else do the work.

use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use compressor_api::{
    Capabilities, CompressorFactory, Direction, Effective, EffectiveSide, Error, ErrorKind, Format,
    Health, Job, ProviderId, Spec,
};
use compressor_conformance::{Options, Outcome, Served, Subject, run};

use crate::wrapper::{Compress, Decompress, Memory, Misbehaves, Wrapped, fail, misbehaving};

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

/// What it throws panics again when it is dropped, with another one, and so on.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_any(Self);
    }
}

#[derive(Debug)]
struct ThrowsBombs;

impl Misbehaves for ThrowsBombs {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        panic_any(Bomb);
    }

    fn decompress(&self, _: Decompress<'_>) -> Result<usize, Error> {
        panic_any(Bomb);
    }

    fn batch(&self, _: &mut [Job<'_>]) {
        panic_any(Bomb);
    }
}

/// Every session does so when it is dropped, whatever else unwinds.
#[derive(Debug)]
struct DropsBombs;

impl Misbehaves for DropsBombs {
    fn drop_session(&self) {
        panic_any(Bomb);
    }
}

#[derive(Debug)]
struct PanicsInCompressorDrop;

impl Misbehaves for PanicsInCompressorDrop {
    fn drop_compressor(&self) {
        panic!("in the compressor's drop");
    }
}

/// Everything ends with a bomb: a compressor that goes while a session's unwinds would be the second.
#[derive(Debug)]
struct DropsBombsAll;

impl Misbehaves for DropsBombsAll {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        panic_any(Bomb);
    }

    fn drop_session(&self) {
        panic_any(Bomb);
    }

    fn drop_compressor(&self) {
        panic_any(Bomb);
    }
}

/// Both: the second would come while the first unwinds.
#[derive(Debug)]
struct ThrowsAndDropsBombs;

impl Misbehaves for ThrowsAndDropsBombs {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        panic_any(Bomb);
    }

    fn drop_session(&self) {
        panic_any(Bomb);
    }
}

#[derive(Debug)]
struct ThrowsBombInName;

impl Misbehaves for ThrowsBombInName {
    fn id(&self, _: ProviderId) -> ProviderId {
        panic_any(Bomb);
    }
}

#[derive(Debug)]
struct ThrowsBombInCapabilities;

impl Misbehaves for ThrowsBombInCapabilities {
    fn capabilities<'a>(&'a self, _: &'a [Capabilities]) -> &'a [Capabilities] {
        panic_any(Bomb);
    }
}

/// Long after the test has ended, and the process with it.
fn never() {
    thread::sleep(Duration::from_secs(600));
}

#[derive(Debug)]
struct NeverSaysItsName;

impl Misbehaves for NeverSaysItsName {
    fn id(&self, right: ProviderId) -> ProviderId {
        never();
        right
    }
}

#[derive(Debug)]
struct NeverSaysWhatItDoes;

impl Misbehaves for NeverSaysWhatItDoes {
    fn capabilities<'a>(&'a self, right: &'a [Capabilities]) -> &'a [Capabilities] {
        never();
        right
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
        never();
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

/// Allocates at one level, the others are as they should be.
#[derive(Debug)]
struct AllocatesAtLevel(i32);

impl Misbehaves for AllocatesAtLevel {
    fn open(&self, _: Direction, compressor: &Arc<Wrapped>) -> Result<Memory, Error> {
        Ok(Memory {
            failed: compressor.spec().level() == self.0,
            ..Memory::default()
        })
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        match memory.failed {
            true => {
                let scratch = src.to_vec();
                base.compress(&scratch, dst)
            }
            false => base.compress(src, dst),
        }
    }
}

/// Allocates for each batch, and for no single call.
#[derive(Debug)]
struct AllocatesPerBatch;

impl Misbehaves for AllocatesPerBatch {
    fn batch(&self, jobs: &mut [Job<'_>]) {
        std::hint::black_box(jobs.iter().map(|job| job.src.len()).collect::<Vec<_>>());
    }
}

/// Serves when it is looked at, and fails, which allocates nothing, once it is warm.
#[derive(Debug)]
struct FailsWhenWarm;

impl Misbehaves for FailsWhenWarm {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        match memory.calls {
            ..10 => base.compress(src, dst),
            _ => Err(fail(ErrorKind::Device)),
        }
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
    panics_in_compressor_drop: PanicsInCompressorDrop, Snappy => "never-panics";
    drops_bombs_all: DropsBombsAll, Snappy => "never-panics";
    throws_bombs: ThrowsBombs, Snappy => "never-panics";
    drops_bombs: DropsBombs, Snappy => "never-panics";
    throws_and_drops_bombs: ThrowsAndDropsBombs, Snappy => "never-panics";
    throws_bomb_in_name: ThrowsBombInName, Snappy => "never-panics";
    throws_bomb_in_capabilities: ThrowsBombInCapabilities, Snappy => "never-panics";
    never_says_its_name: NeverSaysItsName, Snappy => "returns-in-time";
    never_says_what_it_does: NeverSaysWhatItDoes, Snappy => "returns-in-time";
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

/// The accelerator takes blocks of one length at the default level; all else that is listed runs in
/// software.
#[test]
fn software_everywhere_but_in_one_place() {
    #[derive(Debug, Default)]
    struct OnePlace {
        counts: Arc<[AtomicU64; 2]>,
        len: Option<usize>,
        level: Option<i32>,
    }

    impl Misbehaves for OnePlace {
        fn open(&self, _: Direction, compressor: &Arc<Wrapped>) -> Result<Memory, Error> {
            let level = compressor.spec().level();
            Ok(Memory {
                failed: self.level.is_some_and(|only| only != level),
                ..Memory::default()
            })
        }

        fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
            let Compress {
                memory,
                base,
                src,
                dst,
            } = call;
            let software = memory.failed || self.len.is_some_and(|only| only != src.len());
            self.counts[usize::from(software)].fetch_add(1, Ordering::Relaxed);
            base.compress(src, dst)
        }
    }

    let failed = |len: Option<usize>, level: Option<i32>| {
        let counts = Arc::<[AtomicU64; 2]>::default();
        let how = OnePlace {
            counts: Arc::clone(&counts),
            len,
            level,
        };
        let factory = misbehaving(crate::plain(Format::Zlib), how);
        let served = move || {
            let [accelerated, software] = [0, 1].map(|at| counts[at].load(Ordering::Relaxed));
            Served {
                accelerated,
                software,
            }
        };
        let subject = Subject::new(factory).with_served(served);
        let options = Options::quick().only("accelerates").must_accelerate();
        let report = run(&subject, &options, |_| {});
        report
            .failures()
            .any(|(row, _)| row.direction.as_deref() == Some("compress"))
    };
    assert!(!failed(None, None));
    assert!(failed(Some(16_384), None));
    assert!(failed(None, Some(6)));
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
        .filter(|row| row.outcome == Outcome::Passed)
        .map(|row| row.check.as_str())
        .collect();
    assert_eq!(passed, ["empty-unit", "returns-in-time"]);
}

/// Whatever a provider throws, in any call of any check, the run ends and says so.
#[test]
fn bombs_end_no_run() {
    let hows: [fn() -> Arc<dyn CompressorFactory>; 4] = [
        || misbehaving(crate::plain(Format::Snappy), DropsBombsAll),
        || misbehaving(crate::plain(Format::Snappy), ThrowsBombs),
        || misbehaving(crate::plain(Format::Snappy), DropsBombs),
        || misbehaving(crate::plain(Format::Snappy), ThrowsAndDropsBombs),
    ];
    for how in hows {
        let options = Options::quick()
            .only("pools")
            .only("many-threads")
            .only("round-trip")
            .only("sessions-independent")
            .only("batch-equals-singles");
        let report = run(&Subject::new(how()), &options, |_| {});
        for check in ["pools", "many-threads", "round-trip", "never-panics"] {
            assert!(report.failed_checks().contains(check), "{check}: {report}");
        }
        // Nobody takes a check that was broken off for one that found nothing.
        let passed = report
            .rows
            .iter()
            .filter(|row| row.outcome == Outcome::Passed);
        let passed: Vec<_> = passed.map(|row| (&row.check, &row.direction)).collect();
        assert!(
            passed
                .iter()
                .all(|(_, direction)| direction.as_deref() == Some("decompress")),
            "{passed:?}"
        );
    }
}

/// Those that make compressors only to look at them meet the bombs as well.
#[test]
fn bombs_in_drop_end_no_check_of_what_is_listed() {
    let factory = misbehaving(crate::plain(Format::Snappy), DropsBombsAll);
    let options = Options::quick().only("listing").only("specs");
    let report = run(&Subject::new(factory), &options, |_| {});
    for check in ["capabilities-constant", "keeps-its-spec", "never-panics"] {
        assert!(report.failed_checks().contains(check), "{check}: {report}");
    }
}

/// A provider that answers no question is given up after the first, and reported.
#[test]
fn a_provider_that_never_says_what_it_does_is_given_up() {
    let factory = misbehaving(crate::plain(Format::Snappy), NeverSaysWhatItDoes);
    let options = Options::quick().with_deadline(Duration::from_millis(100));
    let report = run(&Subject::new(factory), &options, |_| {});
    let failed: Vec<_> = report.failed_checks().into_iter().collect();
    assert_eq!(failed, ["returns-in-time"], "{report}");
    assert!(!report.conforms());
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
fn allocates_per_batch() {
    let base = || Subject::new(compressor_api::stored::factory());
    let subject = || {
        Subject::new(misbehaving(
            compressor_api::stored::factory(),
            AllocatesPerBatch,
        ))
    };
    crate::caught("allocates-nothing", &base, &subject);
}

#[test]
fn fails_when_warm() {
    let base = || Subject::new(compressor_api::stored::factory());
    let subject = || {
        Subject::new(misbehaving(
            compressor_api::stored::factory(),
            FailsWhenWarm,
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

/// One allocation is allowed at LZ4's high levels, which is liblz4's own; a second one is not.
#[test]
fn allocates_at_one_level() {
    type Make = fn() -> Arc<dyn CompressorFactory>;
    let codecs: [(Make, i32); 3] = [
        (compressor_deflate::factory, 9),
        (compressor_lz4::factory, 3),
        (compressor_lz4::factory, 12),
    ];
    for (make, level) in codecs {
        let base = || Subject::new(make());
        let subject = || Subject::new(misbehaving(make(), AllocatesAtLevel(level)));
        crate::caught("allocates-nothing", &base, &subject);
    }
}

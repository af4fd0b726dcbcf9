//! Lists what is not so.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Error, ErrorKind, Format, Health, LevelRange,
    ProviderId, Spec,
};

use compressor_conformance::{Options, Outcome, Subject, run};

use crate::wrapper::{Misbehaves, fail, misbehaving};

#[derive(Debug)]
struct BadName;

impl Misbehaves for BadName {
    fn id(&self, _: ProviderId) -> ProviderId {
        ProviderId::new("My Provider")
    }
}

#[derive(Debug)]
struct ListsTwice;

impl Misbehaves for ListsTwice {
    fn list(&self, right: Vec<Capabilities>) -> Vec<Capabilities> {
        [right.clone(), right].concat()
    }
}

#[derive(Debug)]
struct ListsNothing;

impl Misbehaves for ListsNothing {
    fn list(&self, _: Vec<Capabilities>) -> Vec<Capabilities> {
        Vec::new()
    }
}

#[derive(Debug)]
struct ListsLevelsOfAnotherScale;

impl Misbehaves for ListsLevelsOfAnotherScale {
    fn list(&self, mut listed: Vec<Capabilities>) -> Vec<Capabilities> {
        let levels = LevelRange::new(1, 12, 6);
        listed.iter_mut().for_each(|entry| entry.levels = levels);
        listed
    }
}

#[derive(Debug)]
struct ListsEmptyRange;

impl Misbehaves for ListsEmptyRange {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listed
            .into_iter()
            .map(|entry| entry.with_input(100, 99))
            .collect()
    }
}

/// Takes nothing that anybody has memory for.
#[derive(Debug)]
struct ListsGiantMinimum;

impl Misbehaves for ListsGiantMinimum {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listed
            .into_iter()
            .map(|entry| entry.with_input(1 << 46, usize::MAX))
            .collect()
    }
}

/// Nothing is allocated by what a provider lists: each check says why it tried nothing.
#[test]
fn a_giant_minimum_ends_no_run() {
    let factory = misbehaving(crate::plain(Format::Zlib), ListsGiantMinimum);
    let report = run(&Subject::new(factory), &Options::quick(), |_| {});
    assert!(!report.conforms(), "{report}");
    let row = { report.rows.iter() }
        .find(|row| row.check == "round-trip")
        .unwrap();
    assert!(matches!(row.outcome, Outcome::Skipped { .. }), "{report}");
    let why = "content of more than 4194304 bytes is too long to try";
    let row = { report.rows.iter() }
        .find(|row| row.check == "unit-not-empty")
        .unwrap();
    assert!(row.not_tried.contains(why), "{row:?}");
}

/// Lists something else from the third time on.
#[derive(Debug, Default)]
struct ChangesItsMind(AtomicUsize);

impl Misbehaves for ChangesItsMind {
    fn capabilities<'a>(&'a self, right: &'a [Capabilities]) -> &'a [Capabilities] {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => right,
            _ => &right[..1],
        }
    }
}

#[derive(Debug)]
struct FailsItsSelfTest;

impl Misbehaves for FailsItsSelfTest {
    fn self_test(&self, _: Result<(), Error>) -> Result<(), Error> {
        Err(fail(ErrorKind::Device))
    }
}

/// The device node is there, and the first operation fails.
#[derive(Debug, Default)]
struct OpenOkFirstOpFails(AtomicUsize);

impl Misbehaves for OpenOkFirstOpFails {
    fn self_test(&self, right: Result<(), Error>) -> Result<(), Error> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => Err(fail(ErrorKind::Lost)),
            _ => right,
        }
    }
}

#[derive(Debug)]
struct IsQuarantined;

impl Misbehaves for IsQuarantined {
    fn health(&self) -> Health {
        Health::Quarantined {
            why: "wrong bytes were seen".into(),
        }
    }
}

/// Makes compressors for whatever the base can do, listed or not.
#[derive(Debug)]
struct ServesUnlistedFormat;

impl Misbehaves for ServesUnlistedFormat {
    fn make(&self, _: &dyn CompressorFactory, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        compressor_conformance::plain::factory().compressor(spec)
    }
}

/// Blames the caller for a format that it does not know.
#[derive(Debug)]
struct BlamesCaller;

impl Misbehaves for BlamesCaller {
    fn make(
        &self,
        base: &dyn CompressorFactory,
        spec: &Spec,
    ) -> Result<Arc<dyn Compressor>, Error> {
        match spec.format() {
            Format::Snappy => base.compressor(spec),
            _ => Err(fail(ErrorKind::InvalidArgument)),
        }
    }
}

crate::each_caught! {
    bad_name: BadName, Zlib => "name-well-formed";
    lists_twice: ListsTwice, Zlib => "capabilities-consistent";
    lists_nothing: ListsNothing, Zlib => "capabilities-consistent";
    lists_levels_of_another_scale: ListsLevelsOfAnotherScale, Zlib => "capabilities-consistent";
    lists_giant_minimum: ListsGiantMinimum, Zlib => "capabilities-consistent";
    lists_empty_range: ListsEmptyRange, Zlib => "capabilities-consistent";
    changes_its_mind: ChangesItsMind::default(), Snappy => "capabilities-constant";
    fails_its_self_test: FailsItsSelfTest, Snappy => "self-test-passes";
    open_ok_first_op_fails: OpenOkFirstOpFails::default(), Zlib => "self-test-passes";
    is_quarantined: IsQuarantined, Snappy => "health-serves";
    serves_unlisted_format: ServesUnlistedFormat, Zlib => "refuses-unlisted-formats";
    blames_caller: BlamesCaller, Snappy => "refuses-unlisted-formats";
}

//! Promises a length for an effort, and does not keep to it.

use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Effort, Efforts, Error, ErrorKind,
    Format, Loss, Spec, SpecError,
};
use compressor_conformance::{Options, Outcome, Subject, run};

use crate::wrapper::{Compress, Memory, Misbehaves, Wrapped, fail, misbehaving};

/// Lists `Speed` within these losses, and serves another spec in its place.
#[derive(Debug)]
struct Serves {
    losses: &'static [Loss],
    instead: fn(Spec) -> Result<Spec, SpecError>,
}

/// At the level that stores.
const STORED: Serves = Serves {
    losses: &[Loss::new(9, 64 << 10, 3)],
    instead: |spec| spec.with_level(0),
};

/// At one that compresses, and comes out some 20 % longer.
const LEVEL_1: Serves = Serves {
    instead: |spec| spec.with_level(1),
    ..STORED
};

/// At the loss of the effort: a smaller one, which it lists as well, is not kept to.
const AT_USUAL_LOSS: Serves = Serves {
    losses: &[Loss::new(9, 64 << 10, 0)],
    instead: |spec| Ok(Spec::new(spec.format()).with_effort(Effort::Speed)),
};

impl Misbehaves for Serves {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        speed_within(listed, self.losses)
    }

    fn make(
        &self,
        base: &dyn CompressorFactory,
        spec: &Spec,
    ) -> Result<Arc<dyn Compressor>, Error> {
        match spec.effort() {
            Some(_) => base.compressor(&(self.instead)(spec.clone()).unwrap()),
            None => base.compressor(spec),
        }
    }
}

/// As short as it says, because half of the content is not in it.
#[derive(Debug)]
struct WritesHalf;

impl Misbehaves for WritesHalf {
    fn open(&self, _: Direction, compressor: &Arc<Wrapped>) -> Result<Memory, Error> {
        Ok(Memory {
            failed: compressor.spec().effort().is_some(),
            ..Memory::default()
        })
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory, base, src, ..
        } = call;
        let taken = if memory.failed {
            src.len() / 2
        } else {
            src.len()
        };
        base.compress(&src[..taken], call.dst)
    }
}

/// Serves `Speed` up to 8 KiB alone, as it says.
#[derive(Debug)]
struct KeepsToShortBlocks;

impl Misbehaves for KeepsToShortBlocks {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        const LOSSES: &[Loss] = &[Loss::new(9, 8 << 10, 10)];
        speed_within(listed, LOSSES)
    }

    fn open(&self, direction: Direction, compressor: &Arc<Wrapped>) -> Result<Memory, Error> {
        WritesHalf.open(direction, compressor)
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        match call.memory.failed && call.src.len() > 8 << 10 {
            true => Err(fail(ErrorKind::Unsupported)),
            false => call.base.compress(call.src, call.dst),
        }
    }
}

fn speed_within(mut listed: Vec<Capabilities>, losses: &'static [Loss]) -> Vec<Capabilities> {
    let efforts = Efforts::NONE.with(Effort::Speed, 5).within(losses);
    for entry in &mut listed {
        if entry.direction == Direction::Compress {
            entry.efforts = efforts;
        }
    }
    listed
}

/// Over zlib, which is what the lengths are compared with as well.
fn over_zlib(how: impl Misbehaves) -> Subject {
    let base = compressor_deflate::factory();
    Subject::new(misbehaving(base, how)).with_reference(compressor_deflate::factory())
}

macro_rules! caught_over_zlib {
    ($($name:ident: $misbehaviour:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let base = || Subject::new(compressor_deflate::factory());
                crate::caught("keeps-its-loss", &base, &|| over_zlib($misbehaviour));
            }
        )*
    };
}

/// The check that these are caught by.
pub(crate) const CHECKS: &[&str] = &["keeps-its-loss"];

caught_over_zlib! {
    stores_for_an_effort: STORED;
    serves_an_effort_at_level_1: LEVEL_1;
    ignores_the_loss_that_is_stated: AT_USUAL_LOSS;
    writes_half_for_an_effort: WritesHalf;
}

/// What became of the check for zlib.
fn outcome(subject: &Subject) -> Outcome {
    let report = run(subject, &Options::quick().only("keeps-its-loss"), |_| {});
    let format = Some(Format::Zlib.to_string());
    let row = report.rows.into_iter().find(|row| row.format == format);
    row.unwrap().outcome
}

fn skipped(reason: &str) -> Outcome {
    Outcome::Skipped {
        reason: reason.into(),
    }
}

#[test]
fn blocks_beyond_the_rows_of_a_loss_are_not_asked_for() {
    assert_eq!(outcome(&over_zlib(KeepsToShortBlocks)), Outcome::Passed);
}

#[test]
fn what_cannot_be_compared_is_skipped_with_the_reason() {
    let plain = Subject::new(crate::plain(Format::Zlib));
    assert_eq!(outcome(&plain), skipped("lists no effort"));

    let alone = Subject::new(misbehaving(
        compressor_deflate::factory(),
        KeepsToShortBlocks,
    ));
    let why = "no software codec for zlib to compare lengths with";
    assert_eq!(outcome(&alone), skipped(why));
    // Others may be at work inside.
    let composed = Subject::new(compressor_deflate::factory()).composed();
    assert_eq!(outcome(&composed), skipped(why));
}

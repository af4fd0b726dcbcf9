//! What the log hears of a provider that misbehaves: one event a change, none an operation.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

mod misbehaving;
mod support;

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use compressor_api::{Direction, ErrorKind, Format, Selected, Spec};
use compressor_decorator::{Options, Verify};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use misbehaving::*;
use support::{Process, Rig, software, unlimited};

const PLAIN: Options = Options::new().without_self_check().verify(Verify::Never);

/// Keeps the level and the text of each event.
#[derive(Clone, Debug, Default)]
struct Log(Arc<Mutex<Vec<(Level, String)>>>);

impl Log {
    /// What was heard since the last time.
    fn take(&self) -> Vec<(Level, String)> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// Requires that exactly these events were heard, each with such a piece of text.
    #[track_caller]
    fn assert_heard(&self, expected: &[(Level, &str)]) {
        let heard = self.take();
        assert_eq!(heard.len(), expected.len(), "{heard:#?}");
        for ((level, text), (expected_level, piece)) in heard.iter().zip(expected) {
            assert_eq!(level, expected_level, "{text}");
            assert!(text.contains(piece), "{text}");
            assert!(text.contains("misbehaving"), "{text}");
        }
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        struct Text(String);
        impl Visit for Text {
            fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
                write!(self.0, "{}={value:?} ", field.name()).unwrap();
            }
        }
        let mut text = Text(String::new());
        event.record(&mut text);
        let heard = (*event.metadata().level(), text.0);
        self.0.lock().unwrap().push(heard);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Runs a test with a log of its own.
fn with_log(test: impl FnOnce(&Log)) {
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || test(&log));
}

fn device(format: Format, behaviour: Arc<dyn Misbehaviour>) -> Selected {
    let spec = Spec::new(format);
    selected(
        behaviour,
        unlimited(format, Direction::Compress),
        software(&spec),
    )
}

fn rig(
    process: &Process,
    format: Format,
    options: Options,
    behaviour: Arc<dyn Misbehaviour>,
) -> Rig {
    process.rig(&Spec::new(format), options, [device(format, behaviour)])
}

#[test]
fn a_healthy_provider_is_heard_of_once() {
    with_log(|log| {
        let process = Process::new();
        let mut rig = rig(&process, Format::Zlib, Options::new(), Arc::new(Behaves));
        log.assert_heard(&[(Level::DEBUG, "in place")]);
        rig.run_times(Direction::Compress, 200);
        drop(rig);
        log.assert_heard(&[]);
    });
}

#[test]
fn an_outage_is_heard_of_when_it_begins_and_when_it_ends() {
    with_log(|log| {
        let process = Process::new();
        let behaviour = Arc::new(PermanentError::new(error(ErrorKind::Device)));
        let mut rig = rig(&process, Format::Zlib, PLAIN, behaviour.clone());
        log.take();
        rig.run_times(Direction::Compress, 7);
        log.assert_heard(&[]);
        rig.run_times(Direction::Compress, 1);
        log.assert_heard(&[(Level::WARN, "breaker opened")]);
        // Probes that fail are still the same outage.
        for _ in 0..5 {
            process.clock.turn(Duration::from_secs(60));
            rig.run_times(Direction::Compress, 32);
        }
        log.assert_heard(&[]);
        behaviour.mend();
        process.clock.turn(Duration::from_secs(60));
        rig.run_times(Direction::Compress, 32);
        log.assert_heard(&[(Level::INFO, "breaker closed")]);
        rig.run_times(Direction::Compress, 100);
        log.assert_heard(&[]);
    });
}

#[test]
fn quarantine_and_reset_are_heard_of_once_each() {
    with_log(|log| {
        let process = Process::new();
        let mut rig = rig(
            &process,
            Format::Zlib,
            PLAIN.verify(Verify::Always),
            Arc::new(FlipsBit::default()),
        );
        log.take();
        rig.run_times(Direction::Compress, 100);
        log.assert_heard(&[(Level::ERROR, "wrong bytes")]);
        rig.guard(Direction::Compress).reset();
        rig.guard(Direction::Compress).reset();
        log.assert_heard(&[(Level::INFO, "reset")]);
        rig.run_times(Direction::Compress, 100);
        log.assert_heard(&[(Level::ERROR, "wrong bytes")]);
    });
}

#[test]
fn a_refused_self_check_is_heard_of_once_for_each_compressor() {
    with_log(|log| {
        let process = Process::new();
        let mut rig = rig(
            &process,
            Format::Zlib,
            Options::new(),
            Arc::new(PrivateFormat),
        );
        rig.run_times(Direction::Compress, 100);
        log.assert_heard(&[(Level::WARN, "failed its self-check")]);
    });
}

#[test]
fn a_refused_level_is_heard_of_when_it_goes_and_when_it_comes_back() {
    with_log(|log| {
        let process = Process::new();
        let behaviour = Arc::new(PermanentError::new(error(ErrorKind::Unsupported)));
        let mut rig = rig(&process, Format::Lz4Block, PLAIN, behaviour.clone());
        log.take();
        rig.run_times(Direction::Compress, 2_500);
        log.assert_heard(&[(Level::WARN, "refuses what it published")]);
        behaviour.mend();
        rig.run_times(Direction::Compress, 2_500);
        log.assert_heard(&[(Level::INFO, "again")]);
    });
}

#[test]
fn a_device_that_turns_up_later_is_heard_of_once() {
    with_log(|log| {
        let process = Process::new();
        let mut rig = process.rig(&Spec::new(Format::Zlib), Options::new(), []);
        rig.run_times(Direction::Compress, 10);
        log.assert_heard(&[]);
        let late = device(Format::Zlib, Arc::new(Behaves));
        rig.accelerated.attach(&late).unwrap();
        assert!(rig.accelerated.attach(&late).is_err());
        rig.run_times(Direction::Compress, 10);
        log.assert_heard(&[(Level::INFO, "attached")]);
    });
}

//! How accelerators fail in the field, one test a way: the right bytes, the right reason, the
//! right state of the breaker.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

mod misbehaving;
mod support;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use compressor_api::{
    Capabilities, Compressor, Direction, ErrorKind, Format, Health, Open, OpenError, Params,
    Policy, ProviderClass, ProviderEntry, Registry, Spec,
};
use compressor_decorator::{Accelerated, BreakerState, Cause, Options, Reason, Verify, self_check};
use misbehaving::*;
use support::{Process, Rig, codec, software, text, unlimited};

/// Trusts at first sight: what is found is found in operation.
const BLIND: Options = Options::new().without_self_check();

/// Blind, and never verifies: only what shows at a glance is found.
const NO_LOOK: Options = BLIND.verify(Verify::Never);

/// Blind, and verifies everything.
const ALWAYS: Options = BLIND.verify(Verify::Always);

const BOTH: [Direction; 2] = Direction::BOTH;

/// A rig with one misbehaving provider in both directions.
fn rig(format: Format, options: Options, behaviour: Arc<dyn Misbehaviour>) -> (Process, Rig) {
    let process = Process::new();
    let rig = rig_in(&process, &Spec::new(format), options, behaviour);
    (process, rig)
}

fn rig_in(
    process: &Process,
    spec: &Spec,
    options: Options,
    behaviour: Arc<dyn Misbehaviour>,
) -> Rig {
    let accelerators = BOTH.map(|direction| {
        let capabilities = unlimited(spec.format(), direction);
        selected(behaviour.clone(), capabilities, software(spec))
    });
    process.rig(spec, options, accelerators)
}

/// Every operation of a direction ended in software, for this reason.
#[track_caller]
fn assert_all_in_software(rig: &Rig, direction: Direction, reason: Reason) {
    let counters = rig.counters(direction);
    assert_eq!(counters.accelerated.ops, 0, "{counters:?}");
    assert_ne!(counters.software.ops, 0);
    assert_eq!(
        counters.software_ops(reason),
        counters.software.ops,
        "{:?}",
        counters.reasons().collect::<Vec<_>>()
    );
}

#[test]
fn a_provider_that_behaves_is_used() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, Options::new(), Arc::new(Behaves));
        for direction in BOTH {
            rig.run_times(direction, 50);
            let counters = rig.counters(direction);
            assert_eq!(counters.software.ops, 0, "{format}");
            assert!(counters.accelerated.ops >= 50);
            assert!(counters.verified >= 32);
            assert_eq!(counters.mismatches + counters.implausible, 0);
            assert_eq!(rig.state(direction), BreakerState::Closed);
        }
    }
}

#[test]
fn consumes_less_is_redone_where_the_format_tells_the_length() {
    for format in [Format::Lz4Sized, Format::Zstd, Format::Gzip, Format::Snappy] {
        let (_process, mut rig) = rig(format, NO_LOOK, Arc::new(ConsumesLess));
        for direction in BOTH {
            rig.run_times(direction, 4);
            assert_all_in_software(&rig, direction, Reason::DeviceError);
            let counters = rig.counters(direction);
            // Where the exact length is asked for, the answer is that the unit is corrupt.
            let found = counters.implausible + counters.accelerator_errors(ErrorKind::CorruptInput);
            assert_eq!(found, counters.software.ops, "{format}");
            assert!(counters.implausible >= 4);
            rig.run_times(direction, 4);
            assert_eq!(rig.state(direction), BreakerState::Open, "{format}");
        }
    }
}

#[test]
fn consumes_less_is_found_by_verification_where_the_format_does_not() {
    for format in [Format::Lz4Block, Format::Zlib, Format::DeflateRaw] {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(ConsumesLess));
        // Decompressing into exact room, the short answer is another length than was asked for.
        for direction in BOTH {
            rig.run(direction, &text(1, 3_000));
            let counters = rig.counters(direction);
            assert_eq!(counters.mismatches, 1, "{format} {direction}");
            assert_eq!(counters.software_ops(Reason::Mismatch), 1);
            assert_eq!(rig.state(direction), BreakerState::Quarantined);
        }
    }
}

#[test]
fn ok_with_zero_is_a_failure_of_the_attempt() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, NO_LOOK, Arc::new(OkWithZero));
        rig.run_times(Direction::Compress, 8);
        assert_all_in_software(&rig, Direction::Compress, Reason::DeviceError);
        assert_eq!(rig.counters(Direction::Compress).implausible, 8);
        assert_eq!(rig.state(Direction::Compress), BreakerState::Open);
    }
    for format in Format::ALL.into_iter().filter(|f| declares_length(*f)) {
        let (_process, mut rig) = rig(format, NO_LOOK, Arc::new(OkWithZero));
        rig.run(Direction::Decompress, &text(1, 3_000));
        assert_all_in_software(&rig, Direction::Decompress, Reason::DeviceError);
    }
}

#[test]
fn ok_with_zero_is_no_content_of_a_unit_that_needs_a_byte() {
    for format in [Format::Lz4Block, Format::Zlib, Format::DeflateRaw] {
        let (_process, mut rig) = rig(format, NO_LOOK, Arc::new(OkWithZero));
        let (content, mut decoded) = (text(1, 3_000), vec![0; 3_000]);
        let unit = rig.unit(&content);
        for _ in 0..8 {
            let n = rig.decompress.decompress(&unit, &mut decoded);
            assert_eq!((n, &decoded), (Ok(3_000), &content));
        }
        assert_all_in_software(&rig, Direction::Decompress, Reason::DeviceError);
        assert_eq!(rig.state(Direction::Decompress), BreakerState::Open);

        // Where there is nothing, nothing is the answer.
        let (_process, mut rig) = self::rig(format, NO_LOOK, Arc::new(OkWithZero));
        let unit = rig.unit(b"");
        assert_eq!(rig.decompress.decompress(&unit, &mut decoded), Ok(0));
        assert_eq!(rig.counters(Direction::Decompress).accelerated.ops, 1);
    }
}

#[test]
fn overflow_always_leaves_the_breaker_closed() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(OverflowAlways));
        let content = text(1, 3_000);
        let unit = rig.unit(&content);
        for _ in 0..100 {
            // A hundred times the room does not impress it.
            assert_eq!(rig.try_compress(&content, 300_000).unwrap(), unit);
            let mut decoded = vec![0x55; 300_000];
            let n = rig.decompress.decompress(&unit, &mut decoded);
            assert_eq!(n, Ok(content.len()));
            assert!(decoded.starts_with(&content));
        }
        for direction in BOTH {
            assert_all_in_software(&rig, direction, Reason::OutputShort);
            assert_eq!(rig.state(direction), BreakerState::Closed);
        }
    }
}

#[test]
fn a_result_that_does_not_fit_a_short_buffer_is_the_callers_answer() {
    let (_process, mut rig) = rig(Format::Zlib, NO_LOOK, Arc::new(Behaves));
    let noise: Vec<u8> = {
        let mut chance = support::Chance(7);
        (0..3_000).map(|_| chance.next() as u8).collect()
    };
    let error = rig.try_compress(&noise, noise.len() - 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutputTooSmall);
    let counters = rig.counters(Direction::Compress);
    assert_eq!((counters.accelerated.ops, counters.software.ops), (1, 0));
}

#[test]
fn scribbles_then_fails_leaves_no_trace() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(ScribblesThenFails));
        for direction in BOTH {
            rig.run_times(direction, 3);
            assert_all_in_software(&rig, direction, Reason::DeviceError);
            let errors = rig
                .counters(direction)
                .accelerator_errors(ErrorKind::Device);
            assert_eq!(errors, rig.counters(direction).software.ops);
        }
        let content = text(1, 3_000);
        let room = rig.accelerated.max_compressed_len(content.len()).unwrap();
        assert_eq!(
            rig.try_compress(&content, room).unwrap(),
            rig.unit(&content)
        );
    }
}

#[test]
fn flips_bit_is_found_by_verification_before_a_bad_block_is_returned() {
    for format in Format::ALL {
        let (process, mut rig) = rig(format, BLIND, Arc::new(FlipsBit::default()));
        for direction in BOTH {
            rig.run_times(direction, 20);
            let counters = rig.counters(direction);
            assert_eq!(rig.state(direction), BreakerState::Quarantined, "{format}");
            assert_eq!(rig.guard(direction).cause(), Some(Cause::WrongBytes));
            assert_eq!(counters.mismatches, 1);
            assert_eq!(counters.software_ops(Reason::Mismatch), 1);
            assert_ne!(counters.software_ops(Reason::Quarantined), 0);
            // Time does not heal it. An operator does, and the next bad block is found again.
            process.clock.turn(Duration::from_secs(3_600));
            rig.run_times(direction, 40);
            assert_eq!(rig.counters(direction).mismatches, 1);
            rig.guard(direction).reset();
            rig.run_times(direction, 20);
            assert_eq!(rig.counters(direction).mismatches, 2);
            assert_eq!(rig.state(direction), BreakerState::Quarantined);
        }
    }
}

#[test]
fn flips_bit_is_never_returned_when_everything_is_verified() {
    let (_process, mut rig) = rig(Format::Lz4Block, ALWAYS, Arc::new(FlipsBit::default()));
    for direction in BOTH {
        for _ in 0..30 {
            rig.run_times(direction, 10);
            rig.guard(direction).reset();
        }
        assert!(rig.counters(direction).mismatches >= 30);
    }
}

#[test]
fn private_format_is_refused_by_the_self_check() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, Options::new(), Arc::new(PrivateFormat));
        for direction in BOTH {
            assert_eq!(
                rig.accelerated.unaccelerated(direction),
                Some(Reason::Rejected)
            );
            rig.run_times(direction, 3);
            assert_all_in_software(&rig, direction, Reason::Rejected);
            // The other formats of the provider may be right.
            assert_eq!(rig.state(direction), BreakerState::Closed);
        }
    }
}

#[test]
fn private_format_is_caught_without_a_self_check_too() {
    for format in Format::ALL {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(PrivateFormat));
        for direction in BOTH {
            rig.run_times(direction, 10);
            assert_eq!(rig.counters(direction).accelerated.ops, 0, "{format}");
        }
    }
}

#[test]
fn frame_instead_of_block_is_refused_by_the_self_check() {
    let spec = Spec::new(Format::Lz4Block);
    let device = selected(
        Arc::new(FrameInsteadOfBlock),
        unlimited(Format::Lz4Block, Direction::Compress),
        software(&spec),
    );
    let refused = self_check(&device, &*software(&spec)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Device);

    let mut rig = Process::new().rig(&spec, Options::new(), [device]);
    rig.run_times(Direction::Compress, 3);
    assert_all_in_software(&rig, Direction::Compress, Reason::Rejected);
}

#[test]
fn multi_stream_is_never_offered_more_than_its_buffer() {
    let spec = Spec::new(Format::Zlib);
    let capabilities = unlimited(Format::Zlib, Direction::Compress).with_input(0, 64 << 10);
    let device = selected(
        Arc::new(MultiStream { buffer: 64 << 10 }),
        capabilities,
        software(&spec),
    );
    let mut rig = Process::new().rig(&spec, Options::new(), [device]);
    rig.run(Direction::Compress, &text(1, 64 << 10));
    rig.run(Direction::Compress, &text(1, (64 << 10) + 1));
    let counters = rig.counters(Direction::Compress);
    assert_eq!(counters.accelerated.ops, 1);
    assert_eq!(counters.software_ops(Reason::AboveMax), 1);
    assert_eq!(counters.software.ops, 1);
}

#[test]
fn multi_stream_is_caught_where_it_promised_more() {
    let spec = Spec::new(Format::Zlib);
    let device = || {
        selected(
            Arc::new(MultiStream { buffer: 64 << 10 }),
            unlimited(Format::Zlib, Direction::Compress),
            software(&spec),
        )
    };
    assert!(self_check(&device(), &*software(&spec)).is_err());

    let mut rig = Process::new().rig(&spec, ALWAYS, [device()]);
    rig.run(Direction::Compress, &text(1, 100 << 10));
    assert_all_in_software(&rig, Direction::Compress, Reason::Mismatch);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Quarantined);
}

#[test]
fn no_checksum_is_seen_at_a_glance() {
    let spec = Spec::new(Format::Zstd);
    let behaviour = Arc::new(NoChecksum::new(&*codec(Format::Zstd), &spec));
    let (_process, mut rig) = rig(Format::Zstd, NO_LOOK, behaviour);
    rig.run_times(Direction::Compress, 8);
    assert_all_in_software(&rig, Direction::Compress, Reason::DeviceError);
    assert_eq!(rig.counters(Direction::Compress).implausible, 8);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Open);
}

#[test]
fn wrong_checksum_is_caught() {
    for format in [Format::Zlib] {
        for behaviour in [WrongChecksum::Zero, WrongChecksum::ByteSwapped] {
            let (_process, mut rig) = rig(format, BLIND, Arc::new(behaviour));
            rig.run(Direction::Compress, &text(1, 3_000));
            assert_all_in_software(&rig, Direction::Compress, Reason::Mismatch);
            assert_eq!(rig.state(Direction::Compress), BreakerState::Quarantined);
        }
    }
}

#[test]
fn ignores_level_loses_that_level_and_keeps_the_rest() {
    let process = Process::new();
    let level = |level| Spec::new(Format::Zlib).with_level(level).unwrap();
    let behaviour = Arc::new(IgnoresLevel { refused: 9 });
    let mut nine = rig_in(&process, &level(9), BLIND, behaviour.clone());
    let mut one = rig_in(&process, &level(1), BLIND, behaviour.clone());
    nine.run_times(Direction::Compress, 100);
    one.run_times(Direction::Compress, 100);
    assert_all_in_software(&nine, Direction::Compress, Reason::Rejected);
    let refusals = nine
        .counters(Direction::Compress)
        .accelerator_errors(ErrorKind::Unsupported);
    assert_eq!(refusals, 8);
    assert_eq!(one.counters(Direction::Compress).accelerated.ops, 100);
    assert_eq!(one.state(Direction::Compress), BreakerState::Closed);

    // With a self-check it is not even begun with.
    let checked = rig_in(&process, &level(9), Options::new(), behaviour.clone());
    let why = checked.accelerated.unaccelerated(Direction::Compress);
    assert_eq!(why, Some(Reason::Rejected));
    // Reading does not depend on the level.
    assert_eq!(
        checked.accelerated.unaccelerated(Direction::Decompress),
        None
    );
}

#[test]
fn busy_forever_is_asked_once_an_operation_and_software_serves_at_once() {
    let behaviour = Arc::new(BusyForever::default());
    let (_process, mut rig) = rig(Format::Zlib, Options::new(), behaviour.clone());
    let before = behaviour.attempts.load(Ordering::Relaxed);
    for direction in BOTH {
        rig.run_times(direction, 100);
        assert_all_in_software(&rig, direction, Reason::Saturated);
        assert_eq!(rig.state(direction), BreakerState::Closed);
    }
    let operations = BOTH.map(|direction| rig.counters(direction).software.ops);
    let attempts = behaviour.attempts.load(Ordering::Relaxed) - before;
    assert_eq!(attempts, operations.iter().sum::<u64>());
}

/// A provider with 16 contexts, and one rig for each of 64 threads.
fn sixteen_contexts(behaviour: Arc<dyn Misbehaviour>) -> (Process, Arc<Accelerated>) {
    let process = Process::new();
    let spec = Spec::new(Format::Lz4Sized);
    let capabilities = unlimited(Format::Lz4Sized, Direction::Compress)
        .with_in_flight(NonZeroU32::new(16).unwrap());
    let device = selected(behaviour, capabilities, software(&spec));
    let rig = process.rig(&spec, BLIND, [device]);
    (process, rig.accelerated)
}

#[test]
fn n_contexts_take_their_number_and_the_others_run_in_software() {
    let behaviour = Arc::new(NContexts::default());
    let (process, accelerated) = sixteen_contexts(behaviour.clone());
    let operation = || {
        let mut rig = Rig::of(accelerated.clone(), process.guards.clone());
        rig.run(Direction::Compress, &text(1, 3_000));
    };
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(operation);
        }
        behaviour.wait_for(16);
        // All contexts are held: none of these waits for one.
        let others: Vec<_> = (0..48).map(|_| scope.spawn(operation)).collect();
        others.into_iter().for_each(|other| other.join().unwrap());
        behaviour.let_go();
    });
    let counters = accelerated.counters().compress;
    assert_eq!(counters.accelerated.ops, 16);
    assert_eq!(counters.software_ops(Reason::Saturated), 48);
    assert_eq!(counters.software.ops, 48);
    assert_eq!(behaviour.most(), 16);
    let guard = process.guards.guard(ID, Direction::Compress);
    assert_eq!(
        (guard.in_flight(), guard.state()),
        (0, BreakerState::Closed)
    );
}

#[test]
fn never_completes_holds_its_permits_worth_of_callers_and_nobody_else() {
    let behaviour = Arc::new(NeverCompletes::default());
    let (process, accelerated) = sixteen_contexts(behaviour.clone());
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut rig = Rig::of(accelerated.clone(), process.guards.clone());
                rig.run(Direction::Compress, &text(1, 3_000));
            });
        }
        behaviour.held.wait_for(16);
        let mut rig = Rig::of(accelerated.clone(), process.guards.clone());
        rig.run_times(Direction::Compress, 100);
        let counters = accelerated.counters().compress;
        assert_eq!(counters.software_ops(Reason::Saturated), 100);
        assert_eq!(counters.software.ops, 100);
        behaviour.held.let_go();
    });
    // Those that were held got software's result in the end, and their time-outs count.
    let counters = accelerated.counters().compress;
    let in_software = counters.software_ops(Reason::Timeout);
    assert_eq!(in_software, 16);
    assert_eq!(counters.accelerated.ops, 0);
    let guard = process.guards.guard(ID, Direction::Compress);
    assert_eq!((guard.in_flight(), guard.state()), (0, BreakerState::Open));
}

#[test]
fn permanent_error_is_asked_once_an_operation_until_the_breaker_opens() {
    for (kind, reason) in [
        (ErrorKind::Device, Reason::DeviceError),
        (ErrorKind::Lost, Reason::DeviceError),
        (ErrorKind::OutOfMemory, Reason::DeviceError),
        (ErrorKind::Timeout, Reason::Timeout),
    ] {
        for direction in BOTH {
            let behaviour = Arc::new(PermanentError::new(error(kind)));
            let (_process, mut rig) = rig(Format::Zstd, BLIND, behaviour.clone());
            rig.run_times(direction, 100);
            let counters = rig.counters(direction);
            assert_eq!(behaviour.attempts.load(Ordering::Relaxed), 8);
            assert_eq!(counters.software_ops(reason), 8);
            let others = counters.software.ops - 8;
            assert_eq!(counters.software_ops(Reason::BreakerOpen), others);
            assert_eq!(counters.accelerator_errors(kind), 8);
            assert_eq!(rig.state(direction), BreakerState::Open);
        }
    }
}

#[test]
fn an_error_that_passes_is_forgotten_after_four_verified_probes() {
    let behaviour = Arc::new(PermanentError::new(error(ErrorKind::Device)));
    let (process, mut rig) = rig(Format::Zstd, NO_LOOK, behaviour.clone());
    rig.run_times(Direction::Compress, 8);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Open);

    // Not before its time, and not without a look at the clock, which is every 16th operation.
    rig.run_times(Direction::Compress, 32);
    assert_eq!(behaviour.attempts.load(Ordering::Relaxed), 8);
    process.clock.turn(Duration::from_millis(100));
    rig.run_times(Direction::Compress, 16);
    assert_eq!(behaviour.attempts.load(Ordering::Relaxed), 9);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Open);

    behaviour.mend();
    process.clock.turn(Duration::from_millis(200));
    rig.run_times(Direction::Compress, 19);
    let counters = rig.counters(Direction::Compress);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Closed);
    // Probes are verified though nothing else is.
    assert_eq!(counters.verified, 4);
    rig.run_times(Direction::Compress, 10);
    assert_eq!(
        rig.counters(Direction::Compress).accelerated.ops,
        counters.accelerated.ops + 10
    );
    assert_eq!(rig.counters(Direction::Compress).verified, 4);
}

#[test]
fn a_probe_that_lies_quarantines() {
    #[derive(Debug)]
    struct ComesBackLying(PermanentError, FlipsBit);
    impl Misbehaviour for ComesBackLying {
        fn compress(
            &self,
            codec: &mut dyn compressor_api::CompressSession,
            spec: &Spec,
            src: &[u8],
            dst: &mut [u8],
        ) -> Result<usize, compressor_api::Error> {
            self.0.compress(codec, spec, src, dst)?;
            self.1.compress(codec, spec, src, dst)
        }
    }
    let behaviour = Arc::new(ComesBackLying(
        PermanentError::mended_after(error(ErrorKind::Device), 8),
        FlipsBit::default(),
    ));
    let (process, mut rig) = rig(Format::Lz4Block, NO_LOOK, behaviour);
    rig.run_times(Direction::Compress, 8);
    process.clock.turn(Duration::from_secs(1));
    rig.run_times(Direction::Compress, 32);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Quarantined);
    assert_eq!(rig.counters(Direction::Compress).mismatches, 1);
}

#[test]
fn unknown_error_code_is_never_ok() {
    for direction in BOTH {
        let (_process, mut rig) = rig(Format::Zlib, BLIND, Arc::new(UnknownErrorCode));
        rig.run_times(direction, 8);
        let counters = rig.counters(direction);
        assert_eq!(counters.software_ops(Reason::DeviceError), 8);
        assert_eq!(counters.accelerated.ops, 0);
        assert_eq!(rig.state(direction), BreakerState::Open);
    }
}

#[test]
fn a_panic_in_an_operation_quarantines() {
    for (place, direction) in [
        (Place::Compress, Direction::Compress),
        (Place::Decompress, Direction::Decompress),
    ] {
        let (_process, mut rig) = rig(Format::Zlib, BLIND, Arc::new(PanicsIn::new(place)));
        rig.run_times(direction, 3);
        let counters = rig.counters(direction);
        assert_eq!(counters.software_ops(Reason::DeviceError), 1);
        assert_eq!(
            counters.software_ops(Reason::Quarantined),
            counters.software.ops - 1
        );
        assert_eq!(counters.accelerator_errors(ErrorKind::Panic), 1);
        assert_eq!(rig.state(direction), BreakerState::Quarantined);
        assert_eq!(rig.guard(direction).cause(), Some(Cause::Panic));
    }
}

#[test]
fn a_panic_when_a_session_is_made_quarantines() {
    let (_process, mut rig) = rig(Format::Zlib, BLIND, Arc::new(PanicsIn::new(Place::Open)));
    for direction in BOTH {
        rig.run_times(direction, 3);
        assert_all_in_software(&rig, direction, Reason::Quarantined);
        assert_eq!(rig.state(direction), BreakerState::Quarantined);
    }
}

#[test]
fn a_panic_in_a_drop_quarantines() {
    for place in [Place::DropSession, Place::DropCompressor] {
        let (process, mut rig) = rig(Format::Zlib, BLIND, Arc::new(PanicsIn::new(place)));
        for direction in BOTH {
            rig.run_times(direction, 3);
        }
        assert_eq!(rig.state(Direction::Compress), BreakerState::Closed);
        drop(rig);
        for direction in BOTH {
            let guard = process.guards.guard(ID, direction);
            assert_eq!(guard.state(), BreakerState::Quarantined, "{place:?}");
        }
    }
}

#[test]
fn a_panic_in_a_self_check_quarantines() {
    let (_process, mut rig) = rig(
        Format::Zlib,
        Options::new(),
        Arc::new(PanicsIn::new(Place::Compress)),
    );
    rig.run_times(Direction::Compress, 3);
    assert_all_in_software(&rig, Direction::Compress, Reason::Rejected);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Quarantined);
    assert_eq!(rig.accelerated.unaccelerated(Direction::Decompress), None);
}

/// A registry of the software codec and one provider that misbehaves.
fn registry(opener: &'static dyn Open) -> Registry {
    let entry = ProviderEntry::new(
        ID,
        ProviderClass::Accelerator,
        "Misbehaves",
        &[Format::Zlib],
        opener,
    );
    Registry::builder()
        .provider(&compressor_deflate::PROVIDER)
        .provider(Box::leak(Box::new(entry)))
        .build()
        .unwrap()
}

fn rig_from(registry: &Registry, process: &Process) -> Rig {
    let selection = registry
        .select(&Spec::new(Format::Zlib), &Policy::default())
        .unwrap();
    let accelerated =
        Accelerated::from_selection(&selection, &process.guards, Options::new()).unwrap();
    Rig::of(Arc::new(accelerated), process.guards.clone())
}

/// An opener for a behaviour around the deflate codec.
#[derive(Debug)]
struct Opens(Arc<dyn Misbehaviour>);

impl Open for Opens {
    fn open(&self, _: &Params) -> Result<Arc<dyn compressor_api::CompressorFactory>, OpenError> {
        Ok(factory(self.0.clone(), compressor_deflate::factory(), None))
    }
}

#[test]
fn a_panic_in_health_is_an_answer() {
    let behaviour = Arc::new(PanicsIn::new(Place::Health));
    let registry = registry(Box::leak(Box::new(Opens(behaviour))));
    let process = Process::new();
    let mut rig = rig_from(&registry, &process);
    rig.run_times(Direction::Compress, 3);
    assert_eq!(rig.counters(Direction::Compress).accelerated.ops, 3);
    assert!(matches!(
        registry.health(ID.as_str()),
        Some(Health::Quarantined { .. })
    ));
}

#[test]
fn a_panic_in_name_leaves_the_provider_out() {
    let behaviour = Arc::new(PanicsIn::new(Place::Name));
    let registry = registry(Box::leak(Box::new(Opens(behaviour))));
    let process = Process::new();
    let mut rig = rig_from(&registry, &process);
    rig.run_times(Direction::Compress, 3);
    assert_all_in_software(&rig, Direction::Compress, Reason::DeviceError);
}

#[test]
fn open_ok_first_op_fails_is_broken_at_open() {
    let registry = registry(Box::leak(Box::new(Opens(Arc::new(OpenOkFirstOpFails)))));
    assert!(matches!(
        registry.open(ID.as_str()),
        Err(OpenError::Broken { .. })
    ));
    let process = Process::new();
    let mut rig = rig_from(&registry, &process);
    for direction in BOTH {
        rig.run_times(direction, 3);
        assert_all_in_software(&rig, direction, Reason::DeviceError);
        // Nobody asked the device, so nothing counts against it.
        assert_eq!(rig.state(direction), BreakerState::Closed);
    }
}

#[test]
fn open_ok_first_op_fails_is_refused_where_nobody_probed() {
    let (_process, mut rig) = rig(Format::Zlib, Options::new(), Arc::new(OpenOkFirstOpFails));
    for direction in BOTH {
        rig.run_times(direction, 3);
        assert_all_in_software(&rig, direction, Reason::Rejected);
    }
}

#[test]
fn init_fails_n_times_starts_in_software_and_accelerates_later() {
    let opener = Box::leak(Box::new(InitFailsNTimes::new(
        3,
        compressor_deflate::factory,
    )));
    let registry = registry(opener);
    let process = Process::new();
    let mut rig = rig_from(&registry, &process);
    rig.run_times(Direction::Compress, 3);
    assert_all_in_software(&rig, Direction::Compress, Reason::DeviceError);

    let adopt = |rig: &Rig| {
        let selection = registry
            .select(&Spec::new(Format::Zlib), &Policy::default())
            .unwrap();
        rig.accelerated.adopt(&selection).unwrap();
    };
    for _ in 0..2 {
        assert!(registry.reprobe(ID.as_str()).is_err());
        adopt(&rig);
        assert!(rig.accelerated.unaccelerated(Direction::Compress).is_some());
    }
    registry.reprobe(ID.as_str()).unwrap();
    adopt(&rig);
    // The sessions that were made before take it up.
    for direction in BOTH {
        let before = rig.counters(direction);
        rig.run_times(direction, 3);
        let counters = rig.counters(direction);
        assert!(counters.accelerated.ops >= 3);
        assert_eq!(counters.software, before.software);
    }
}

#[test]
fn late_device_is_picked_up_by_a_re_probe() {
    let opener: &'static LateDevice =
        Box::leak(Box::new(LateDevice::new(compressor_deflate::factory)));
    let registry = registry(opener);
    let process = Process::new();
    let mut rig = rig_from(&registry, &process);
    for direction in BOTH {
        rig.run_times(direction, 3);
        assert_all_in_software(&rig, direction, Reason::Absent);
    }
    opener.present.store(true, Ordering::Relaxed);
    registry.reprobe(ID.as_str()).unwrap();
    let selection = registry
        .select(&Spec::new(Format::Zlib), &Policy::default())
        .unwrap();
    rig.accelerated.adopt(&selection).unwrap();
    for direction in BOTH {
        rig.run_times(direction, 3);
        assert!(rig.counters(direction).accelerated.ops >= 3);
    }
}

#[test]
fn forked_child_stays_in_software_and_the_device_is_not_blamed() {
    let behaviour = Arc::new(ForkedChild::default());
    let (_process, mut rig) = rig(Format::Zlib, BLIND, behaviour.clone());
    for direction in BOTH {
        rig.run_times(direction, 3);
    }
    behaviour.forked.store(true, Ordering::Relaxed);
    for direction in BOTH {
        let before = rig.counters(direction).accelerated;
        rig.run_times(direction, 3_000);
        let counters = rig.counters(direction);
        assert_eq!(counters.accelerated, before);
        assert_eq!(counters.software_ops(Reason::Forked), counters.software.ops);
        assert_eq!(counters.accelerator_errors(ErrorKind::Poisoned), 1);
        assert_eq!(rig.state(direction), BreakerState::Closed);
    }
}

#[test]
fn a_poisoned_session_is_dropped_and_made_again_after_a_rest() {
    for direction in BOTH {
        let behaviour = PermanentError::mended_after(error(ErrorKind::Poisoned), 1);
        let (_process, mut rig) = rig(Format::Lz4Block, BLIND, Arc::new(behaviour));
        rig.run_times(direction, 40);
        let counters = rig.counters(direction);
        // The one that lost it, and the 16 operations of the rest.
        assert_eq!(counters.software_ops(Reason::SessionLost), 17);
        assert_eq!(counters.software.ops, 17);
        assert_eq!(rig.state(direction), BreakerState::Closed);
    }
}

#[test]
fn a_device_that_poisons_every_session_opens_the_breaker_in_two() {
    let behaviour = Arc::new(PermanentError::new(error(ErrorKind::Poisoned)));
    let (_process, mut rig) = rig(Format::Lz4Block, BLIND, behaviour.clone());
    rig.run_times(Direction::Compress, 100);
    assert_eq!(behaviour.attempts.load(Ordering::Relaxed), 2);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Open);
}

#[test]
fn bad_data_does_not_count_against_the_device() {
    for format in Format::ALL.into_iter().filter(|f| *f != Format::None) {
        let (_process, mut rig) = rig(format, BLIND, Arc::new(Behaves));
        let mut out = vec![0; 3_000];
        let mut unit = rig.unit(&text(1, 3_000));
        unit.truncate(unit.len() - 1);
        for _ in 0..200 {
            let error = rig.decompress.decompress(&unit, &mut out).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CorruptInput, "{format}");
        }
        assert_all_in_software(&rig, Direction::Decompress, Reason::BadInput);
        assert_eq!(rig.state(Direction::Decompress), BreakerState::Closed);
    }
}

#[test]
fn a_device_that_calls_good_data_bad_does_count() {
    for kind in [ErrorKind::CorruptInput] {
        let behaviour = Arc::new(PermanentError::new(error(kind)));
        let (_process, mut rig) = rig(Format::Zlib, BLIND, behaviour);
        rig.run_times(Direction::Decompress, 4);
        assert_all_in_software(&rig, Direction::Decompress, Reason::DeviceError);
        assert_eq!(rig.state(Direction::Decompress), BreakerState::Open);
    }
}

#[test]
fn a_device_that_blames_the_caller_is_asked_less_and_less() {
    for kind in [
        ErrorKind::InvalidArgument,
        ErrorKind::WrongDictionary,
        ErrorKind::Unsupported,
    ] {
        for direction in BOTH {
            let behaviour = Arc::new(PermanentError::new(error(kind)));
            let (_process, mut rig) = rig(Format::Zlib, BLIND, behaviour.clone());
            rig.run_times(direction, 500);
            assert_all_in_software(&rig, direction, Reason::Rejected);
            assert_eq!(behaviour.attempts.load(Ordering::Relaxed), 8);
            assert_eq!(rig.state(direction), BreakerState::Closed);
            // It is asked again now and then, and believed when it comes round.
            behaviour.mend();
            rig.run_times(direction, 1_100);
            assert!(rig.counters(direction).accelerated.ops > 0);
        }
    }
}

#[test]
fn a_lax_device_does_not_make_bad_data_good_where_it_is_looked_at() {
    /// Drops the last four bytes, the checksum, and never looks at them.
    #[derive(Debug)]
    struct IgnoresChecksum;
    impl Misbehaviour for IgnoresChecksum {
        fn decompress(
            &self,
            _: &mut dyn compressor_api::DecompressSession,
            _: &Spec,
            src: &[u8],
            dst: &mut [u8],
        ) -> Result<usize, compressor_api::Error> {
            let body = &src[2..src.len() - 4];
            software(&Spec::new(Format::DeflateRaw))
                .decompress_session()?
                .decompress(body, dst)
        }
    }
    // The self-check finds it.
    let spec = Spec::new(Format::Zlib);
    let device = || {
        let capabilities: Capabilities = unlimited(Format::Zlib, Direction::Decompress);
        selected(Arc::new(IgnoresChecksum), capabilities, software(&spec))
    };
    assert!(self_check(&device(), &*software(&spec)).is_err());

    // So does verification, but bad data is nobody's proof.
    let mut rig = Process::new().rig(&spec, ALWAYS, [device()]);
    let mut unit = rig.unit(&text(1, 3_000));
    *unit.last_mut().unwrap() ^= 1;
    for _ in 0..100 {
        let error = rig
            .decompress
            .decompress(&unit, &mut [0; 3_000])
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CorruptInput);
    }
    assert_all_in_software(&rig, Direction::Decompress, Reason::BadInput);
    assert_eq!(rig.counters(Direction::Decompress).mismatches, 0);
    assert_eq!(rig.state(Direction::Decompress), BreakerState::Closed);
}

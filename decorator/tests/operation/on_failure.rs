use std::sync::Arc;
use std::sync::atomic::Ordering;

use compressor_api::{Direction, ErrorKind, Format, OnFailure, Spec};
use compressor_decorator::{Accelerated, BreakerState, Guards, Options, Reason, Verify};

use super::misbehaving::{
    BusyForever, FlipsBit, OpenOkFirstOpFails, PanicsIn, PermanentError, Place, error, selected,
};
use super::support::{Rig, software, text, unlimited};
use super::{PLAIN, rig};

const FAIL: Options = PLAIN.on_operation_error(OnFailure::Fail);

fn compress(rig: &mut Rig) -> Result<(), ErrorKind> {
    let room = rig.software.max_compressed_len(3_000).unwrap();
    rig.try_compress(&text(1, 3_000), room)
        .map(|_| ())
        .map_err(compressor_api::Error::kind)
}

#[test]
fn the_accelerators_error_is_the_callers_and_stays_so_when_the_breaker_opens() {
    let capabilities = unlimited(Format::Zlib, Direction::Compress);
    let behaviour = Arc::new(PermanentError::new(error(ErrorKind::Timeout)));
    let mut rig = rig(capabilities, FAIL, behaviour.clone());
    for _ in 0..8 {
        assert_eq!(compress(&mut rig), Err(ErrorKind::Timeout));
    }
    assert_eq!(rig.state(Direction::Compress), BreakerState::Open);
    assert_eq!(compress(&mut rig), Err(ErrorKind::Device));
    assert_eq!(behaviour.attempts.load(Ordering::Relaxed), 8);
    let counters = rig.counters(Direction::Compress);
    assert_eq!((counters.failed, counters.software.ops), (9, 0));
}

#[test]
fn what_it_refuses_stays_an_error_when_it_is_not_asked_any_more() {
    let capabilities = unlimited(Format::Zlib, Direction::Compress);
    let behaviour = Arc::new(PermanentError::new(error(ErrorKind::Unsupported)));
    let mut rig = rig(capabilities, FAIL, behaviour.clone());
    for _ in 0..20 {
        assert_eq!(compress(&mut rig), Err(ErrorKind::Unsupported));
    }
    assert_eq!(behaviour.attempts.load(Ordering::Relaxed), 8);
    assert_eq!(rig.counters(Direction::Compress).failed, 20);
}

#[test]
fn wrong_bytes_and_panics_are_errors_then() {
    let capabilities = unlimited(Format::Zlib, Direction::Compress);
    let mut lies = rig(
        capabilities,
        FAIL.verify(Verify::Always),
        Arc::new(FlipsBit::default()),
    );
    let results: Vec<_> = (0..4).map(|_| compress(&mut lies)).collect();
    assert_eq!(
        results,
        [
            Ok(()),
            Ok(()),
            Err(ErrorKind::Device),
            Err(ErrorKind::Device)
        ]
    );
    assert_eq!(lies.state(Direction::Compress), BreakerState::Quarantined);

    let mut panics = rig(capabilities, FAIL, Arc::new(PanicsIn::new(Place::Compress)));
    assert_eq!(compress(&mut panics), Err(ErrorKind::Panic));
}

#[test]
fn what_is_not_the_accelerators_fault_still_goes_to_software() {
    let busy = unlimited(Format::Zlib, Direction::Compress);
    let mut rig1 = rig(busy, FAIL, Arc::new(BusyForever::default()));
    assert_eq!(compress(&mut rig1), Ok(()));
    let counters = rig1.counters(Direction::Compress);
    assert_eq!(counters.software_ops(Reason::Saturated), 1);

    let short = busy.with_input(0, 100);
    let mut rig2 = rig(short, FAIL, Arc::new(BusyForever::default()));
    assert_eq!(compress(&mut rig2), Ok(()));
    let counters = rig2.counters(Direction::Compress);
    assert_eq!(counters.software_ops(Reason::AboveMax), 1);
}

#[test]
fn good_data_that_the_device_calls_bad_is_not_reported_as_bad() {
    let capabilities = unlimited(Format::Zlib, Direction::Decompress);
    let behaviour = PermanentError::new(error(ErrorKind::CorruptInput));
    let mut rig = rig(capabilities, FAIL, Arc::new(behaviour));
    let mut unit = rig.unit(&text(1, 3_000));
    let mut out = vec![0; 3_000];
    let good = rig.decompress.decompress(&unit, &mut out).unwrap_err();
    assert_eq!(good.kind(), ErrorKind::Device);
    unit.truncate(100);
    let bad = rig.decompress.decompress(&unit, &mut out).unwrap_err();
    assert_eq!(bad.kind(), ErrorKind::CorruptInput);
}

#[test]
fn a_session_that_cannot_be_made_is_an_error_or_software() {
    #[derive(Debug)]
    struct CannotOpen;
    impl super::misbehaving::Misbehaviour for CannotOpen {
        fn open(&self, _: Direction) -> Result<(), compressor_api::Error> {
            Err(error(ErrorKind::OutOfMemory))
        }
    }
    let spec = Spec::new(Format::Zlib);
    let build = |options| {
        let device = selected(
            Arc::new(CannotOpen),
            unlimited(Format::Zlib, Direction::Compress),
            software(&spec),
        );
        Accelerated::builder(software(&spec), &Guards::new())
            .options(options)
            .accelerator(device)
            .build()
            .unwrap()
    };
    use compressor_api::Compressor;
    let refused = build(FAIL).compress_session().err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::OutOfMemory);

    let accelerated = build(PLAIN);
    let mut session = accelerated.compress_session().unwrap();
    for _ in 0..200 {
        session.compress(b"abc", &mut [0; 64]).unwrap();
    }
    let counters = accelerated.counters().compress;
    assert_eq!(counters.software.ops, 200);
    // One attempt when it was made, then one after 16, 32, 64 operations.
    assert_eq!(counters.accelerator_errors(ErrorKind::OutOfMemory), 4);
    assert_eq!(counters.software_ops(Reason::DeviceError), 3);
    assert_eq!(counters.software_ops(Reason::SessionLost), 197);
}

#[test]
fn a_failed_self_check_stops_the_build() {
    let spec = Spec::new(Format::Zlib);
    let device = selected(
        Arc::new(OpenOkFirstOpFails),
        unlimited(Format::Zlib, Direction::Compress),
        software(&spec),
    );
    let build = |options| {
        Accelerated::builder(software(&spec), &Guards::new())
            .options(options)
            .accelerator(device.clone())
            .build()
    };
    let fail = Options::new().on_operation_error(OnFailure::Fail);
    assert_eq!(build(fail).unwrap_err().kind(), ErrorKind::Device);
    let accelerated = build(Options::new()).unwrap();
    let why = accelerated.unaccelerated(Direction::Compress);
    assert_eq!(why, Some(Reason::Rejected));
}

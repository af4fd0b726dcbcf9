use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use compressor_api::{Compressor, Direction, Error, ErrorKind, Format};
use compressor_decorator::{BreakerState, Reason};

use super::misbehaving::{
    Codec, FlipsBit, ForkedChild, ID, Misbehaviour, PermanentError, ScribblesThenFails,
    UnknownErrorCode, error,
};
use super::support::text;
use super::{BLIND, BOTH, NO_LOOK, assert_all_in_software, rig};

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
        fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
            self.0.operate(&mut |dst| self.1.operate(codec, dst), dst)
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
fn silent_software_is_counted_as_such_and_opens_the_breaker() {
    for direction in BOTH {
        let behaviour = Arc::new(PermanentError::new(Error::silent_software(ID)));
        let (_process, mut rig) = rig(Format::Zlib, BLIND, behaviour);
        rig.run_times(direction, 100);
        let counters = rig.counters(direction);
        assert_eq!(counters.software_ops(Reason::SilentSoftware), 8);
        assert_eq!(counters.software_ops(Reason::DeviceError), 0);
        assert_eq!(counters.accelerated.ops, 0);
        assert_eq!(rig.state(direction), BreakerState::Open);
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
fn the_rest_of_a_lost_session_is_short_again_once_another_one_served() {
    /// Loses the session on every tenth call.
    #[derive(Debug, Default)]
    struct LosesTenth(AtomicU64);
    impl Misbehaviour for LosesTenth {
        fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
            if self.0.fetch_add(1, Ordering::Relaxed) % 10 == 9 {
                return Err(error(ErrorKind::Poisoned));
            }
            codec(dst)
        }
    }
    let (_process, mut rig) = rig(Format::Zlib, NO_LOOK, Arc::new(LosesTenth::default()));
    // 9 served, 1 lost, 16 to rest.
    rig.run_times(Direction::Compress, 5 * 26);
    let counters = rig.counters(Direction::Compress);
    assert_eq!(counters.accelerated.ops, 5 * 9);
    assert_eq!(counters.software_ops(Reason::SessionLost), 5 * 17);
}

#[test]
fn a_probe_does_not_sit_out_the_rest_of_a_lost_session() {
    let behaviour = PermanentError::mended_after(error(ErrorKind::Poisoned), 2);
    let (process, mut rig) = rig(Format::Lz4Block, NO_LOOK, Arc::new(behaviour));
    // Lost, 16 operations of rest, lost again: that opens the breaker.
    rig.run_times(Direction::Compress, 18);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Open);
    process.clock.turn(Duration::from_millis(100));
    rig.run_times(Direction::Compress, 10);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Closed);
    assert_eq!(rig.counters(Direction::Compress).accelerated.ops, 10);
}

#[test]
fn a_device_that_poisons_every_session_opens_the_breaker_in_two() {
    let behaviour = Arc::new(PermanentError::new(error(ErrorKind::Poisoned)));
    let (_process, mut rig) = rig(Format::Lz4Block, BLIND, behaviour.clone());
    rig.run_times(Direction::Compress, 100);
    assert_eq!(behaviour.attempts.load(Ordering::Relaxed), 2);
    assert_eq!(rig.state(Direction::Compress), BreakerState::Open);
}

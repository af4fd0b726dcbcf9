use std::sync::Arc;

use compressor_api::{Direction, Error, ErrorKind, Format, Health};
use compressor_decorator::{BreakerState, Cause, Options, Reason};

use super::misbehaving::{Codec, ID, Misbehaviour, PanicsIn, Place};
use super::support::Process;
use super::{BLIND, BOTH, Opens, assert_all_in_software, registry, rig, rig_from};

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

#[test]
fn a_panic_in_a_drop_that_follows_a_panic_in_a_self_check_is_survived() {
    /// Panics in each operation, and again when the session is dropped for it.
    #[derive(Debug)]
    struct PanicsTwice;
    impl Misbehaviour for PanicsTwice {
        fn operate(&self, _: Codec<'_>, _: &mut [u8]) -> Result<usize, Error> {
            panic!("in an operation");
        }

        fn drop_session(&self) {
            panic!("in a drop");
        }
    }
    let (_process, mut rig) = rig(Format::Zlib, Options::new(), Arc::new(PanicsTwice));
    for direction in BOTH {
        rig.run_times(direction, 3);
        assert_all_in_software(&rig, direction, Reason::Rejected);
        assert_eq!(rig.state(direction), BreakerState::Quarantined);
    }
}

#[test]
fn a_panic_in_the_drop_of_an_accelerator_that_is_left_out_quarantines() {
    #[derive(Debug)]
    struct RejectedAndPanics;
    impl Misbehaviour for RejectedAndPanics {
        fn operate(&self, _: Codec<'_>, _: &mut [u8]) -> Result<usize, Error> {
            Ok(0)
        }

        fn drop_compressor(&self) {
            panic!("in a drop");
        }
    }
    let (_process, mut rig) = rig(Format::Zlib, Options::new(), Arc::new(RejectedAndPanics));
    for direction in BOTH {
        rig.run_times(direction, 3);
        assert_all_in_software(&rig, direction, Reason::Rejected);
        assert_eq!(rig.guard(direction).cause(), Some(Cause::Panic));
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

use std::sync::Arc;
use std::sync::atomic::Ordering;

use compressor_api::{Direction, Format, OpenError, Policy, Spec};
use compressor_decorator::{BreakerState, Options, Reason};

use super::misbehaving::{ID, InitFailsNTimes, LateDevice, OpenOkFirstOpFails};
use super::support::{Process, Rig};
use super::{BOTH, Opens, assert_all_in_software, registry, rig, rig_from};

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

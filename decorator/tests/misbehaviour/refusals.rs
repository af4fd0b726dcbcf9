use std::sync::Arc;
use std::sync::atomic::Ordering;

use compressor_api::{Direction, ErrorKind, Format, Spec};
use compressor_decorator::{BreakerState, Options, Reason};

use super::misbehaving::{IgnoresLevel, PermanentError, error};
use super::support::Process;
use super::{BLIND, BOTH, assert_all_in_software, rig, rig_in};

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

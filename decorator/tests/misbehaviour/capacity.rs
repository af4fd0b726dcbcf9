use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use compressor_api::{Direction, Format, Spec};
use compressor_decorator::{Accelerated, BreakerState, Options, Reason};

use super::misbehaving::{BusyForever, ID, Misbehaviour, NContexts, NeverCompletes, selected};
use super::support::{Process, Rig, software, text, unlimited};
use super::{BLIND, BOTH, assert_all_in_software, rig};

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

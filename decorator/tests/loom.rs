//! Breaker and permits under every interleaving that the memory model allows.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p compressor-decorator --test loom --release`
#![cfg(loom)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

use std::time::Duration;

use compressor_decorator::BreakerState;
use compressor_decorator::breaker::{Breaker, Change, Pass, Weight};
use compressor_decorator::permits::Permits;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

const DUE: fn() -> Option<Duration> = || Some(Duration::from_secs(60));

fn fail(pass: &mut Pass<'_>) -> Option<Change> {
    pass.failure(Weight::Heavy, || Duration::ZERO, || 0)
}

/// Opened at 0 ms by two heavy failures.
fn open() -> Breaker {
    let breaker = Breaker::new();
    assert_eq!(fail(&mut breaker.admit(DUE).unwrap()), None);
    assert_eq!(fail(&mut breaker.admit(DUE).unwrap()), Some(Change::Opened));
    breaker
}

/// Half-open, `successes` probes good.
fn half_open(successes: usize) -> Breaker {
    let breaker = open();
    for _ in 0..successes {
        assert_eq!(breaker.admit(DUE).unwrap().success(), None);
    }
    breaker
}

/// Runs `body` in `threads` threads on one thing, and gives what each returned.
fn race<T: Send + Sync + 'static, R: Send + 'static>(
    threads: usize,
    shared: T,
    body: fn(&T) -> R,
) -> (Arc<T>, Vec<R>) {
    let shared = Arc::new(shared);
    let others: Vec<_> = (1..threads)
        .map(|_| {
            let shared = shared.clone();
            thread::spawn(move || body(&shared))
        })
        .collect();
    let mut results = vec![body(&shared)];
    results.extend(others.into_iter().map(|other| other.join().unwrap()));
    (shared, results)
}

#[test]
fn at_most_the_limit_hold_permits_at_once_and_none_is_lost() {
    // Three threads that retry have more interleavings than anyone can wait for; a fault that
    // needs more than three preemptions in so short a piece of code would be a new kind of fault.
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (shared, _) = race(
            3,
            (Permits::new(), AtomicUsize::new(0)),
            |(permits, inside)| {
                if let Some(_permit) = permits.acquire(1, 2) {
                    assert!(inside.fetch_add(1, Ordering::Relaxed) < 2);
                    inside.fetch_sub(1, Ordering::Relaxed);
                }
            },
        );
        assert_eq!(shared.0.in_use(), 0);
        assert!(shared.0.acquire(2, 2).is_some());
    });
}

#[test]
fn a_permit_comes_back_from_a_panic() {
    loom::model(|| {
        let (permits, _) = race(2, Permits::new(), |permits| {
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let permit = permits.acquire(1, 1);
                if permit.is_some() {
                    std::panic::resume_unwind(Box::new("without the message"));
                }
            }));
            drop(panicked);
        });
        assert_eq!(permits.in_use(), 0);
    });
}

#[test]
fn one_of_many_failures_opens_and_says_so() {
    loom::model(|| {
        // Two of three would do: whichever comes second opens, and the third is late or refused.
        let (breaker, changes) = race(3, Breaker::new(), |breaker| {
            breaker
                .admit(|| None)
                .ok()
                .and_then(|mut pass| fail(&mut pass))
        });
        assert_eq!(changes.iter().flatten().count(), 1);
        assert_eq!(breaker.state(), BreakerState::Open);
    });
}

#[test]
fn a_success_between_does_not_lose_the_opening() {
    loom::model(|| {
        let breaker = Arc::new(Breaker::new());
        fail(&mut breaker.admit(DUE).unwrap());
        let succeeding = {
            let breaker = breaker.clone();
            thread::spawn(move || {
                breaker.admit(|| None).ok().map(|mut pass| pass.success());
            })
        };
        // 4 + 4 in a row, or 4 before and 8 after the success.
        let changes: Vec<_> = (0..2)
            .filter_map(|_| breaker.admit(|| None).ok())
            .filter_map(|mut pass| fail(&mut pass))
            .collect();
        succeeding.join().unwrap();
        assert_eq!(changes, [Change::Opened]);
        assert_eq!(breaker.state(), BreakerState::Open);
    });
}

#[test]
fn half_open_admits_exactly_one() {
    loom::model(|| {
        let (shared, admitted) =
            race(
                3,
                (open(), AtomicUsize::new(0)),
                |(breaker, inside)| match breaker.admit(DUE) {
                    Ok(probe) => {
                        assert!(probe.is_probe());
                        assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
                        inside.fetch_sub(1, Ordering::Relaxed);
                        drop(probe);
                        true
                    }
                    Err(_) => false,
                },
            );
        assert!(admitted.contains(&true));
        assert_eq!(shared.0.state(), BreakerState::HalfOpen);
        assert!(shared.0.admit(DUE).unwrap().is_probe());
    });
}

#[test]
fn the_fourth_success_closes_once_and_forgets_the_failures() {
    loom::model(|| {
        let (breaker, changes) = race(2, half_open(3), |breaker| match breaker.admit(DUE) {
            Ok(mut pass) if pass.is_probe() => pass.success(),
            // Closed already: one failure must not find the old ones.
            Ok(mut pass) => fail(&mut pass),
            Err(_) => None,
        });
        assert_eq!(
            changes.iter().flatten().collect::<Vec<_>>(),
            [&Change::Closed]
        );
        assert_eq!(breaker.state(), BreakerState::Closed);
    });
}

#[test]
fn a_failed_probe_opens_again_whoever_else_asks() {
    loom::model(|| {
        let (breaker, failed) = race(2, half_open(1), |breaker| {
            breaker
                .admit(|| None)
                .is_ok_and(|mut probe| fail(&mut probe).is_none())
        });
        // The other one asked while it was probed, or while it was open again.
        assert_eq!(failed.iter().filter(|failed| **failed).count(), 1);
        assert_eq!(breaker.state(), BreakerState::Open);
    });
}

#[test]
fn quarantine_is_sticky_whatever_is_reported_meanwhile() {
    loom::model(|| {
        let breaker = Arc::new(half_open(3));
        let probing = {
            let breaker = breaker.clone();
            thread::spawn(move || {
                breaker
                    .admit(DUE)
                    .ok()
                    .and_then(|mut probe| probe.success())
            })
        };
        let (first, second) = (breaker.quarantine(), breaker.quarantine());
        let change = probing.join().unwrap();
        assert!(first && !second);
        assert!(change.is_none() || change == Some(Change::Closed));
        assert_eq!(breaker.state(), BreakerState::Quarantined);
        assert!(breaker.admit(DUE).is_err());
    });
}

#[test]
fn of_many_who_quarantine_one_says_so() {
    loom::model(|| {
        let (breaker, first) = race(3, Breaker::new(), Breaker::quarantine);
        assert_eq!(first.iter().filter(|first| **first).count(), 1);
        assert_eq!(breaker.state(), BreakerState::Quarantined);
    });
}

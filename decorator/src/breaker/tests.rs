use super::*;

const NEVER: fn() -> Option<Duration> = || panic!("no clock is read while closed");

fn at(ms: u64) -> impl FnOnce() -> Option<Duration> {
    move || Some(Duration::from_millis(ms))
}

/// Reports a failure at `ms`, with the longest wait that chance may give.
fn fail(pass: &mut Pass<'_>, weight: Weight, ms: u64) -> Option<Change> {
    // `half` of every wait, so that `jitter % (half + 1)` is all of it.
    let wait = FIRST_WAIT * (1 << State::unpack(pass.word).doublings.min(MAX_DOUBLINGS));
    let doubled = if pass.is_probe() { wait * 2 } else { wait };
    let half = millis(doubled.min(LONGEST_WAIT)) / 2;
    pass.failure(weight, || Duration::from_millis(ms), || half)
}

/// A breaker that opened at 0 ms and lets a probe through at 100 ms.
fn opened() -> Breaker {
    let breaker = Breaker::new();
    for n in 1..=IN_A_ROW {
        let change = fail(&mut breaker.admit(NEVER).unwrap(), Weight::Plain, 0);
        assert_eq!(change, (n == IN_A_ROW).then_some(Change::Opened));
    }
    assert_eq!(breaker.state(), BreakerState::Open);
    breaker
}

#[test]
fn eight_failures_in_a_row_open_it() {
    opened();
}

#[test]
fn a_success_between_starts_the_row_anew() {
    let breaker = Breaker::new();
    for _ in 0..5 {
        for _ in 0..IN_A_ROW - 1 {
            fail(&mut breaker.admit(NEVER).unwrap(), Weight::Plain, 0);
        }
        for _ in 0..3 * IN_A_ROW {
            breaker.admit(NEVER).unwrap().success();
        }
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn half_of_the_last_64_open_it() {
    let breaker = Breaker::new();
    let mut failures = 0;
    while breaker.state() == BreakerState::Closed && failures <= OF_THE_LAST_64 {
        fail(&mut breaker.admit(NEVER).unwrap(), Weight::Plain, 0);
        failures += 1;
        if breaker.state() == BreakerState::Closed {
            breaker.admit(NEVER).unwrap().success();
        }
    }
    assert_eq!(failures, OF_THE_LAST_64);

    let breaker = Breaker::new();
    for n in 0..10_000 {
        let mut pass = breaker.admit(NEVER).unwrap();
        // 3 in 8 fail: 24 of every 64.
        if n % 8 < 3 {
            fail(&mut pass, Weight::Plain, 0);
        } else {
            pass.success();
        }
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn two_heavy_failures_open_it() {
    let breaker = Breaker::new();
    assert_eq!(
        fail(&mut breaker.admit(NEVER).unwrap(), Weight::Heavy, 0),
        None
    );
    assert_eq!(
        fail(&mut breaker.admit(NEVER).unwrap(), Weight::Heavy, 0),
        Some(Change::Opened)
    );
}

#[test]
fn four_probes_that_succeed_one_at_a_time_close_it() {
    let breaker = opened();
    assert_eq!(breaker.admit(at(99)).unwrap_err(), Refusal::Open);
    assert_eq!(breaker.admit(|| None).unwrap_err(), Refusal::Open);
    for n in 1..=PROBES {
        let mut probe = breaker.admit(at(100)).unwrap();
        assert!(probe.is_probe());
        assert_eq!(breaker.admit(at(100)).unwrap_err(), Refusal::Open);
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        assert_eq!(probe.success(), (n == PROBES).then_some(Change::Closed));
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
    // The failures of before are forgotten.
    for _ in 1..IN_A_ROW {
        fail(&mut breaker.admit(NEVER).unwrap(), Weight::Plain, 0);
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn each_failed_probe_doubles_the_wait_up_to_the_longest() {
    let breaker = opened();
    let mut now = 0;
    for wait in [
        100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
    ] {
        assert_eq!(
            breaker.admit(at(now + wait - 1)).unwrap_err(),
            Refusal::Open
        );
        now += wait;
        let mut probe = breaker.admit(at(now)).unwrap();
        assert_eq!(fail(&mut probe, Weight::Heavy, now), None);
        assert_eq!(breaker.state(), BreakerState::Open);
    }
}

/// Closes it by four probes at `ms`, and opens it again then; with the longest wait, of `wait` ms.
fn close_and_relapse(breaker: &Breaker, ms: u64, wait: u64) {
    for _ in 0..PROBES {
        breaker.admit(at(ms)).unwrap().success();
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
    while breaker.state() == BreakerState::Closed {
        let mut pass = breaker.admit(NEVER).unwrap();
        pass.failure(Weight::Heavy, || Duration::from_millis(ms), || wait / 2);
    }
    assert_eq!(breaker.admit(at(ms + wait - 1)).unwrap_err(), Refusal::Open);
}

#[test]
fn a_relapse_soon_after_the_probes_doubles_the_wait() {
    let breaker = opened();
    let mut now = 100;
    for wait in [200, 400, 800, 1_600] {
        close_and_relapse(&breaker, now, wait);
        now += wait;
    }
    // It holds out for as long as was waited, and that is forgotten.
    now += 1_600;
    close_and_relapse(&breaker, now, 100);
    assert!(breaker.admit(at(now + 100)).unwrap().is_probe());
    // A reset forgets as well.
    assert!(breaker.reset());
    while breaker.state() == BreakerState::Closed {
        fail(&mut breaker.admit(NEVER).unwrap(), Weight::Heavy, now);
    }
    assert!(breaker.admit(at(now + 100)).is_ok());
}

#[test]
fn chance_has_the_second_half_of_the_wait() {
    for (jitter, wait) in [
        (0, 50),
        (50, 100),
        (51, 50),
        (u64::MAX, 50),
        (u64::MAX - 1, 100),
    ] {
        assert_eq!(deadline(Duration::ZERO, 0, jitter), wait);
    }
    assert_eq!(deadline(Duration::from_secs(1), 9, 0), 16_000);
    assert_eq!(deadline(Duration::from_secs(1), 9, 15_000), 31_000);
}

#[test]
fn a_probe_without_a_report_makes_room_for_the_next() {
    let breaker = opened();
    drop(breaker.admit(at(100)).unwrap());
    assert!(breaker.admit(at(100)).unwrap().is_probe());
    let panicked = std::panic::catch_unwind(|| {
        let _probe = breaker.admit(at(100)).unwrap();
        panic!("in the middle of the operation");
    });
    assert!(panicked.is_err());
    assert!(breaker.admit(at(100)).is_ok());
}

#[test]
fn a_report_from_a_period_that_is_over_counts_for_nothing() {
    let breaker = Breaker::new();
    let mut late: Vec<Pass<'_>> = (0..20).map(|_| breaker.admit(NEVER).unwrap()).collect();
    assert!(breaker.quarantine());
    assert!(breaker.reset());
    for pass in &mut late {
        assert_eq!(fail(pass, Weight::Heavy, 0), None);
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
}

#[test]
fn quarantine_stays_until_it_is_reset() {
    let breaker = opened();
    let mut probe = breaker.admit(at(100)).unwrap();
    assert!(breaker.quarantine());
    assert!(!breaker.quarantine());
    assert_eq!(probe.success(), None);
    for ms in [100, 1 << 39] {
        assert_eq!(breaker.admit(at(ms)).unwrap_err(), Refusal::Quarantined);
    }
    assert!(breaker.reset());
    assert!(!breaker.reset());
    assert!(!breaker.admit(NEVER).unwrap().is_probe());
}

#[test]
fn a_reset_also_ends_an_outage() {
    let breaker = opened();
    assert!(breaker.reset());
    assert_eq!(breaker.state(), BreakerState::Closed);
    for _ in 1..IN_A_ROW {
        fail(&mut breaker.admit(NEVER).unwrap(), Weight::Plain, 0);
    }
    assert_eq!(breaker.state(), BreakerState::Closed);
}

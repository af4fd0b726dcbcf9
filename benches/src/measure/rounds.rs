//! Running several things in turn, so that whatever slows the machine slows them alike.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::clock::{Lap, timed};

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Time for all rounds of all lanes together, warm-up included. Exceeded only to finish
    /// [`min_rounds`](Self::min_rounds).
    pub budget: Duration,
    /// The least time that a lane takes for its part of a round, as long as finding out how many
    /// operations that takes leaves half the budget.
    pub round: Duration,
    /// The least number of rounds.
    pub min_rounds: usize,
}

impl Pace {
    /// Rounds of at least 2 ms, which makes the clocks' own cost and resolution (below 1 µs)
    /// invisible, and leaves most rounds whole where a scheduler takes the CPU away for a while;
    /// at least 5 of them, so that a median means something.
    #[must_use]
    pub const fn new(budget: Duration) -> Self {
        Self {
            budget,
            round: Duration::from_millis(2),
            min_rounds: 5,
        }
    }
}

/// The most operations in a round: work that is still too short then is no work at all.
const MOST_OPS: usize = 1 << 30;

/// What came of [`interleave`].
#[derive(Clone, Debug)]
pub struct Rounds {
    first_op: usize,
    ops_per_round: usize,
    laps: Vec<Vec<Lap>>,
}

impl Rounds {
    /// The laps of a lane, one a round; empty for a lane that does not exist.
    #[must_use]
    pub fn laps(&self, lane: usize) -> &[Lap] {
        self.laps.get(lane).map_or(&[], Vec::as_slice)
    }

    /// How many rounds there were, warm-up apart.
    #[must_use]
    pub fn len(&self) -> usize {
        self.laps(0).len()
    }

    /// Whether there was no round, for want of lanes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The operations that each lane did in a round.
    #[must_use]
    pub fn ops(&self, round: usize) -> Range<usize> {
        let start = self.first_op + round * self.ops_per_round;
        start..start + self.ops_per_round
    }

    /// How many operations each lane did, warm-up included.
    #[must_use]
    pub fn total_ops(&self) -> usize {
        self.ops(self.len()).start
    }

    /// How many operations a round has.
    #[must_use]
    pub const fn ops_per_round(&self) -> usize {
        self.ops_per_round
    }
}

/// Runs the lanes in turn, round after round, and times each.
///
/// A lane is a function that does the operations of the given numbers; numbers count up from 0, and
/// every lane gets the same ones. Warm-up doubles the number of operations until the fastest lane
/// takes [`Pace::round`] for them; from then on that number makes a round. Each round starts with
/// another lane, so that none is always the one to meet cold caches.
///
/// `after_round` gets the time spent so far.
///
/// # Errors
///
/// The first error of a lane.
pub fn interleave<F, E>(
    lanes: &mut [F],
    pace: &Pace,
    mut after_round: impl FnMut(Duration),
) -> Result<Rounds, E>
where
    F: FnMut(Range<usize>) -> Result<(), E>,
{
    let start = Instant::now();
    let mut done = 0;
    let mut ops = 1;
    while !lanes.is_empty() {
        let mut fastest = Duration::MAX;
        for lane in &mut *lanes {
            fastest = fastest.min(timed(|| lane(done..done + ops))?.wall);
        }
        done += ops;
        after_round(start.elapsed());
        if fastest >= pace.round || start.elapsed() >= pace.budget / 2 || ops >= MOST_OPS {
            break;
        }
        ops *= 2;
    }

    let mut rounds = Rounds {
        first_op: done,
        ops_per_round: ops,
        laps: vec![Vec::new(); lanes.len()],
    };
    while !lanes.is_empty() && (rounds.len() < pace.min_rounds || start.elapsed() < pace.budget) {
        let ops = rounds.ops(rounds.len());
        let first = rounds.len() % lanes.len();
        // All lanes of the round, from `first` on and around.
        let (before, from) = lanes.split_at_mut(first);
        let (laps_before, laps_from) = rounds.laps.split_at_mut(first);
        let in_turn = from
            .iter_mut()
            .chain(before)
            .zip(laps_from.iter_mut().chain(laps_before));
        for (lane, laps) in in_turn {
            laps.push(timed(|| lane(ops.clone()))?);
        }
        after_round(start.elapsed());
    }
    Ok(rounds)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::convert::Infallible;

    use super::*;

    const QUICK: Pace = Pace {
        budget: Duration::from_millis(40),
        round: Duration::from_millis(1),
        min_rounds: 3,
    };

    fn sleeping(time: Duration) -> Box<dyn FnMut(Range<usize>) -> Result<(), Infallible>> {
        Box::new(move |ops| {
            std::thread::sleep(time * u32::try_from(ops.len()).unwrap());
            Ok(())
        })
    }

    #[test]
    fn lanes_take_turns_at_the_same_operations() {
        let log = RefCell::new(Vec::new());
        let lane = |name: char| {
            let log = &log;
            move |ops: Range<usize>| {
                log.borrow_mut().push((name, ops));
                std::thread::sleep(Duration::from_millis(2));
                Ok::<(), Infallible>(())
            }
        };
        let Ok(rounds) = interleave(&mut [lane('A'), lane('B')], &QUICK, |_| {});

        let log = log.into_inner();
        let order: String = log.iter().map(|(name, _)| *name).collect();
        // Warm-up is one turn here, then rounds begin with A and B alternately.
        assert!(order.starts_with("ABABBAAB"), "{order}");
        assert_eq!(log.len(), 2 * (1 + rounds.len()));
        for (number, pair) in log.chunks(2).enumerate() {
            assert_eq!(pair[0].1, pair[1].1);
            assert_eq!(pair[0].1, number..number + 1);
        }
        assert_eq!(rounds.total_ops(), 1 + rounds.len());
        assert_eq!(rounds.ops(0), 1..2);
    }

    #[test]
    fn a_round_is_long_enough_for_the_fastest_lane() {
        let mut lanes = [
            sleeping(Duration::from_micros(100)),
            sleeping(Duration::from_millis(1)),
        ];
        let Ok(rounds) = interleave(&mut lanes, &QUICK, |_| {});
        for lap in rounds.laps(0) {
            assert!(lap.wall >= QUICK.round, "{lap:?}");
        }
        assert!(rounds.laps(1).iter().all(|lap| lap.wall >= QUICK.round * 2));
    }

    #[test]
    fn the_least_number_of_rounds_is_run_even_if_the_budget_is_gone() {
        let mut lanes = [
            sleeping(Duration::from_millis(30)),
            sleeping(Duration::from_millis(30)),
        ];
        let pace = Pace {
            budget: Duration::ZERO,
            ..QUICK
        };
        let Ok(rounds) = interleave(&mut lanes, &pace, |_| {});
        assert_eq!((rounds.len(), rounds.ops_per_round()), (3, 1));
    }

    #[test]
    fn the_budget_ends_it() {
        let start = Instant::now();
        let mut spent = Duration::ZERO;
        let Ok(_) = interleave(
            &mut [sleeping(Duration::from_micros(200))],
            &QUICK,
            |so_far| {
                assert!(so_far >= spent);
                spent = so_far;
            },
        );
        assert!(spent >= QUICK.budget);
        // Generous, for a busy machine; without the budget it would never end.
        assert!(start.elapsed() < QUICK.budget * 50);
    }

    #[test]
    fn work_that_never_lasts_a_round_does_not_warm_up_for_ever() {
        let Ok(rounds) = interleave(
            &mut [|_: Range<usize>| Ok::<(), Infallible>(())],
            &QUICK,
            |_| {},
        );
        assert!(rounds.len() >= QUICK.min_rounds);
    }

    #[test]
    fn no_lanes_are_no_rounds() {
        let mut lanes = [sleeping(Duration::ZERO)];
        let Ok(rounds) = interleave(&mut lanes[..0], &QUICK, |_| {});
        assert!(rounds.is_empty() && rounds.laps(0).is_empty());
        assert_eq!(rounds.total_ops(), 0);
    }

    #[test]
    fn the_first_error_ends_it() {
        let mut lane = |ops: Range<usize>| {
            if ops.contains(&2) {
                Err("broken")
            } else {
                Ok(())
            }
        };
        assert_eq!(
            interleave(&mut [&mut lane], &QUICK, |_| {}).err(),
            Some("broken")
        );
    }
}

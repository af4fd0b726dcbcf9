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
    /// The least time that a lane takes for a round, as long as finding out how many operations that
    /// takes leaves half the budget.
    pub round: Duration,
    /// The least number of rounds.
    pub min_rounds: usize,
}

impl Pace {
    /// Rounds of at least 1 ms: that makes the clocks' own cost and resolution (below 1 µs)
    /// invisible, and is less than the 3 ms or so that a scheduler lets a thread run where others
    /// wait. At least 5 of them, so that a median means something.
    #[must_use]
    pub const fn new(budget: Duration) -> Self {
        Self {
            budget,
            round: Duration::from_millis(1),
            min_rounds: 5,
        }
    }

    /// Short rounds, for differences of nanoseconds an operation: contenders then meet the same
    /// moment of the machine. At least 50 µs, of which the clock takes some 30 ns.
    #[must_use]
    pub const fn fine(budget: Duration) -> Self {
        Self {
            budget,
            round: Duration::from_micros(50),
            min_rounds: 20,
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

    /// The rounds to go by: those that were interrupted least, a quarter of all at least.
    ///
    /// On a quiet machine that is nearly all of them. On a busy one, a round that was interrupted
    /// tells how long the others ran.
    #[must_use]
    pub fn quiet(&self) -> Vec<usize> {
        let interruptions = |round: usize| -> u64 {
            let laps = self.laps.iter().filter_map(|laps| laps.get(round));
            laps.map(|lap| lap.interruptions).sum()
        };
        let mut by_quiet: Vec<u64> = (0..self.len()).map(interruptions).collect();
        by_quiet.sort_unstable();
        let most = by_quiet.get(self.len() / 4).copied().unwrap_or(0);
        (0..self.len())
            .filter(|round| interruptions(*round) <= most)
            .collect()
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
/// every lane gets the same ones. Warm-up doubles the number of operations until they take the
/// fastest lane long enough for [`Pace::round`].
///
/// A round has as many turns as there are lanes, and each turn begins with another lane: with three
/// lanes, `ABC BCA CAB`, every turn at operations of its own. For whoever is first at a piece of
/// data has a harder time than who comes next: caches are cold, and a branch predictor that has seen
/// the data from code which lanes share makes as much as 5 % of a difference. So every lane is first
/// once a round, and a lap is the sum over the round.
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
    let turns = lanes.len();
    let (first_op, ops) = warm_up(lanes, pace, &mut after_round)?;
    let mut rounds = Rounds {
        first_op,
        ops_per_round: ops * turns,
        laps: vec![Vec::new(); turns],
    };
    while turns > 0 && (rounds.len() < pace.min_rounds || start.elapsed() < pace.budget) {
        let mut round = vec![Lap::default(); turns];
        for first in 0..turns {
            let start = rounds.total_ops() + first * ops;
            turn(lanes, first, start..start + ops, &mut round)?;
        }
        for (laps, lap) in rounds.laps.iter_mut().zip(round) {
            laps.push(lap);
        }
        after_round(start.elapsed());
    }
    Ok(rounds)
}

/// Finds out how many operations a turn should have; returns how many were done for it, and that.
fn warm_up<F, E>(
    lanes: &mut [F],
    pace: &Pace,
    mut after_turn: impl FnMut(Duration),
) -> Result<(usize, usize), E>
where
    F: FnMut(Range<usize>) -> Result<(), E>,
{
    let start = Instant::now();
    let long_enough = pace.round / u32::try_from(lanes.len().max(1)).unwrap_or(u32::MAX);
    let (mut done, mut ops, mut confirmed) = (0, 1, false);
    loop {
        let mut laps = vec![Lap::default(); lanes.len()];
        turn(lanes, 0, done..done + ops, &mut laps)?;
        done += ops;
        after_turn(start.elapsed());
        let enough = laps.iter().all(|lap| lap.wall >= long_enough);
        let too_long = start.elapsed() >= pace.budget / 2;
        // Twice, for an interruption makes anything last.
        if too_long || ops >= MOST_OPS || enough && confirmed {
            break;
        }
        confirmed = enough;
        if !enough {
            ops *= 2;
        }
    }
    Ok((done, ops))
}

/// Runs all lanes once, from `first` on and around.
fn turn<F, E>(lanes: &mut [F], first: usize, ops: Range<usize>, laps: &mut [Lap]) -> Result<(), E>
where
    F: FnMut(Range<usize>) -> Result<(), E>,
{
    let (before, from) = lanes.split_at_mut(first);
    let (laps_before, laps_from) = laps.split_at_mut(first);
    let laps = laps_from.iter_mut().chain(laps_before);
    for (lane, lap) in from.iter_mut().chain(before).zip(laps) {
        *lap += timed(|| lane(ops.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::convert::Infallible;
    use std::hint::black_box;

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
        // Without a budget there is one turn to warm up, and the least number of rounds.
        let pace = Pace {
            budget: Duration::ZERO,
            ..QUICK
        };
        let Ok(rounds) = interleave(&mut [lane('A'), lane('B')], &pace, |_| {});

        let log = log.into_inner();
        let order: String = log.iter().map(|(name, _)| *name).collect();
        assert_eq!(order, "AB ABBA ABBA ABBA".replace(' ', ""));
        for (number, pair) in log.chunks(2).enumerate() {
            assert_eq!(pair[0].1, pair[1].1);
            assert_eq!(pair[0].1, number..number + 1);
        }
        assert_eq!((rounds.len(), rounds.total_ops()), (3, 7));
        assert_eq!(rounds.ops(0), 1..3);
        let mut laps = rounds.laps(0).iter().chain(rounds.laps(1));
        assert!(laps.all(|lap| lap.wall >= Duration::from_millis(4)));
    }

    #[test]
    fn operations_are_added_until_the_fastest_lane_takes_long_enough() {
        let counting = |each: u64| {
            move |ops: Range<usize>| {
                (0..each * ops.len() as u64).for_each(|i| _ = black_box(i));
                Ok::<(), Infallible>(())
            }
        };
        let pace = Pace {
            budget: Duration::from_secs(5),
            ..QUICK
        };
        // An operation of the fast one takes nanoseconds, one of the slow one some microseconds.
        let Ok((done, ops)) = warm_up(&mut [counting(1), counting(100)], &pace, |_| {});
        assert!(ops > 1000, "{ops}");
        assert!(done >= 2 * ops, "{done} of {ops}");

        let Ok((_, ops)) = warm_up(&mut [sleeping(pace.round)], &pace, |_| {});
        assert_eq!(ops, 1);
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
        assert_eq!((rounds.len(), rounds.ops_per_round()), (3, 2));
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
    fn the_least_interrupted_rounds_are_gone_by() {
        let rounds = |interruptions: &[(u64, u64)]| Rounds {
            first_op: 0,
            ops_per_round: 1,
            laps: [|pair: &(u64, u64)| pair.0, |pair: &(u64, u64)| pair.1]
                .iter()
                .map(|lane| {
                    let laps = interruptions.iter().map(lane);
                    laps.map(|interruptions| Lap {
                        interruptions,
                        ..Lap::default()
                    })
                    .collect()
                })
                .collect(),
        };
        assert_eq!(rounds(&[(0, 0), (0, 0), (0, 0)]).quiet(), [0, 1, 2]);
        // Whichever lane it was.
        assert_eq!(rounds(&[(0, 0), (1, 0), (0, 1), (0, 0)]).quiet(), [0, 3]);
        // A quarter at least.
        let busy = [
            (9, 0),
            (1, 1),
            (3, 1),
            (9, 9),
            (0, 2),
            (8, 8),
            (7, 7),
            (0, 0),
        ];
        assert_eq!(rounds(&busy).quiet(), [1, 4, 7]);
        assert!(rounds(&[]).quiet().is_empty());
    }

    #[test]
    fn no_lanes_are_no_rounds() {
        let mut lanes = [sleeping(Duration::ZERO)];
        let Ok(rounds) = interleave(&mut lanes[..0], &QUICK, |_| {});
        assert!(rounds.is_empty() && rounds.laps(0).is_empty());
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

//! How long single operations take while several threads work at once.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use compressor_api::Direction;
use hdrhistogram::Histogram;

use super::MeasureError;
use super::lane::{Contender, Lane};
use super::side_by_side::{Sample, cycled};

/// How long the operations of one contender took while so many threads worked at once.
///
/// Each thread has sessions of its own and works without a pause. Contenders take turns in slices of
/// 20 ms; what runs before all threads of a slice are under way is not counted. The times are by the
/// clock on the wall, with the reading of it (some 30 ns), and with whatever the system did meanwhile
/// instead of running the thread: that is what a caller waits for. More threads than CPUs wait for
/// each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Latency {
    /// How many threads worked at once.
    pub threads: NonZeroUsize,
    /// How many operations were timed. The p99.9 of fewer than 1,000 is the longest of them.
    pub ops: u64,
    /// Half of the operations took no longer.
    pub p50: Duration,
    /// 99 % of the operations took no longer.
    pub p99: Duration,
    /// 99.9 % of the operations took no longer.
    pub p999: Duration,
    /// The longest.
    pub max: Duration,
    /// Megabytes (10⁶ bytes) of uncompressed data a second, of all threads together.
    pub mb_per_s: f64,
}

/// How long one contender works before the next has its turn: many operations, long enough for a
/// scheduler to run more threads than there are CPUs, and still so short that contenders meet the
/// same state of the machine.
const SLICE: Duration = Duration::from_millis(20);

/// How long it may take until the threads of a slice run, for each of them.
const START: Duration = Duration::from_micros(200);

/// What is too long to be told apart: an operation of a minute.
const LONGEST_NS: u64 = 60_000_000_000;

/// What all contenders do.
pub(super) struct Work<'a> {
    pub samples: &'a [Sample<'a>],
    /// What the samples' units are parts of.
    pub units: &'a [u8],
    pub direction: Direction,
}

/// Measures the contenders in turn; `after_slice` gets the time spent so far.
pub(super) fn measure<'c>(
    work: &Work<'_>,
    contenders: impl Iterator<Item = &'c Contender>,
    longest: NonZeroUsize,
    threads: NonZeroUsize,
    budget: Duration,
    after_slice: &mut dyn FnMut(Duration),
) -> Result<Vec<Latency>, MeasureError> {
    let teams: Result<Vec<Team>, MeasureError> = contenders
        .map(|contender| Team::new(contender, work.samples.len(), longest, threads))
        .collect();
    let mut teams = teams?;
    let start = Instant::now();
    let mut first = 0;
    loop {
        // Everybody is first as often as the others.
        let (before, from) = teams.split_at_mut(first);
        for team in from.iter_mut().chain(before) {
            team.slice(work)?;
            after_slice(start.elapsed());
        }
        if start.elapsed() >= budget {
            break;
        }
        first = (first + 1) % teams.len().max(1);
    }
    Ok(teams.into_iter().map(Team::summary).collect())
}

/// The threads that work for one contender.
struct Team {
    workers: Vec<Worker>,
    /// From when the first of them began to when the last one ended, over all slices.
    worked: Duration,
}

impl Team {
    fn new(
        contender: &Contender,
        samples: usize,
        longest: NonZeroUsize,
        threads: NonZeroUsize,
    ) -> Result<Self, MeasureError> {
        // Each at another place of the data.
        let starts = (0..threads.get()).map(|thread| thread * samples / threads);
        let workers = starts.map(|next| {
            Ok(Worker {
                lane: Lane::new(contender.clone(), longest)?,
                next,
                times: histogram()?,
                bytes: 0,
            })
        });
        Ok(Self {
            workers: workers.collect::<Result<_, MeasureError>>()?,
            worked: Duration::ZERO,
        })
    }

    /// Lets all of them work for a slice.
    fn slice(&mut self, work: &Work<'_>) -> Result<(), MeasureError> {
        let threads = self.workers.len();
        let lead = START * u32::try_from(threads).unwrap_or(u32::MAX);
        let start = Instant::now() + lead;
        let end = start + SLICE;
        let spans = std::thread::scope(|scope| {
            let workers = self.workers.iter_mut().map(|worker| {
                let work = move || worker.work(work, start, end);
                std::thread::Builder::new().spawn_scoped(scope, work)
            });
            // Those that did start come to an end by themselves.
            let workers: Result<Vec<_>, _> = workers.collect();
            let workers = workers.map_err(|error| MeasureError::NoThread {
                threads,
                kind: error.kind(),
            })?;
            let spans = workers.into_iter().map(|worker| {
                let outcome = worker.join();
                outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            });
            spans.collect::<Result<Vec<Span>, _>>()
        })?;
        let first = spans.iter().map(|span| span.first).min();
        let last = spans.iter().map(|span| span.last).max();
        if let (Some(first), Some(last)) = (first, last) {
            self.worked += last - first;
        }
        Ok(())
    }

    fn summary(self) -> Latency {
        let threads = NonZeroUsize::new(self.workers.len()).unwrap_or(NonZeroUsize::MIN);
        let bytes: u64 = self.workers.iter().map(|worker| worker.bytes).sum();
        let seconds = self.worked.max(Duration::from_nanos(1)).as_secs_f64();
        let times = self.workers.into_iter().map(|worker| worker.times);
        // All have the same bounds, so that adding one to another does not fail.
        let times = times.reduce(|mut all, times| match all.add(&times) {
            Ok(()) | Err(_) => all,
        });
        let nanoseconds = |value: fn(&Histogram<u64>) -> u64| {
            Duration::from_nanos(times.as_ref().map_or(0, value))
        };
        Latency {
            threads,
            ops: times.as_ref().map_or(0, Histogram::len),
            p50: nanoseconds(|times| times.value_at_quantile(0.5)),
            p99: nanoseconds(|times| times.value_at_quantile(0.99)),
            p999: nanoseconds(|times| times.value_at_quantile(0.999)),
            max: nanoseconds(Histogram::max),
            mb_per_s: bytes as f64 / 1e6 / seconds,
        }
    }
}

/// One thread's part.
struct Worker {
    lane: Lane,
    /// The number of its next operation.
    next: usize,
    /// In nanoseconds.
    times: Histogram<u64>,
    /// Length of the blocks that `times` is of.
    bytes: u64,
}

/// From the beginning of a worker's first operation that counts to the end of its last one.
struct Span {
    first: Instant,
    last: Instant,
}

impl Worker {
    /// Works without a pause until `end`, and times what begins after `start`: one operation at
    /// least.
    fn work(
        &mut self,
        work: &Work<'_>,
        start: Instant,
        end: Instant,
    ) -> Result<Span, MeasureError> {
        let mut span: Option<Span> = None;
        for Sample { block, unit } in cycled(work.samples, self.next..usize::MAX) {
            let began = Instant::now();
            match work.direction {
                Direction::Compress => _ = self.lane.compress(*block)?,
                Direction::Decompress => {
                    let unit = work.units.get(unit.clone()).unwrap_or_default();
                    self.lane.decompress(unit, *block)?;
                }
            }
            let last = Instant::now();
            self.next = self.next.wrapping_add(1);
            if began < start {
                continue;
            }
            let time = u64::try_from((last - began).as_nanos()).unwrap_or(u64::MAX);
            self.times.saturating_record(time.max(1));
            self.bytes += block.bytes.len() as u64;
            let first = span.map_or(began, |span| span.first);
            if last >= end {
                return Ok(Span { first, last });
            }
            span = Some(Span { first, last });
        }
        // There is a sample, or nothing is measured.
        Err(MeasureError::Empty)
    }
}

/// Empty, exact to 0.1 %.
fn histogram() -> Result<Histogram<u64>, MeasureError> {
    // The bounds are fixed and legal.
    Histogram::new_with_bounds(1, LONGEST_NS, 3).map_err(|_| MeasureError::NoMemory { len: 0 })
}

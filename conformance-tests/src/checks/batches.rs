//! Many operations in one call.

use compressor_api::{Direction, ErrorKind, Job};

use crate::buffer::Guarded;
use crate::call::{Called, POISON};
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::data::Kind;
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::work::{Session, Work};

pub(super) static CHECKS: &[Check] = &[Check {
    name: "batch-equals-singles",
    group: Group::Sessions,
    proves: "A batch leaves in each job what a single call would; one failure touches no other.",
    proof: Proof::Operation {
        directions: &Direction::BOTH,
        cases: |target| target.by_each_writer_or_once(&target.cases(Kind::Text, &[100, 4_097])),
        run: batch,
    },
}];

/// Jobs of a batch: as many as devices have places in a ring or a unit of work, and more.
/// The longest twice, so that each of its places is seen to serve.
const QUICK: [usize; 3] = [32, 64, 64];
const FULL: [usize; 6] = [1, 13, 32, 64, 256, 256];

fn batch(target: &Target, case: &Case) -> Result<(), Stop> {
    let counts: &[usize] = if target.options.quick { &QUICK } else { &FULL };
    let most = counts.iter().copied().max().unwrap_or(0);
    let mut alone = Session::open(target, case)?;
    let mut sources = Vec::new();
    for turn in 0..most {
        let Source { case, src, room } = Source::new(target, case, turn)?;
        let single = alone.call(target, &src, room)?;
        if single.kind() == Some(ErrorKind::Poisoned) {
            alone = Session::open(target, &case)?;
        }
        sources.push((Source { case, src, room }, single));
    }
    let mut session = Session::open(target, case)?;
    session.call_many(&mut [])?;
    for (turn, count) in counts.iter().enumerate() {
        // What fails in one batch is elsewhere in the next.
        let jobs: Vec<_> = sources.iter().cycle().skip(turn).take(*count).collect();
        let results = equals_singles(target, &mut session, &jobs);
        results.map_err(|stop| Stop::prefixed(&format!("of {count} jobs, "), stop))?;
    }
    Ok(())
}

fn equals_singles(
    target: &Target,
    session: &mut Session,
    sources: &[&(Source, Called)],
) -> Result<(), Stop> {
    let before: Vec<u32> = { sources.iter() }
        .map(|(source, _)| crc32fast::hash(&source.src))
        .collect();
    let mut rooms: Vec<Guarded> = { sources.iter() }
        .map(|(source, _)| Guarded::new(source.room, POISON))
        .collect::<Result<_, _>>()?;
    let mut jobs: Vec<Job<'_>> = { sources.iter().zip(&mut rooms) }
        .map(|((source, _), room)| Job::new(&source.src, room.dst()))
        .collect();
    run(target, session, &mut jobs)?;
    for (at, (job, (source, single))) in jobs.iter().zip(sources).enumerate() {
        let written = match job.result {
            Err(error) => Err(error.kind()),
            Ok(n) => Ok(job.dst.get(..n).ok_or_else(|| {
                let room = source.room;
                Stop::fault(format!("job {at} says that it wrote {n} bytes of {room}"))
            })?),
        };
        match (target.direction, written) {
            // Two units of one content need not be the same bytes.
            (Direction::Compress, Ok(unit)) if single.result.is_ok() => {
                target
                    .check_unit(&source.case, &source.src, unit)
                    .map_err(|stop| Stop::prefixed(&format!("job {at}: "), stop))?;
            }
            _ => ensure(written == single.comparable(), || {
                let job = written
                    .map_or_else(|kind| kind.to_string(), |dst| format!("Ok({})", dst.len()));
                format!(
                    "job {at} of a batch says {job}, a single call {}, or other bytes",
                    single.outcome()
                )
            })?,
        }
    }
    drop(jobs);
    for (at, ((source, _), (room, before))) in
        sources.iter().zip(rooms.iter().zip(before)).enumerate()
    {
        let of_job = |stop| Stop::prefixed(&format!("job {at} "), stop);
        room.check().map_err(of_job)?;
        let unchanged = crc32fast::hash(&source.src) == before;
        ensure(unchanged, || "changed its source").map_err(of_job)?;
    }
    Ok(())
}

/// Runs the jobs, and again those that are `Busy`, for as long as anybody would wait.
fn run(target: &Target, session: &mut Session, jobs: &mut [Job<'_>]) -> Result<(), Stop> {
    session.call_many(jobs)?;
    target
        .while_busy(|| {
            let is_busy = |job: &&mut Job<'_>| {
                job.result
                    .is_err_and(|error| error.kind() == ErrorKind::Busy)
            };
            let mut busy: Vec<Job<'_>> = { jobs.iter_mut() }
                .filter(is_busy)
                .map(|job| Job::new(job.src, job.dst))
                .collect();
            if busy.is_empty() {
                return Ok(Ok(()));
            }
            if let Err(stop) = session.call_many(&mut busy) {
                return Ok(Err(stop));
            }
            let results: Vec<_> = busy.into_iter().map(|job| job.result).collect();
            jobs.iter_mut()
                .filter(is_busy)
                .zip(&results)
                .for_each(|(job, result)| job.result = *result);
            let error = { results.into_iter() }
                .filter_map(Result::err)
                .find(|error| error.kind() == ErrorKind::Busy);
            error.map_or(Ok(Ok(())), Err)
        })?
        .unwrap_or(Ok(()))
}

/// What a job is given, of which some must fail.
struct Source {
    case: Case,
    src: Vec<u8>,
    room: usize,
}

impl Source {
    /// Content of another length and seed for each turn.
    fn new(target: &Target, case: &Case, turn: usize) -> Result<Self, Stop> {
        let size = match turn % 4 {
            0 => case.size,
            1 => case.size / 2 + turn,
            2 => case.size + 7 * turn,
            _ => case.size / 3 + 1,
        };
        let case = Case {
            size: target.within(size),
            ..case.varied(case.kind, case.seed.wrapping_add(turn as u64))
        };
        let work = Work::new(target, &case)?;
        let (src, room) = (work.src(target.direction), work.room());
        let (src, room) = match turn % 7 {
            2 => (src, room / 8),
            6 if target.direction == Direction::Decompress => {
                (src.get(..src.len() / 2).unwrap_or_default(), room)
            }
            _ => (src, room),
        };
        let src = src.to_vec();
        Ok(Self { case, src, room })
    }
}

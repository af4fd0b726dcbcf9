//! Many operations in one call.

use compressor_api::{Direction, ErrorKind, Job};

use crate::call::POISON;
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

fn batch(target: &Target, case: &Case) -> Result<(), Stop> {
    let sources = sources(target, case)?;
    let mut singles = Vec::new();
    for (src, room) in &sources {
        singles.push(Session::open(target, case)?.call(target, src, *room)?);
    }

    let mut rooms: Vec<Vec<u8>> = sources
        .iter()
        .map(|(_, room)| vec![POISON; *room])
        .collect();
    let mut jobs: Vec<Job<'_>> = sources
        .iter()
        .zip(&mut rooms)
        .map(|((src, _), dst)| Job::new(src, dst))
        .collect();
    let mut session = Session::open(target, case)?;
    session.call_many(&mut []);
    session.call_many(&mut jobs);
    for (at, ((job, single), (src, room))) in jobs.iter().zip(&singles).zip(&sources).enumerate() {
        let written = match job.result {
            Err(error) => Err(error.kind()),
            Ok(n) => Ok(job.dst.get(..n).ok_or_else(|| {
                Stop::fault(format!("job {at} says that it wrote {n} bytes of {room}"))
            })?),
        };
        match (target.direction, written) {
            (_, Err(ErrorKind::Busy)) => {}
            // Two units of one content need not be the same bytes.
            (Direction::Compress, Ok(unit)) if single.result.is_ok() => {
                target
                    .check_unit(case, src, unit)
                    .map_err(|stop| stop.at(at))?;
            }
            _ => ensure(written == single.comparable(), || {
                let job = written
                    .map_or_else(|kind| kind.to_string(), |dst| format!("Ok({})", dst.len()));
                format!(
                    "job {at} of a batch says {job}, a single call {}",
                    single.outcome()
                )
            })?,
        }
    }
    Ok(())
}

/// Sources and rooms, of which some must fail.
fn sources(target: &Target, case: &Case) -> Result<Vec<(Vec<u8>, usize)>, Stop> {
    let mut sources = Vec::new();
    for turn in 0..5 {
        let case = Case {
            seed: case.seed + turn,
            ..case.clone()
        };
        let work = Work::new(target, &case)?;
        let (src, room) = (work.src(target.direction), work.room());
        sources.push((src.to_vec(), room));
        sources.push((src.to_vec(), room / 8));
        if target.direction == Direction::Decompress {
            let cut = src.get(..src.len() / 2).unwrap_or_default();
            sources.push((cut.to_vec(), room));
        }
    }
    Ok(sources)
}

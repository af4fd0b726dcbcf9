//! Who may touch which bytes.
//!
//! Safe Rust cannot write past `dst`, change `src` or read past it. The C libraries and devices
//! behind a provider can, and so can a plugin.

use std::thread;
use std::time::Duration;

use compressor_api::{Direction, Error, Format};

use crate::call::{Called, POISON};
use crate::case::Case;
use crate::check::{Check, Group, Proof};
use crate::damage::flipped;
use crate::data::Kind;
use crate::sizes::SMALL;
use crate::stop::{Stop, ensure};
use crate::target::Target;
use crate::work::{Session, Work};

pub(super) static CHECKS: &[Check] = &[
    Check {
        name: "writes-within-dst",
        group: Group::Memory,
        proves: "Nothing is written outside dst, whatever its length.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: contents,
            run: in_every_sort_of_room,
        },
    },
    Check {
        name: "source-unchanged",
        group: Group::Memory,
        proves: "src is as it was, after success and after failure.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: contents,
            run: in_every_sort_of_room,
        },
    },
    Check {
        name: "reads-within-src",
        group: Group::Memory,
        proves: "What lies around src makes no difference.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: contents,
            run: surroundings_make_no_difference,
        },
    },
    Check {
        name: "keeps-no-pointer",
        group: Group::Memory,
        proves: "After the return nobody writes to src or dst, neither by itself nor in the next \
                 call.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: |target| target.by_each_writer_or_once(&target.cases(Kind::Text, &[100])),
            run: keeps_no_pointer,
        },
    },
    Check {
        name: "no-leftovers",
        group: Group::Memory,
        proves: "What was in dst before never comes back as content, of damaged units neither.",
        proof: Proof::Operation {
            directions: &Direction::BOTH,
            cases: to_be_damaged,
            run: no_leftovers,
        },
    },
];

fn contents(target: &Target) -> Vec<Case> {
    let mut cases = target.cases(Kind::Text, &SMALL);
    cases.extend(target.cases(Kind::Random, &[0, 16, 1_000]));
    target.by_each_writer_or_once(&cases)
}

/// What every call is watched for is seen by the call itself; here it meets every sort of room.
fn in_every_sort_of_room(target: &Target, case: &Case) -> Result<(), Stop> {
    match target.direction {
        Direction::Compress => {
            let content = case.content();
            let bound = target.bound(case, content.len())?;
            let mut session = target.compress_session(case)?;
            let n = target
                .compress(&mut *session, &content, bound)?
                .bytes()?
                .len();
            for room in [
                0,
                1,
                n / 2,
                n.saturating_sub(1),
                n,
                n + 1,
                bound,
                bound + 64,
            ] {
                target
                    .compress(&mut *session, &content, room)
                    .map_err(|stop| stop.room(room))?;
            }
        }
        Direction::Decompress => {
            let (unit, content) = target.unit(case)?;
            let len = content.len();
            let mut session = target.decompress_session(case)?;
            let damaged = [
                &unit[..],
                unit.get(..unit.len() / 2).unwrap_or_default(),
                &[0xFF; 9],
            ];
            for (unit, room) in damaged
                .into_iter()
                .flat_map(|unit| rooms(len).into_iter().map(move |room| (unit, room)))
            {
                target
                    .decompress(&mut *session, unit, room)
                    .and_then(|_| target.decompress_exact(&mut *session, unit, room))
                    .map_err(|stop| stop.unit(unit).room(room))?;
            }
        }
    }
    Ok(())
}

fn rooms(len: usize) -> [usize; 7] {
    [0, 1, len / 2, len.saturating_sub(1), len, len + 1, len + 64]
}

fn surroundings_make_no_difference(target: &Target, case: &Case) -> Result<(), Stop> {
    match target.direction {
        Direction::Compress => {
            let content = case.content();
            let bound = target.bound(case, content.len())?;
            let mut session = target.compress_session(case)?;
            for around in surroundings(&content) {
                let called = target.compress(&mut *session, around.inside(), bound)?;
                target.check_unit(case, &content, called.bytes()?)?;
            }
        }
        Direction::Decompress => {
            let (unit, content) = target.unit(case)?;
            let mut session = target.decompress_session(case)?;
            // A part of the unit, before its rest: reading on would make it whole.
            for end in [unit.len(), unit.len().saturating_sub(1), unit.len() / 2] {
                let (part, _) = unit.split_at_checked(end).unwrap_or_default();
                let mut answers: Vec<Called> = Vec::new();
                for around in surroundings(part) {
                    answers.push(target.decompress(
                        &mut *session,
                        around.inside(),
                        content.len(),
                    )?);
                }
                let whole = Surrounded::with_rest(&unit, end);
                answers.push(target.decompress(&mut *session, whole.inside(), content.len())?);
                all_alike(&answers, "what lies around src").map_err(|stop| stop.at(end))?;
            }
        }
    }
    Ok(())
}

/// What the caller writes to its buffers as soon as it has them back.
const LATER: u8 = 0x5A;

/// How long a device has to write to a buffer that it should have let go of: much longer than an
/// operation takes.
const PAUSE: Duration = Duration::from_millis(10);

fn keeps_no_pointer(target: &Target, case: &Case) -> Result<(), Stop> {
    let work = Work::new(target, case)?;
    let (src, room) = (work.src(target.direction), work.room());
    let mut session = Session::open(target, case)?;
    // After a success, and after a failure where there is one.
    for room in [room, room / 2] {
        let mut given = src.to_vec();
        let called = session.call(target, &given, room)?;
        let outcome = called.outcome();
        let mut dst = called.into_buffer();
        given.fill(LATER);
        dst.dst().fill(LATER);
        for next in [false, true] {
            match next {
                false => thread::sleep(PAUSE),
                true => session.serve(target, &work)?,
            }
            let stays = |bytes: &[u8]| bytes.iter().all(|byte| *byte == LATER);
            let when = if next { "the next call" } else { "a moment" };
            for (what, fine) in [
                ("src", stays(&given)),
                ("dst", stays(dst.dst()) && dst.check().is_ok()),
            ] {
                ensure(fine, || {
                    format!("a call ended with {outcome}, and {when} later its {what} has changed")
                })
                .map_err(|stop| stop.room(room))?;
            }
        }
    }
    Ok(())
}

/// Bytes in the middle of others.
struct Surrounded {
    bytes: Vec<u8>,
    from: usize,
    to: usize,
}

impl Surrounded {
    fn by(byte: u8, inside: &[u8]) -> Self {
        let around = [byte; 64];
        Self {
            bytes: [&around[..], inside, &around].concat(),
            from: around.len(),
            to: around.len() + inside.len(),
        }
    }

    /// The first `end` bytes, before the rest.
    fn with_rest(bytes: &[u8], end: usize) -> Self {
        Self {
            bytes: bytes.to_vec(),
            from: 0,
            to: end,
        }
    }

    fn inside(&self) -> &[u8] {
        self.bytes.get(self.from..self.to).unwrap_or_default()
    }
}

fn surroundings(inside: &[u8]) -> [Surrounded; 3] {
    // The last byte once more is what a match finder would go on with.
    let last = inside.last().copied().unwrap_or(0x55);
    [0, 0xFF, last].map(|byte| Surrounded::by(byte, inside))
}

fn all_alike(answers: &[Called], what: &str) -> Result<(), Stop> {
    let Some((first, others)) = answers.split_first() else {
        return Ok(());
    };
    let other = others
        .iter()
        .find(|other| other.comparable() != first.comparable());
    match other {
        None => Ok(()),
        Some(other) => Err(Stop::fault(format!(
            "{what} makes a difference: {} and {}",
            first.outcome(),
            other.outcome()
        ))),
    }
}

fn to_be_damaged(target: &Target) -> Vec<Case> {
    let mut cases = target.cases(Kind::Text, &[60]);
    cases.extend(target.cases(Kind::Zeros, &[100]));
    let mut cases = target.by_each_writer_or_once(&cases);
    // A match of distance 0, which some decoders leave as they find it.
    let block = b"\x10A\x00\x00\xf0\x05BBBBBBBBBBBBBBBBBBBB";
    let unit = match target.format {
        _ if target.direction == Direction::Compress => None,
        Format::Lz4Block => Some(block.to_vec()),
        Format::Lz4Sized => Some([&b"\x19\0\0\0"[..], block].concat()),
        _ => None,
    };
    cases.extend(unit.map(|unit| Case::of_unit(&unit, 25)));
    cases
}

fn no_leftovers(target: &Target, case: &Case) -> Result<(), Stop> {
    if target.direction == Direction::Compress {
        let content = case.content();
        let bound = target.bound(case, content.len())?;
        let mut session = target.compress_session(case)?;
        for poison in [POISON, 0, 0xFF] {
            let called = target.call(&content, bound, poison, |src, dst| {
                session.compress(src, dst)
            })?;
            target.check_unit(case, &content, called.bytes()?)?;
        }
        return Ok(());
    }
    let (unit, content) = target.unit(case)?;
    let room = case.room.unwrap_or(content.len());
    let mut session = target.decompress_session(case)?;
    let mut alike = |damaged: &[u8]| -> Result<(), Stop> {
        let mut decompress =
            |src: &[u8], dst: &mut [u8]| -> Result<usize, Error> { session.decompress(src, dst) };
        let mut answers = Vec::new();
        for poison in [POISON, !POISON] {
            answers.push(target.call(damaged, room, poison, &mut decompress)?);
        }
        // Full of what a good unit would give: a decoder that does nothing would look right.
        answers.push(target.call(damaged, room, POISON, |src, dst| {
            dst.iter_mut()
                .zip(&content)
                .for_each(|(to, from)| *to = *from);
            decompress(src, dst)
        })?);
        all_alike(&answers, "what was in dst").map_err(|stop| stop.unit(damaged).room(room))
    };
    alike(&unit)?;
    for bit in 0..unit.len() * 8 {
        alike(&flipped(&unit, bit))?;
    }
    for end in 0..unit.len() {
        alike(unit.get(..end).unwrap_or_default())?;
    }
    Ok(())
}

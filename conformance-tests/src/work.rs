//! The plainest thing to do with a case: compress it, or decompress its unit, and look at what
//! came of it.

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Error, ErrorKind, Job,
};

use crate::call::Called;
use crate::case::Case;
use crate::contain::contained;
use crate::judge::same;
use crate::stop::Stop;
use crate::target::Target;

/// What a session is given: made beforehand, so that nothing but the call is left to do.
#[derive(Debug)]
pub(crate) struct Work {
    case: Case,
    content: Vec<u8>,
    /// What is decompressed; empty for compressing.
    unit: Vec<u8>,
    /// Room that suffices.
    room: usize,
}

impl Work {
    pub(crate) fn new(target: &Target, case: &Case) -> Result<Self, Stop> {
        let (unit, content) = match target.direction {
            Direction::Compress => (Vec::new(), case.content()),
            Direction::Decompress => target.unit(case)?,
        };
        let room = match target.direction {
            Direction::Compress => target.bound(case, content.len())?,
            Direction::Decompress => content.len(),
        };
        Ok(Self {
            case: case.clone(),
            content,
            unit,
            room,
        })
    }

    /// What is compressed or decompressed.
    pub(crate) fn src(&self, direction: Direction) -> &[u8] {
        match direction {
            Direction::Compress => &self.content,
            Direction::Decompress => &self.unit,
        }
    }

    /// The length of `dst` that suffices.
    pub(crate) const fn room(&self) -> usize {
        self.room
    }

    /// A fault unless it came out right.
    pub(crate) fn check(&self, target: &Target, called: &Called) -> Result<(), Stop> {
        let written = called.bytes()?;
        match target.direction {
            Direction::Compress => target
                .check_unit(&self.case, &self.content, written)
                .map(|_| ()),
            Direction::Decompress => {
                same(&self.content, written).map_err(|stop| stop.unit(&self.unit))
            }
        }
    }
}

/// A session of either direction.
pub(crate) enum Session {
    Compress(Box<dyn CompressSession>),
    Decompress(Box<dyn DecompressSession>),
}

impl Session {
    pub(crate) fn open(target: &Target, case: &Case) -> Result<Self, Stop> {
        Self::of(target, &*target.compressor(case)?)
    }

    /// A session of this compressor, in the target's direction.
    pub(crate) fn of(target: &Target, compressor: &dyn Compressor) -> Result<Self, Stop> {
        Ok(match target.direction {
            Direction::Compress => Self::Compress(target.open(|| compressor.compress_session())?),
            Direction::Decompress => {
                Self::Decompress(target.open(|| compressor.decompress_session())?)
            }
        })
    }

    /// Compresses or decompresses.
    pub(crate) fn call(
        &mut self,
        target: &Target,
        src: &[u8],
        room: usize,
    ) -> Result<Called, Stop> {
        match self {
            Self::Compress(session) => target.compress(&mut **session, src, room),
            Self::Decompress(session) => target.decompress(&mut **session, src, room),
        }
    }

    /// A session of this compressor, asked for once; none if it is `Busy`.
    pub(crate) fn open_at_once(
        target: &Target,
        compressor: &dyn Compressor,
    ) -> Result<Option<Self>, Stop> {
        let made = contained(|| {
            Ok(match target.direction {
                Direction::Compress => compressor.compress_session().map(Self::Compress),
                Direction::Decompress => compressor.decompress_session().map(Self::Decompress),
            })
        })?;
        match made {
            Ok(session) => Ok(Some(session)),
            Err(error) if error.kind() == ErrorKind::Busy => Ok(None),
            Err(error) => Err(Stop::fault(format!("makes no session: {error}"))),
        }
    }

    /// One call, as it is.
    pub(crate) fn bare(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        match self {
            Self::Compress(session) => session.compress(src, dst),
            Self::Decompress(session) => session.decompress(src, dst),
        }
    }

    /// Does the work in one call, and a fault unless it came out right; `Busy` is one too.
    pub(crate) fn serve_at_once(&mut self, target: &Target, work: &Work) -> Result<(), Stop> {
        let (src, room) = (work.src(target.direction), work.room());
        let called = Target::call_once(src, room, |src, dst| self.bare(src, dst))?;
        match called.kind() {
            Some(ErrorKind::Busy) => Err(Stop::busy()),
            _ => work.check(target, &called),
        }
    }

    /// Compresses or decompresses each job.
    pub(crate) fn call_many(&mut self, jobs: &mut [Job<'_>]) -> Result<(), Stop> {
        contained(|| {
            match self {
                Self::Compress(session) => session.compress_many(jobs),
                Self::Decompress(session) => session.decompress_many(jobs),
            }
            Ok(())
        })
    }

    /// Does the work, and a fault unless it came out right.
    pub(crate) fn serve(&mut self, target: &Target, work: &Work) -> Result<(), Stop> {
        let called = self.call(target, work.src(target.direction), work.room())?;
        work.check(target, &called)
    }
}

/// Does the work of a case in a session of its own.
pub(crate) fn serves(target: &Target, case: &Case) -> Result<(), Stop> {
    let work = Work::new(target, case)?;
    Session::open(target, case)?.serve(target, &work)
}

/// The content of a case, and what came of compressing it in a session of its own.
pub(crate) fn compressed(target: &Target, case: &Case) -> Result<(Vec<u8>, Called), Stop> {
    let content = case.content();
    let bound = target.bound(case, content.len())?;
    let mut session = target.compress_session(case)?;
    let called = target.compress(&mut *session, &content, bound)?;
    Ok((content, called))
}

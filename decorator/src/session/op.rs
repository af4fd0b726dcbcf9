//! The three operations, each told apart from the others once, at compile time.

use compressor_api::{
    Blame, CompressSession, Compressor, DecompressSession, Direction, Error, Job, OutputNeed,
};

use super::software::Software;
use crate::accelerator::Accelerator;
use crate::{Reason, gate};

/// What sessions of one direction have in common.
pub(crate) trait Side: Send {
    /// A session of this side.
    fn open(compressor: &dyn Compressor) -> Result<Box<Self>, Error>;

    /// What decodes the results of a session of this side, if the session cannot do so itself.
    fn checker(software: &dyn Compressor) -> Result<Option<Box<dyn DecompressSession>>, Error>;
}

impl Side for dyn CompressSession {
    fn open(compressor: &dyn Compressor) -> Result<Box<Self>, Error> {
        compressor.compress_session()
    }

    fn checker(software: &dyn Compressor) -> Result<Option<Box<dyn DecompressSession>>, Error> {
        software.decompress_session().map(Some)
    }
}

impl Side for dyn DecompressSession {
    fn open(compressor: &dyn Compressor) -> Result<Box<Self>, Error> {
        compressor.decompress_session()
    }

    fn checker(_: &dyn Compressor) -> Result<Option<Box<dyn DecompressSession>>, Error> {
        Ok(None)
    }
}

/// What comparing a result with software's word came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verified {
    /// The same bytes.
    Same,
    /// Other bytes, or none that software could make.
    Different,
    /// Software failed for a reason of its own.
    Unknown,
}

/// One operation: how it is called, let through, and checked.
pub(crate) trait Op {
    /// The session that runs it.
    type Session: Side + ?Sized;

    /// Its direction.
    const DIRECTION: Direction;

    fn run(session: &mut Self::Session, src: &[u8], dst: &mut [u8]) -> Result<usize, Error>;

    /// Whether the accelerator takes buffers like these; if so, the decompressed length that the
    /// input declares, where there is one.
    fn gate(accelerator: &Accelerator, src: &[u8], dst_len: usize) -> Result<Option<u64>, Reason>;

    /// Whether `result` can be one of this operation, as far as that shows at a glance.
    fn plausible(
        accelerator: &Accelerator,
        declared: Option<u64>,
        src: &[u8],
        result: &[u8],
    ) -> bool;

    /// Decodes in software and compares every byte.
    fn verify(software: &mut Software<Self::Session>, src: &[u8], result: &[u8]) -> Verified;
}

/// An operation that sessions also run in batches.
pub(crate) trait BatchOp: Op {
    fn run_many(session: &mut Self::Session, jobs: &mut [Job<'_>]);
}

pub(crate) enum Compress {}

impl Op for Compress {
    type Session = dyn CompressSession;

    const DIRECTION: Direction = Direction::Compress;

    #[inline]
    fn run(session: &mut Self::Session, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        session.compress(src, dst)
    }

    #[inline]
    fn gate(accelerator: &Accelerator, src: &[u8], dst_len: usize) -> Result<Option<u64>, Reason> {
        gate::length(&accelerator.capabilities, src.len())?;
        if accelerator.capabilities.output == OutputNeed::Bound {
            let bound = accelerator.bound(src.len())?.ok_or(Reason::AboveMax)?;
            if dst_len < bound {
                return Err(Reason::OutputShort);
            }
        }
        Ok(None)
    }

    #[inline]
    fn plausible(accelerator: &Accelerator, _: Option<u64>, src: &[u8], result: &[u8]) -> bool {
        gate::plausible_unit(&accelerator.spec, src.len(), result)
    }

    fn verify(software: &mut Software<Self::Session>, src: &[u8], result: &[u8]) -> Verified {
        let Some(checker) = software.checker.as_mut() else {
            return Verified::Unknown;
        };
        let scratch = software.scratch.take(src.len());
        match checker.decompress_exact(result, scratch) {
            Ok(()) if scratch == src => Verified::Same,
            Ok(()) => Verified::Different,
            Err(error) => match error.kind().blame() {
                Blame::Provider | Blame::Capacity => Verified::Unknown,
                _ => Verified::Different,
            },
        }
    }
}

impl BatchOp for Compress {
    fn run_many(session: &mut Self::Session, jobs: &mut [Job<'_>]) {
        session.compress_many(jobs);
    }
}

pub(crate) enum Decompress {}

impl Op for Decompress {
    type Session = dyn DecompressSession;

    const DIRECTION: Direction = Direction::Decompress;

    #[inline]
    fn run(session: &mut Self::Session, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        session.decompress(src, dst)
    }

    #[inline]
    fn gate(accelerator: &Accelerator, src: &[u8], dst_len: usize) -> Result<Option<u64>, Reason> {
        gate::unit(&accelerator.capabilities, &accelerator.spec, src, dst_len)
    }

    #[inline]
    fn plausible(_: &Accelerator, declared: Option<u64>, _: &[u8], result: &[u8]) -> bool {
        declared.is_none_or(|declared| declared == result.len() as u64)
    }

    fn verify(software: &mut Software<Self::Session>, src: &[u8], result: &[u8]) -> Verified {
        let scratch = software.scratch.take(result.len());
        // Whether a different answer is the accelerator's fault or the data's shows when software
        // answers for good.
        if software.session.decompress(src, scratch) == Ok(result.len()) && scratch == result {
            Verified::Same
        } else {
            Verified::Different
        }
    }
}

impl BatchOp for Decompress {
    fn run_many(session: &mut Self::Session, jobs: &mut [Job<'_>]) {
        session.decompress_many(jobs);
    }
}

/// As [`Decompress`], but through the call that knows the length: some libraries are faster so.
pub(crate) enum DecompressExact {}

impl Op for DecompressExact {
    type Session = dyn DecompressSession;

    const DIRECTION: Direction = Direction::Decompress;

    #[inline]
    fn run(session: &mut Self::Session, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let len = dst.len();
        session.decompress_exact(src, dst).map(|()| len)
    }

    #[inline]
    fn gate(accelerator: &Accelerator, src: &[u8], dst_len: usize) -> Result<Option<u64>, Reason> {
        Decompress::gate(accelerator, src, dst_len)
    }

    #[inline]
    fn plausible(
        accelerator: &Accelerator,
        declared: Option<u64>,
        src: &[u8],
        result: &[u8],
    ) -> bool {
        Decompress::plausible(accelerator, declared, src, result)
    }

    fn verify(software: &mut Software<Self::Session>, src: &[u8], result: &[u8]) -> Verified {
        Decompress::verify(software, src, result)
    }
}

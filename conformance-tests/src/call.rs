//! One call into a provider, with everything checked that holds for every call.

use std::thread;
use std::time::{Duration, Instant};

use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind};

use crate::buffer::Guarded;
use crate::contain::contained;
use crate::stop::{Stop, ensure};
use crate::target::Target;

/// What fills `dst` before a call.
pub(crate) const POISON: u8 = 0xA5;

/// A call that came back and broke nothing on its way.
#[derive(Debug)]
pub(crate) struct Called {
    /// What it returned; an `Ok` length is within `dst`.
    pub result: Result<usize, Error>,
    buffer: Guarded,
}

impl Called {
    /// What it wrote; a fault if it failed.
    pub(crate) fn bytes(&self) -> Result<&[u8], Stop> {
        match self.result {
            Ok(n) => Ok(self.buffer.start(n).unwrap_or_default()),
            Err(error) => Err(Stop::fault(format!("failed: {error}"))),
        }
    }

    /// Its `dst`, with what it left around.
    pub(crate) fn into_buffer(self) -> Guarded {
        self.buffer
    }

    /// The kind of its error.
    pub(crate) fn kind(&self) -> Option<ErrorKind> {
        self.result.err().map(Error::kind)
    }

    /// A fault unless it failed with this kind.
    pub(crate) fn must_fail(&self, kind: ErrorKind) -> Result<(), Stop> {
        ensure(self.kind() == Some(kind), || {
            format!("{} is due, and it says {}", kind, self.outcome())
        })
    }

    /// What came of it, for a message.
    pub(crate) fn outcome(&self) -> String {
        match self.result {
            Ok(n) => format!("Ok({n})"),
            Err(error) => error.kind().to_string(),
        }
    }

    /// The kind of the error, or what was written: what two calls are compared by.
    pub(crate) fn comparable(&self) -> Result<&[u8], ErrorKind> {
        self.result
            .map(|n| self.buffer.start(n).unwrap_or_default())
            .map_err(Error::kind)
    }
}

impl Target {
    /// Compresses into a `dst` of `room` bytes.
    pub(crate) fn compress(
        &self,
        session: &mut dyn CompressSession,
        src: &[u8],
        room: usize,
    ) -> Result<Called, Stop> {
        self.call(src, room, POISON, |src, dst| session.compress(src, dst))
    }

    /// Decompresses into a `dst` of `room` bytes.
    pub(crate) fn decompress(
        &self,
        session: &mut dyn DecompressSession,
        unit: &[u8],
        room: usize,
    ) -> Result<Called, Stop> {
        self.call(unit, room, POISON, |src, dst| session.decompress(src, dst))
    }

    /// Decompresses content that must fill `room` bytes.
    pub(crate) fn decompress_exact(
        &self,
        session: &mut dyn DecompressSession,
        unit: &[u8],
        room: usize,
    ) -> Result<Called, Stop> {
        self.call(unit, room, POISON, |src, dst| {
            let len = dst.len();
            session.decompress_exact(src, dst).map(|()| len)
        })
    }

    /// Any of these, into a `dst` full of `poison`.
    pub(crate) fn call(
        &self,
        src: &[u8],
        room: usize,
        poison: u8,
        mut operation: impl FnMut(&[u8], &mut [u8]) -> Result<usize, Error>,
    ) -> Result<Called, Stop> {
        Self::watched(src, room, poison, |dst| {
            self.while_busy(|| operation(src, dst))
        })
    }

    /// The same once, where `Busy` is an answer like any other.
    pub(crate) fn call_once(
        src: &[u8],
        room: usize,
        operation: impl FnOnce(&[u8], &mut [u8]) -> Result<usize, Error>,
    ) -> Result<Called, Stop> {
        Self::watched(src, room, POISON, |dst| {
            contained(|| Ok(operation(src, dst)))
        })
    }

    fn watched(
        src: &[u8],
        room: usize,
        poison: u8,
        operation: impl FnOnce(&mut [u8]) -> Result<Result<usize, Error>, Stop>,
    ) -> Result<Called, Stop> {
        let mut buffer = Guarded::new(room, poison)?;
        let before = crc32fast::hash(src);
        let result = operation(buffer.dst())?;
        ensure(crc32fast::hash(src) == before, || "changed its source")?;
        buffer.check()?;
        if let Ok(n) = result {
            ensure(n <= room, || {
                format!("says that it wrote {n} bytes to a dst of {room}")
            })?;
        }
        Ok(Called { result, buffer })
    }

    /// Calls again while the provider is busy, for as long as anybody would wait.
    pub(crate) fn while_busy<T>(
        &self,
        mut operation: impl FnMut() -> Result<T, Error>,
    ) -> Result<Result<T, Error>, Stop> {
        let patience = match self.subject.is_out_of_patience() {
            true => Duration::ZERO,
            false => self.options.patience,
        };
        let started = Instant::now();
        loop {
            // A panic ends here: unwinding on would drop sessions, which may panic as well.
            match contained(|| Ok(operation()))? {
                Err(error) if error.kind() == ErrorKind::Busy => {
                    if started.elapsed() >= patience {
                        self.subject.lose_patience();
                        let waited = self.options.patience;
                        return Err(Stop::fault(format!("has been Busy for {waited:?}")));
                    }
                    thread::sleep(Duration::from_millis(1));
                }
                other => return Ok(other),
            }
        }
    }
}

//! A session of QATzip with buffers of our own, made anew whenever it is in doubt.

use std::time::Duration;

use compressor_api::{Direction, Error, ErrorKind};

use crate::ID;
use crate::codes::{After, Says, meaning};
use crate::device::Device;
use crate::ffi::{Outcome, QzSession, Setup, Spare};
use crate::parked::Buffers;
use crate::stopwatch::Stopwatch;

/// One direction of one format. The bytes go through buffers of its own, in and out: a request that
/// timed out can never read from or write to a caller's.
pub(crate) struct Worker {
    device: &'static Device,
    setup: Setup,
    deadline: Duration,
    room: Room,
    buffers: Buffers,
    /// `None` after anything but success, until the next operation.
    session: Option<QzSession>,
    /// The last unit was not read, and if it is intact, the device may still be at it.
    in_doubt: bool,
    spare: Option<Spare>,
}

/// How long the buffers are, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) input: usize,
    pub(crate) output: usize,
}

/// Why an operation came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// This is the answer.
    Error(Error),
    /// QATzip did not read the unit to its end. This is the answer, unless the unit itself shows
    /// that it is to blame, or the room for its content; if not, [`Worker::unread_though_intact`] is
    /// to be called.
    Unread(Error),
}

impl Failure {
    /// The answer, where there is nothing more to find out.
    pub(crate) const fn error(self) -> Error {
        match self {
            Self::Error(error) | Self::Unread(error) => error,
        }
    }
}

impl Worker {
    /// A worker with its session.
    ///
    /// # Errors
    ///
    /// What [`Device::check`] says, [`OutOfMemory`](ErrorKind::OutOfMemory), or what QATzip's code
    /// means.
    pub(crate) fn new(
        device: &'static Device,
        setup: Setup,
        deadline: Duration,
        room: Room,
    ) -> Result<Self, Error> {
        let mut this = Self {
            device,
            setup,
            deadline,
            room,
            buffers: Buffers::default(),
            session: None,
            in_doubt: false,
            spare: None,
        };
        this.ready()?;
        Ok(this)
    }

    const fn direction(&self) -> Direction {
        if self.setup.decompress {
            Direction::Decompress
        } else {
            Direction::Compress
        }
    }

    /// Puts `parts` together as the input, and has QATzip work on it. Returns the output's length.
    ///
    /// It is exactly `expected` long, if that is said.
    pub(crate) fn run(
        &mut self,
        parts: &[&[u8]],
        expected: Option<usize>,
    ) -> Result<usize, Failure> {
        self.in_doubt = false;
        self.ready().map_err(Failure::Error)?;
        let len = self.fill(parts).map_err(Failure::Error)?;
        let device_error = Failure::Error(Error::new(ErrorKind::Device, ID));

        let session = self.session.as_mut().ok_or(device_error)?;
        let input = self.buffers.input.get(..len).ok_or(device_error)?;
        let began = Stopwatch::start(self.deadline);
        let outcome = if self.setup.decompress {
            session.decompress(input, &mut self.buffers.output)
        } else {
            session.compress(input, &mut self.buffers.output)
        };
        let took = began.elapsed();

        let result = self.judge(outcome, len, expected);
        if result.is_ok() && took > self.deadline {
            // It came back, so nothing is under way; but a device as slow as that is not to be
            // waited for again and again.
            return Err(Failure::Error(Error::new(ErrorKind::Timeout, ID)));
        }
        result
    }

    /// The output of the last operation.
    pub(crate) fn output(&self, len: usize) -> Result<&[u8], Error> {
        let output = self.buffers.output.get(..len);
        output.ok_or(Error::new(ErrorKind::Device, ID))
    }

    /// Tears the session down, after a result that was wrong in itself.
    pub(crate) fn discard(&mut self) {
        self.settle(After::TearDown);
    }

    /// After [`Failure::Unread`]: nothing is wrong with the unit, so it was the device that failed,
    /// or QATzip that gave it up, and then the device may still be at it.
    pub(crate) fn unread_though_intact(&mut self) {
        if std::mem::take(&mut self.in_doubt) {
            self.settle(After::Park);
        }
    }

    fn fill(&mut self, parts: &[&[u8]]) -> Result<usize, Error> {
        let too_long = Error::new(ErrorKind::Unsupported, ID);
        let mut len = 0;
        for part in parts {
            let end = len + part.len();
            let place = self.buffers.input.get_mut(len..end).ok_or(too_long)?;
            place.copy_from_slice(part);
            len = end;
        }
        Ok(len)
    }

    /// The rule: a session goes on only after OK, the stream at its end, all of the input taken and
    /// as much made as can be. QATzip answers OK to truncated input and to too little room, and
    /// what such a session does next is wrong.
    fn judge(
        &mut self,
        outcome: Outcome,
        len: usize,
        expected: Option<usize>,
    ) -> Result<usize, Failure> {
        let direction = self.direction();
        let meaning = meaning(outcome.code);
        let unread = direction == Direction::Decompress;
        let device = Failure::Error(Error::with_native(ErrorKind::Device, ID, outcome.code));
        let (result, after) = match meaning.says(direction) {
            Says::Done => {
                let complete = outcome.ended && outcome.consumed == len;
                let sound =
                    outcome.produced <= self.buffers.output.len() && outcome.consumed <= len;
                let something = outcome.produced != 0 || unread;
                let as_expected = expected.is_none_or(|expected| expected == outcome.produced);
                if !outcome.on_device {
                    // The bytes may be right, and the work was not offloaded: nobody who asked for
                    // a device is served by that.
                    let error = Error::silent_software(ID);
                    (Err(Failure::Error(error)), After::TearDown)
                } else if !sound {
                    (Err(device), After::Park)
                } else if complete && something && as_expected {
                    (Ok(outcome.produced), After::Keep)
                } else if unread {
                    let error = Error::with_native(ErrorKind::CorruptInput, ID, outcome.code);
                    (Err(Failure::Unread(error)), After::TearDown)
                } else {
                    (Err(device), After::TearDown)
                }
            }
            Says::Unread(_) => {
                self.in_doubt = meaning.after == After::Park;
                let error = meaning.error(direction);
                (Err(Failure::Unread(error)), After::TearDown)
            }
            _ => (Err(Failure::Error(meaning.error(direction))), meaning.after),
        };
        self.settle(after);
        result
    }

    fn settle(&mut self, after: After) {
        match after {
            After::Keep => {}
            After::TearDown => self.tear_down(),
            After::Park => {
                self.tear_down();
                self.device.park(std::mem::take(&mut self.buffers));
            }
        }
    }

    fn tear_down(&mut self) {
        self.spare = self.session.take().and_then(QzSession::tear_down);
    }

    /// Sees to it that there are a session of this process and buffers.
    fn ready(&mut self) -> Result<(), Error> {
        if let Some(session) = &self.session {
            return match session.process().is_this() {
                true => Ok(()),
                false => Err(Error::forked(ID)),
            };
        }
        self.device.check()?;
        let library = self.device.library;
        let session =
            QzSession::new(library, self.setup, self.spare.take()).map_err(|not_made| {
                if not_made.by_init {
                    self.device.refused(not_made.code);
                }
                meaning(not_made.code).error(self.direction())
            })?;
        let output = self.room.output.max(session.room());
        grow(&mut self.buffers.input, self.room.input)?;
        grow(&mut self.buffers.output, output)?;
        self.session = Some(session);
        Ok(())
    }
}

fn grow(buffer: &mut Vec<u8>, len: usize) -> Result<(), Error> {
    if let Some(more) = len.checked_sub(buffer.len()) {
        let grown = buffer.try_reserve_exact(more);
        grown.map_err(|_| Error::new(ErrorKind::OutOfMemory, ID))?;
        buffer.resize(len, 0);
    }
    Ok(())
}

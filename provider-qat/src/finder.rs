//! Sequences by Intel's producer, in a buffer of our own, with a state that is made anew whenever it is
//! in doubt.

use std::time::Duration;

use compressor_api::{Error, ErrorKind};

use crate::ID;
use crate::device::Device;
use crate::ffi::{Producer, ProducerState, ZSTD_Sequence, sequence_bound};
use crate::plan::Plan;
use crate::sequences;
use crate::stopwatch::Stopwatch;

/// Finds the sequences of one block after the other.
///
/// On systems with shared virtual memory the producer gives the device what it is called with, and
/// its own state to write to. Where it gives a request up it says no more than that it failed, or
/// takes what an earlier one left for the result. So after anything but sequences that are right, the
/// source's copy and the state are kept from everybody for a while.
pub(crate) struct Finder {
    device: &'static Device,
    level: u32,
    deadline: Duration,
    longest: usize,
    /// What the device reads.
    input: Vec<u8>,
    /// `None` after a failure, until the next block.
    state: Option<ProducerState>,
}

const fn error(kind: ErrorKind) -> Error {
    Error::new(kind, ID)
}

impl Finder {
    /// A finder with its state.
    ///
    /// # Errors
    ///
    /// What [`Device::check`] says; [`Unsupported`](ErrorKind::Unsupported) without the producer,
    /// [`Device`](ErrorKind::Device) if it makes no state, [`OutOfMemory`](ErrorKind::OutOfMemory).
    pub(crate) fn new(device: &'static Device, plan: &Plan) -> Result<Self, Error> {
        let mut this = Self {
            device,
            level: plan.level,
            deadline: plan.deadline,
            longest: plan.longest,
            input: Vec::new(),
            state: None,
        };
        this.ready()?;
        Ok(this)
    }

    /// Leaves the sequences of `src` in `sequences`, within the room that is reserved there; the last
    /// is the delimiter. They are right down to the bytes.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`Forked`](Error::forked), [`Device`](ErrorKind::Device) or
    /// [`Timeout`](ErrorKind::Timeout). The producer does not tell that no instance was free from
    /// other failures.
    pub(crate) fn find(
        &mut self,
        src: &[u8],
        sequences: &mut Vec<ZSTD_Sequence>,
    ) -> Result<(), Error> {
        const NONE: ZSTD_Sequence = ZSTD_Sequence {
            offset: 0,
            litLength: 0,
            matchLength: 0,
            rep: 0,
        };
        self.ready()?;
        let (state, input) = (self.state.as_mut(), self.input.get_mut(..src.len()));
        let (Some(state), Some(input)) = (state, input) else {
            return Err(error(ErrorKind::Unsupported));
        };
        input.copy_from_slice(src);
        // It relies on so much room, without a look at what there is (`qatseqprod.c`).
        sequences.resize(sequence_bound(src.len()), NONE);
        let began = Stopwatch::start(self.deadline);
        let produced = state.produce(input, sequences, self.level, sequences::WINDOW);
        let took = began.elapsed();
        sequences.truncate(produced.unwrap_or(0));
        if sequences::check(sequences, src).is_err() {
            self.give_up();
            return Err(error(ErrorKind::Device));
        }
        if took > self.deadline {
            // It came back, so nothing is under way.
            return Err(error(ErrorKind::Timeout));
        }
        Ok(())
    }

    fn give_up(&mut self) {
        let state = self.state.take();
        self.device.park((std::mem::take(&mut self.input), state));
    }

    /// Sees to it that there are a state of this process and a buffer.
    fn ready(&mut self) -> Result<(), Error> {
        if let Some(state) = &self.state {
            return match state.process().is_this() {
                true => Ok(()),
                false => Err(Error::forked(ID)),
            };
        }
        self.device.check()?;
        let producer = Producer::of_process().ok_or(error(ErrorKind::Unsupported))?;
        if let Some(more) = self.longest.checked_sub(self.input.len()) {
            let grown = self.input.try_reserve_exact(more);
            grown.map_err(|_| error(ErrorKind::OutOfMemory))?;
            self.input.resize(self.longest, 0);
        }
        let state = producer.state().ok_or(error(ErrorKind::Device))?;
        self.state = Some(state);
        Ok(())
    }
}

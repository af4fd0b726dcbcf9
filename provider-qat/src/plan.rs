use std::time::Duration;

use compressor_api::{Capabilities, Direction, Error, Format, Spec};

use crate::device::Device;
use crate::ffi::{Setup, Software, Stream};
use crate::lz4_frame;
use crate::settings::Settings;
use crate::ways::{self, Way, device_bound};
use crate::worker::{Room, Worker};

/// What a session does: one direction of one spec, by one way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) format: Format,
    pub(crate) way: Way,
    direction: Direction,
    /// On QATzip's scale.
    pub(crate) level: u32,
    /// Whether a Zstandard frame has one.
    pub(crate) checksum: bool,
    shortest: usize,
    longest_input: usize,
    /// The longest content, in bytes.
    pub(crate) longest: usize,
    /// The largest that a frame may ask for, in bytes.
    pub(crate) window: u64,
    hw_buffer: usize,
    busy_polling: bool,
    pub(crate) deadline: Duration,
    software: Software,
}

impl Plan {
    pub(crate) fn new(spec: &Spec, listed: &Capabilities, way: Way, settings: &Settings) -> Self {
        Self {
            format: spec.format(),
            way,
            direction: listed.direction,
            level: match listed.direction {
                Direction::Compress => ways::level(spec.level()),
                // It has no meaning there, and a spec's may be beyond what QATzip takes.
                Direction::Decompress => 1,
            },
            checksum: spec.checksum(),
            shortest: listed.min_input,
            longest_input: listed.max_input,
            longest: match listed.direction {
                Direction::Compress => listed.max_input,
                Direction::Decompress => listed.max_output,
            },
            window: listed.window,
            hw_buffer: settings.hw_buffer,
            busy_polling: settings.busy_polling,
            deadline: settings.deadline,
            software: settings.software,
        }
    }

    /// Whether input of this length is within what is listed.
    pub(crate) const fn takes(&self, len: usize) -> bool {
        self.shortest <= len && len <= self.longest_input
    }

    /// A worker for it.
    ///
    /// # Errors
    ///
    /// As [`Worker::new`].
    pub(crate) fn worker(&self, device: &'static Device, stream: Stream) -> Result<Worker, Error> {
        let decompress = self.direction == Direction::Decompress;
        let setup = Setup {
            stream,
            decompress,
            level: self.level,
            hw_buffer: self.hw_buffer as u32,
            busy_polling: self.busy_polling,
            software: self.software,
        };
        let room = match self.direction {
            Direction::Compress => Room {
                input: self.longest_input,
                output: device_bound(self.longest_input),
            },
            Direction::Decompress => Room {
                input: self.longest_input + lz4_frame::HEAD + lz4_frame::TAIL.len(),
                output: self.longest,
            },
        };
        Worker::new(device, setup, self.deadline, room)
    }
}

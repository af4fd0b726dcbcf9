//! A session that was set up.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use qatzip_sys as qz;

use crate::codec::{Codec, Decoded};
use crate::counters::{COUNTING, count};
use crate::device::{self, Device};
use crate::fault::{Kind, On};
use crate::setup::{Setup, Stream};

/// The length of the buffers that QATzip pins for its instances, in bytes: that of the first session
/// of the process. A later one that is larger writes beyond them.
static PINNED: AtomicUsize = AtomicUsize::new(0);

/// What is shorter than this is read past its end.
const READ_PAST: usize = 20;

pub(crate) struct Session {
    pub(crate) setup: Setup,
    codec: Codec,
    /// The process that set it up: in another one the device is not its.
    pid: u32,
    /// How often a device was lost before it was set up.
    generation: u64,
    /// A call did not end well, so that only tearing down is left.
    unclean: bool,
    ended: bool,
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) consumed: usize,
    pub(crate) produced: usize,
    /// The device did it.
    pub(crate) on_device: bool,
    /// Somebody writes to the output so long after the call.
    pub(crate) late_write: Option<Duration>,
}

impl Outcome {
    pub(crate) const fn failed(code: i32) -> Self {
        Self {
            code,
            consumed: 0,
            produced: 0,
            on_device: false,
            late_write: None,
        }
    }

    const fn of(decoded: Decoded) -> Self {
        Self {
            code: decoded.code,
            consumed: decoded.consumed,
            produced: decoded.produced,
            on_device: true,
            late_write: None,
        }
    }
}

impl Session {
    /// A session on the device; the code of QATzip if there can be none.
    pub(crate) fn new(device: &Device, setup: Setup) -> Result<Self, i32> {
        // Setting up is a matter of the CPU: a device that is gone is found gone when it is used.
        if let Some(Kind::Code(code)) = device.fault(On::SETUP).map(|fault| fault.kind) {
            return Err(code);
        }
        let first =
            PINNED.compare_exchange(0, setup.hw_buffer, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_err_and(|first| setup.hw_buffer > first) {
            return Err(device.misuse("a session has larger buffers than the first of the process"));
        }
        let codec = Codec::new(&setup, device.model.work).ok_or(qz::QZ_NOSW_LOW_MEM)?;
        count(&COUNTING.sessions);
        Ok(Self {
            setup,
            codec,
            pid: std::process::id(),
            generation: device::generation(),
            unclean: false,
            ended: false,
        })
    }

    /// Whether the stream that was read last was complete.
    pub(crate) const fn ended(&self) -> bool {
        self.ended
    }

    /// Compresses `src` as one unit, or several if it is longer than a buffer.
    pub(crate) fn compress(&mut self, device: &Device, src: &[u8], dst: &mut [u8]) -> Outcome {
        if !self.setup.compresses {
            return Outcome::failed(device.misuse("a session for decompression compresses"));
        }
        self.call(device, On::COMPRESS, dst, |this, dst, fault| {
            this.compress_on(device, src, dst, fault)
        })
    }

    /// Decompresses the unit at the start of `src`.
    pub(crate) fn decompress(&mut self, device: &Device, src: &[u8], dst: &mut [u8]) -> Outcome {
        self.ended = false;
        if !self.setup.decompresses {
            return Outcome::failed(device.misuse("a session for compression decompresses"));
        }
        if self.setup.stream == Stream::DeflateRaw {
            return Outcome::failed(device.misuse("a stream without a checksum is decompressed"));
        }
        if src.len() < READ_PAST {
            return Outcome::failed(device.misuse("an input is read past its end"));
        }
        self.call(device, On::DECOMPRESS, dst, |this, dst, fault| {
            this.decompress_on(device, src, dst, fault)
        })
    }

    fn call(
        &mut self,
        device: &Device,
        call: On,
        dst: &mut [u8],
        work: impl FnOnce(&mut Self, &mut [u8], Option<Kind>) -> Outcome,
    ) -> Outcome {
        if self.pid != std::process::id() {
            return Outcome::failed(device.misuse("a session is used in another process"));
        }
        if self.unclean {
            let what = "a session is used after a call that did not end well";
            return Outcome::failed(device.misuse(what));
        }
        let outcome = self.try_call(device, call, dst, work);
        // Where no instance was free, nothing was begun.
        let begun = outcome.code != qz::QZ_NOSW_NO_INST_ATTACH;
        self.unclean = outcome.code != qz::QZ_OK && begun;
        if outcome.code == qz::QZ_OK && call == On::DECOMPRESS {
            self.unclean = !self.ended;
        }
        outcome
    }

    fn try_call(
        &mut self,
        device: &Device,
        call: On,
        dst: &mut [u8],
        work: impl FnOnce(&mut Self, &mut [u8], Option<Kind>) -> Outcome,
    ) -> Outcome {
        if let Some(code) = device.lost() {
            return Outcome::failed(code);
        }
        if self.generation != device::generation() {
            return Outcome::failed(qz::QZ_NONE);
        }
        let fault = device.fault(call);
        match fault.map(|fault| fault.kind) {
            Some(Kind::Code(code)) => return Outcome::failed(code),
            Some(Kind::Lost(code, back)) => {
                device.lose(code, back);
                return Outcome::failed(code);
            }
            Some(Kind::LateWrite(code)) => {
                return Outcome {
                    late_write: fault.map(|fault| fault.delay),
                    ..Outcome::failed(code)
                };
            }
            Some(Kind::Scribbles) => {
                dst.fill(0xAA);
                return Outcome::failed(qz::QZ_FAIL);
            }
            Some(Kind::OkWithZero) => {
                self.ended = true;
                return Outcome {
                    on_device: true,
                    ..Outcome::failed(qz::QZ_OK)
                };
            }
            _ => {}
        }
        if !device.model.formats.contains(&self.setup.stream) {
            // Instances there are, and none is for this.
            count(&COUNTING.busy);
            return Outcome::failed(qz::QZ_NOSW_NO_INST_ATTACH);
        }
        let Some(place) = device.admit() else {
            return Outcome::failed(qz::QZ_NOSW_NO_INST_ATTACH);
        };
        let fault = fault.map(|fault| fault.kind);
        let mut outcome = work(self, dst, fault);
        drop(place);
        if outcome.code == qz::QZ_OK {
            spoil(fault, &mut outcome, dst);
            let counter = match (outcome.on_device, call) {
                (false, _) => &COUNTING.software,
                (true, On::COMPRESS) => &COUNTING.compressed,
                (true, _) => &COUNTING.decompressed,
            };
            count(counter);
            if fault == Some(Kind::Truncates) {
                self.ended = false;
            }
        }
        outcome
    }

    fn compress_on(
        &mut self,
        device: &Device,
        src: &[u8],
        dst: &mut [u8],
        fault: Option<Kind>,
    ) -> Outcome {
        if self.setup.level_fails() {
            return Outcome::failed(qz::QZ_FAIL);
        }
        let start = Instant::now();
        let on_device = src.len() >= self.setup.threshold;
        let taken = match fault {
            Some(Kind::ConsumesLess) => src.get(..src.len().saturating_sub(1)).unwrap_or(src),
            _ => src,
        };
        // One stream, however many buffers it takes; any other format begins anew in each.
        let buffer = match self.setup.stream {
            Stream::DeflateRaw => usize::MAX,
            _ if fault == Some(Kind::MultiStream) => taken.len().div_ceil(2).max(1),
            _ => self.setup.hw_buffer,
        };
        let (mut consumed, mut produced) = (0, 0);
        let mut code = qz::QZ_OK;
        loop {
            let rest = taken.get(consumed..).unwrap_or_default();
            let content = rest.get(..buffer).unwrap_or(rest);
            let room = dst.get_mut(produced..).unwrap_or_default();
            match self.codec.compress(content, room, fault) {
                Some(len) => (consumed, produced) = (consumed + content.len(), produced + len),
                // The device's own buffer is as large as this: what does not fit it, fails. What
                // does not fit after it, is told apart.
                None if produced == 0 => return Outcome::failed(qz::QZ_FAIL),
                None => {
                    code = qz::QZ_BUF_ERROR;
                    break;
                }
            }
            if consumed == taken.len() {
                break;
            }
        }
        if on_device {
            self.take_time(device, start, src.len());
        }
        Outcome {
            code,
            consumed: if consumed == taken.len() {
                src.len()
            } else {
                consumed
            },
            produced,
            on_device,
            late_write: None,
        }
    }

    fn decompress_on(
        &mut self,
        device: &Device,
        src: &[u8],
        dst: &mut [u8],
        fault: Option<Kind>,
    ) -> Outcome {
        let start = Instant::now();
        let mut decoded = self.codec.decompress(src, dst, self.setup.hw_buffer);
        if fault == Some(Kind::ConsumesLess) {
            decoded.consumed = decoded.consumed.saturating_sub(1);
        }
        self.ended = decoded.ended;
        self.take_time(device, start, decoded.produced);
        Outcome::of(decoded)
    }

    /// Returns no earlier than the device is done with so many bytes of content.
    fn take_time(&self, device: &Device, start: Instant, content: usize) {
        let buffers = content.div_ceil(self.setup.hw_buffer).max(1);
        let buffers = u32::try_from(buffers).unwrap_or(u32::MAX);
        if let Some(done) = device.done_at(start, buffers, content) {
            device::wait_until(done, self.setup.busy_polling);
        }
    }
}

/// Makes of a success what `fault` says.
fn spoil(fault: Option<Kind>, outcome: &mut Outcome, dst: &mut [u8]) {
    let Some(written) = dst.get_mut(..outcome.produced) else {
        return;
    };
    match fault {
        Some(Kind::FlipsBit) => {
            let middle = written.len() / 2;
            if let Some(byte) = written.get_mut(middle) {
                *byte ^= 1;
            }
        }
        Some(Kind::WrongChecksum) => {
            if let Some(trailer) = written.last_chunk_mut::<4>() {
                trailer.reverse();
                trailer[0] ^= 0x55;
            }
        }
        Some(Kind::Truncates) => outcome.produced /= 2,
        Some(Kind::SilentSoftware) => outcome.on_device = false,
        _ => {}
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        COUNTING.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

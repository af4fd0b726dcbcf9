use compressor_api::{CompressSession, Error, ErrorKind, inspect};

use crate::ID;
use crate::device::Device;
use crate::ffi::{Frames, Stream, ZSTD_Sequence, frame_bound, sequence_bound};
use crate::finder::Finder;
use crate::lz4_frame::{self, Block};
use crate::plan::Plan;
use crate::sequences;
use crate::trailer::Trailer;
use crate::ways::{Way, max_compressed_len};
use crate::worker::{Failure, Worker};
use crate::zstd_frame;

const fn error(kind: ErrorKind) -> Error {
    Error::new(kind, ID)
}

/// Compresses on the device.
pub(crate) struct Compress {
    plan: Plan,
    engine: Engine,
}

enum Engine {
    /// Units come from QATzip.
    Units(Worker),
    /// Sequences come from QATzip or Intel's producer, and frames are made of them here.
    Frames(Sequencer),
}

impl Compress {
    pub(crate) fn new(device: &'static Device, plan: Plan) -> Result<Self, Error> {
        let engine = match plan.way {
            Way::Producer | Way::Stream(Stream::Lz4s) => {
                Engine::Frames(Sequencer::new(device, &plan)?)
            }
            Way::Stream(stream) => Engine::Units(plan.worker(device, stream)?),
        };
        Ok(Self { plan, engine })
    }
}

impl CompressSession for Compress {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        if !self.plan.takes(src.len()) {
            return Err(error(ErrorKind::Unsupported));
        }
        match &mut self.engine {
            Engine::Units(worker) => {
                let result = unit(&self.plan, worker, src, dst);
                if result.is_err_and(|error| error.kind() == ErrorKind::Device) {
                    // Whatever was wrong with the unit, what the session does next may be as wrong.
                    worker.discard();
                }
                result
            }
            Engine::Frames(sequencer) => sequencer.compress(src, dst),
        }
    }
}

/// Has QATzip compress `src`, and leaves the unit at the start of `dst`.
fn unit(plan: &Plan, worker: &mut Worker, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
    // Before the device, while the source is on its way through the cache anyway.
    let trailer = Trailer::of(plan.format, src);
    let n = worker.run(&[src], None).map_err(Failure::error)?;
    let output = worker.output(n)?;
    let wrong = error(ErrorKind::Device);
    match plan.way {
        Way::Stream(Stream::Lz4Frame) => {
            match lz4_frame::block(output, src.len()).map_err(|_| wrong)? {
                Block::Compressed(block) => deliver(plan, src.len(), block, dst),
                Block::Stored(content) if content == src => {
                    lz4_frame::literals(content, dst).ok_or(error(ErrorKind::OutputTooSmall))
                }
                Block::Stored(_) => Err(wrong),
            }
        }
        Way::Stream(Stream::Lz4Block) if lz4_frame::is_frame(output) => Err(wrong),
        Way::Stream(Stream::Zstd) => {
            let delivered = zstd_frame::deliver(output, src, plan.checksum, plan.window, dst);
            let delivered = delivered.map_err(|_| wrong)?;
            delivered.ok_or(too_small(plan, src.len(), n))
        }
        _ => {
            let header = inspect::header(plan.format, output).map_err(|_| wrong)?;
            if header.dictionary_id.is_some() || !trailer.ends(output) {
                return Err(wrong);
            }
            deliver(plan, src.len(), output, dst)
        }
    }
}

/// Copies a unit to where the caller wants it, if there is room.
fn deliver(plan: &Plan, src_len: usize, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
    let place = dst.get_mut(..unit.len());
    let place = place.ok_or(too_small(plan, src_len, unit.len()))?;
    place.copy_from_slice(unit);
    Ok(unit.len())
}

/// What it means that a unit does not fit: nobody promised more room than the bound.
fn too_small(plan: &Plan, src_len: usize, unit_len: usize) -> Error {
    if unit_len > max_compressed_len(plan.way, src_len) {
        error(ErrorKind::Device)
    } else {
        error(ErrorKind::OutputTooSmall)
    }
}

/// Makes frames of sequences.
struct Sequencer {
    source: Source,
    frames: Frames,
    sequences: Vec<ZSTD_Sequence>,
    /// For a frame whose `dst` is shorter than the bound.
    scratch: Vec<u8>,
}

enum Source {
    Lz4s(Worker),
    Producer(Finder),
}

impl Sequencer {
    fn new(device: &'static Device, plan: &Plan) -> Result<Self, Error> {
        let source = match plan.way {
            Way::Producer => Source::Producer(Finder::new(device, plan)?),
            _ => Source::Lz4s(plan.worker(device, Stream::Lz4s)?),
        };
        let no_memory = error(ErrorKind::OutOfMemory);
        let window_log = plan.longest.next_power_of_two().ilog2();
        let frames = Frames::new(plan.level, window_log, plan.checksum).ok_or(no_memory)?;
        let mut sequences = Vec::new();
        sequences
            .try_reserve_exact(sequence_bound(plan.longest))
            .map_err(|_| no_memory)?;
        let mut scratch = Vec::new();
        let bound = frame_bound(plan.longest);
        scratch.try_reserve_exact(bound).map_err(|_| no_memory)?;
        scratch.resize(bound, 0);
        Ok(Self {
            source,
            frames,
            sequences,
            scratch,
        })
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let wrong = error(ErrorKind::Device);
        match &mut self.source {
            Source::Lz4s(worker) => {
                let n = worker.run(&[src], None).map_err(Failure::error)?;
                let read = sequences::from_lz4s(worker.output(n)?, src, &mut self.sequences);
                if read.is_err() {
                    worker.discard();
                    return Err(wrong);
                }
            }
            Source::Producer(finder) => finder.find(src, &mut self.sequences)?,
        }
        // Whatever libzstd has against them, software makes a clean frame of the source.
        if dst.len() >= frame_bound(src.len()) {
            return self.frames.write(&self.sequences, src, dst).ok_or(wrong);
        }
        let n = self.frames.write(&self.sequences, src, &mut self.scratch);
        let frame = n.and_then(|n| self.scratch.get(..n)).ok_or(wrong)?;
        dst.get_mut(..frame.len())
            .ok_or(error(ErrorKind::OutputTooSmall))?
            .copy_from_slice(frame);
        Ok(frame.len())
    }
}

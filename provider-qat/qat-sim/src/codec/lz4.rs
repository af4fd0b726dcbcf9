//! LZ4 blocks, in frames or raw.

use qatzip_sys as qz;

use super::out::Out;
use super::sequences::Finder;
use super::{Decoded, LZ4_WINDOW, lz4_frame};
use crate::fault::Kind;
use crate::script::Work;
use crate::setup::Setup;

/// The shortest match.
const MIN_MATCH: usize = 4;

#[derive(Debug)]
pub(crate) struct Lz4 {
    encoder: Encoder,
    framed: bool,
}

impl Lz4 {
    /// Frames, as every version of QATzip writes them.
    pub(crate) fn framed(setup: &Setup, work: Work) -> Self {
        Self {
            encoder: Encoder::new(setup.level, work),
            framed: true,
        }
    }

    /// Raw blocks, as API 2.6 writes them.
    pub(crate) fn raw(setup: &Setup, work: Work) -> Self {
        Self {
            encoder: Encoder::new(setup.level, work),
            framed: false,
        }
    }

    pub(super) fn compress(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        fault: Option<Kind>,
    ) -> Option<usize> {
        if self.framed || fault == Some(Kind::FrameForBlock) {
            lz4_frame::write(&mut self.encoder, src, dst)
        } else {
            self.encoder.block(src, dst)
        }
    }

    pub(super) fn decompress(&mut self, src: &[u8], dst: &mut [u8], most: usize) -> Decoded {
        if self.framed {
            return lz4_frame::read(src, dst, most);
        }
        let room = dst.len().min(most);
        let mut out = Out::new(dst.get_mut(..room).unwrap_or_default());
        match decode(src, &mut out) {
            Ok(()) => Decoded::done(src.len(), out.len()),
            Err(Broken::NoRoom) => Decoded::failed(qz::QZ_BUF_ERROR),
            Err(Broken::Data) => Decoded::failed(qz::QZ_DATA_ERROR),
        }
    }
}

#[derive(Debug)]
pub(super) struct Encoder {
    finder: Finder,
    work: Work,
}

impl Encoder {
    fn new(level: u32, work: Work) -> Self {
        Self {
            finder: Finder::new(level),
            work,
        }
    }

    /// Writes one block; `None` if there is no room for it.
    pub(super) fn block(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let mut out = Out::new(dst);
        let last = match self.work {
            Work::Stored => 0,
            Work::Fast => self.finder.find(src, MIN_MATCH, |literals, offset, len| {
                let matched = len - MIN_MATCH;
                out.token(literals, matched)?;
                out.bytes(&u16::try_from(offset).ok()?.to_le_bytes())?;
                out.extended(matched)
            })?,
        };
        out.token(src.get(last..)?, 0)?;
        Some(out.len())
    }
}

/// Why a block cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// The content is longer than there is room.
    NoRoom,
    /// It is no block, or reaches further back than a device does.
    Data,
}

/// Decodes a block behind what was written.
pub(super) fn decode(block: &[u8], out: &mut Out<'_>) -> Result<(), Broken> {
    let mut bytes = block;
    loop {
        let token = usize::from(next(&mut bytes)?);
        let literals = length(token >> 4, &mut bytes)?;
        let literals = bytes.split_off(..literals).ok_or(Broken::Data)?;
        out.bytes(literals).ok_or(Broken::NoRoom)?;
        if bytes.is_empty() {
            return if token & 15 == 0 {
                Ok(())
            } else {
                Err(Broken::Data)
            };
        }
        let offset = usize::from(next(&mut bytes)?) | usize::from(next(&mut bytes)?) << 8;
        let matched = length(token & 15, &mut bytes)? + MIN_MATCH;
        if offset == 0 || offset > LZ4_WINDOW || offset > out.len() {
            return Err(Broken::Data);
        }
        out.copy(offset, matched).ok_or(Broken::NoRoom)?;
    }
}

fn next(bytes: &mut &[u8]) -> Result<u8, Broken> {
    bytes.split_off_first().copied().ok_or(Broken::Data)
}

fn length(nibble: usize, bytes: &mut &[u8]) -> Result<usize, Broken> {
    let mut length = nibble;
    if nibble == 15 {
        loop {
            let more = next(bytes)?;
            length += usize::from(more);
            if more != 255 {
                break;
            }
        }
    }
    Ok(length)
}

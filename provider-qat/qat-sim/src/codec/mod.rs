//! What the device makes of bytes.

mod deflate;
mod lz4;
mod lz4_frame;
mod lz4s;
mod out;
mod sequences;
mod stored;
mod zstd;

use qatzip_sys as qz;

use crate::fault::Kind;
use crate::script::Work;
use crate::setup::{Setup, Stream};

use deflate::Deflate;
use lz4::Lz4;
use lz4s::Lz4s;
use zstd::Zstd;

/// How far back a device looks in LZ4 and LZ4s, in bytes, in either direction.
pub(crate) const LZ4_WINDOW: usize = 32 << 10;

/// The level from which more is looked for: below it, every level is the fastest.
const THOROUGH: u32 = 9;

/// The working area of a session.
pub(crate) enum Codec {
    Deflate(Deflate),
    Lz4(Lz4),
    Lz4s(Lz4s),
    Zstd(Zstd),
}

/// What came of decompressing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) code: i32,
    pub(crate) consumed: usize,
    pub(crate) produced: usize,
    /// The end of the stream was reached.
    pub(crate) ended: bool,
}

impl Decoded {
    /// Nothing came of it.
    const fn failed(code: i32) -> Self {
        Self {
            code,
            consumed: 0,
            produced: 0,
            ended: false,
        }
    }

    const fn done(consumed: usize, produced: usize) -> Self {
        Self {
            code: qz::QZ_OK,
            consumed,
            produced,
            ended: true,
        }
    }
}

impl Codec {
    /// The working area for what was set up; `None` if there is no memory for it.
    pub(crate) fn new(setup: &Setup, work: Work) -> Option<Self> {
        Some(match setup.stream {
            Stream::Zlib | Stream::Gzip | Stream::DeflateRaw => {
                Self::Deflate(Deflate::new(setup, work)?)
            }
            Stream::Lz4Frame => Self::Lz4(Lz4::framed(setup, work)),
            Stream::Lz4Block => Self::Lz4(Lz4::raw(setup, work)),
            Stream::Lz4s => Self::Lz4s(Lz4s::new(setup, work)),
            Stream::Zstd => Self::Zstd(Zstd::new(setup, work)?),
        })
    }

    /// Compresses one buffer to one unit, or to something like it if `fault` says so; `None` if
    /// there is no room for it.
    pub(crate) fn compress(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        fault: Option<Kind>,
    ) -> Option<usize> {
        match self {
            Self::Deflate(deflate) => deflate.compress(src, dst),
            Self::Lz4(lz4) => lz4.compress(src, dst, fault),
            Self::Lz4s(lz4s) => lz4s.compress(src, dst, fault),
            Self::Zstd(zstd) => zstd.compress(src, dst, fault),
        }
    }

    /// Decompresses the unit at the start of `src`, whose content is no longer than `most`.
    pub(crate) fn decompress(&mut self, src: &[u8], dst: &mut [u8], most: usize) -> Decoded {
        match self {
            Self::Deflate(deflate) => deflate.decompress(src, dst, most),
            Self::Lz4(lz4) => lz4.decompress(src, dst, most),
            // Devices write it, and nobody reads it.
            Self::Lz4s(_) => Decoded::failed(qz::QZ_FAIL),
            Self::Zstd(zstd) => zstd.decompress(src, dst, most),
        }
    }
}

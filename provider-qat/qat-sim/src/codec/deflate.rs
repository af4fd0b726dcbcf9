//! Deflate streams in their frames, by zlib.

use compressor_api::inspect::Malformed;
use compressor_api::inspect::deflate::{Extent, extent};
use compressor_api::{CompressSession, DecompressSession, ErrorKind, Format, Spec};
use qatzip_sys as qz;

use super::{Decoded, THOROUGH, stored};
use crate::script::Work;
use crate::setup::{Setup, Stream};

pub(crate) struct Deflate {
    frame: Frame,
    work: Work,
    compress: Box<dyn CompressSession>,
    decompress: Box<dyn DecompressSession>,
}

/// What stands before and after the stream, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// 2 and 4.
    Zlib,
    /// 10 and 8, as QATzip writes it.
    Gzip,
    Raw,
}

/// What QATzip takes for a member of gzip that a device can read: no flags.
const GZIP: [u8; 4] = [0x1F, 0x8B, 8, 0];

/// What stands where partial content comes out, that nobody takes it for content.
const RUBBISH: u8 = 0xA5;

impl Deflate {
    pub(super) fn new(setup: &Setup, work: Work) -> Option<Self> {
        let (frame, format) = match setup.stream {
            Stream::Gzip => (Frame::Gzip, Format::Gzip),
            Stream::Zlib => (Frame::Zlib, Format::Zlib),
            _ => (Frame::Raw, Format::DeflateRaw),
        };
        let level = match work {
            Work::Fast if setup.level >= THOROUGH => 5,
            Work::Fast | Work::Stored => 1,
        };
        let spec = Spec::new(format).with_level(level).ok()?;
        let compressor = compressor_deflate::factory().compressor(&spec).ok()?;
        Some(Self {
            frame,
            work,
            compress: compressor.compress_session().ok()?,
            decompress: compressor.decompress_session().ok()?,
        })
    }

    pub(super) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        match (self.work, self.frame) {
            (Work::Fast, _) => self.compress.compress(src, dst).ok(),
            (Work::Stored, Frame::Zlib) => stored::zlib(src, dst),
            (Work::Stored, Frame::Gzip) => stored::gzip(src, dst),
            (Work::Stored, Frame::Raw) => stored::deflate_raw(src, dst),
        }
    }

    pub(super) fn decompress(&mut self, src: &[u8], dst: &mut [u8], most: usize) -> Decoded {
        if self.frame == Frame::Gzip && !src.starts_with(&GZIP) {
            // Not for a device, and there is no software here.
            return Decoded::failed(qz::QZ_FAIL);
        }
        let room = dst.len().min(most);
        let dst = dst.get_mut(..room).unwrap_or_default();
        match self.decompress.decompress(src, dst).map_err(|e| e.kind()) {
            Ok(produced) => Decoded::done(src.len(), produced),
            Err(ErrorKind::OutputTooSmall) if room == most => Decoded::failed(qz::QZ_FAIL),
            // The length stands at the end of a member, so that it is looked at before.
            Err(ErrorKind::OutputTooSmall) if self.frame == Frame::Gzip => {
                Decoded::failed(qz::QZ_BUF_ERROR)
            }
            Err(ErrorKind::OutputTooSmall) => partial(src, dst),
            Err(_) => self.broken(src, dst),
        }
    }

    /// What comes of what is not one unit and nothing else.
    fn broken(&mut self, src: &[u8], dst: &mut [u8]) -> Decoded {
        let (before, after) = match self.frame {
            Frame::Zlib => (2, 4),
            Frame::Gzip => (10, 8),
            Frame::Raw => (0, 0),
        };
        let stream = src.get(before..).unwrap_or_default();
        match extent(stream, dst.len()) {
            Ok(Extent::Ended { read, .. }) => {
                let end = before + read + after;
                match src.get(..end) {
                    None => partial(src, dst),
                    // One unit, and something after it: that is left alone.
                    Some(unit) if unit.len() < src.len() => {
                        match self.decompress.decompress(unit, dst) {
                            Ok(produced) => Decoded::done(end, produced),
                            Err(_) => Decoded::failed(qz::QZ_DATA_ERROR),
                        }
                    }
                    Some(_) => Decoded::failed(qz::QZ_DATA_ERROR),
                }
            }
            Err(Malformed::Truncated) => partial(src, dst),
            Ok(Extent::Beyond) | Err(_) => Decoded::failed(qz::QZ_DATA_ERROR),
        }
    }
}

/// Success, of a kind: all was taken, something came out, and the stream did not end.
fn partial(src: &[u8], dst: &mut [u8]) -> Decoded {
    let produced = dst.len().min(src.len());
    dst.get_mut(..produced).unwrap_or_default().fill(RUBBISH);
    Decoded {
        code: qz::QZ_OK,
        consumed: src.len(),
        produced,
        ended: false,
    }
}

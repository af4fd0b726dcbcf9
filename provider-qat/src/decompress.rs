use compressor_api::inspect::deflate::{self, Extent};
use compressor_api::inspect::{self, lz4, zstd};
use compressor_api::{
    DecompressSession, Error, ErrorKind, Format, ProviderId, framed::GZIP_HEADER,
};
use qatzip_sys::QZ_DATA_ERROR;

use crate::ID;
use crate::device::Device;
use crate::ffi::Stream;
use crate::lz4_frame;
use crate::plan::Plan;
use crate::sequences::WINDOW;
use crate::trailer::{self, Trailer};
use crate::ways::Way;
use crate::worker::{Failure, Worker};
use crate::zstd_frame;

const fn error(kind: ErrorKind) -> Error {
    Error::new(kind, ID)
}

/// Decompresses on the device.
pub(crate) struct Decompress {
    plan: Plan,
    worker: Worker,
}

impl Decompress {
    pub(crate) fn new(device: &'static Device, plan: Plan) -> Result<Self, Error> {
        let Way::Stream(stream) = plan.way else {
            return Err(error(ErrorKind::Unsupported));
        };
        let worker = plan.worker(device, stream)?;
        Ok(Self { plan, worker })
    }

    /// Copies the content to where the caller wants it, if there is room.
    fn deliver(&self, len: usize, dst: &mut [u8]) -> Result<usize, Error> {
        let content = self.worker.output(len)?;
        dst.get_mut(..len)
            .ok_or(error(ErrorKind::OutputTooSmall))?
            .copy_from_slice(content);
        Ok(len)
    }

    /// What it means that content does not fit the room there is for it on the device.
    const fn beyond(&self, dst_len: usize) -> ErrorKind {
        if dst_len > self.plan.longest {
            // It may fit what was offered.
            ErrorKind::Unsupported
        } else {
            ErrorKind::OutputTooSmall
        }
    }

    fn deflate(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let format = self.plan.format;
        let corrupt = error(ErrorKind::CorruptInput);
        let header = inspect::header(format, src).map_err(|malformed| malformed.error(ID))?;
        if header.dictionary_id.is_some() {
            return Err(error(ErrorKind::Unsupported));
        }
        let body = src.get(header.len..).ok_or(corrupt)?;
        let end = body.len().checked_sub(trailer::len(format));
        let stream = body.get(..end.ok_or(corrupt)?).ok_or(corrupt)?;

        let ran = match format {
            // Optional fields, which not every device reads, stay behind.
            Format::Gzip => self.worker.run(&[&GZIP_HEADER, body], None),
            _ => self.worker.run(&[src], None),
        };
        match ran {
            Ok(n) => {
                if !Trailer::of(format, self.worker.output(n)?).ends(src) {
                    // QATzip has compared it as well: one of the two is wrong.
                    self.worker.discard();
                    return Err(corrupt);
                }
                self.deliver(n, dst)
            }
            Err(Failure::Error(error)) => Err(error),
            Err(Failure::Unread(error)) => {
                let kind = self.why_unread(stream, dst.len());
                let kind = kind.unwrap_or_else(|| {
                    self.worker.unread_though_intact();
                    error.kind()
                });
                Err(Error::with_native(kind, ID, error.native()))
            }
        }
    }

    /// Why a stream was not read, as far as the stream shows: QATzip answers in the same way to one
    /// that is truncated and to one whose content is too long.
    fn why_unread(&self, stream: &[u8], dst_len: usize) -> Option<ErrorKind> {
        let limit = dst_len.min(self.plan.longest);
        match deflate::extent(stream, limit) {
            Ok(Extent::Beyond) => Some(self.beyond(dst_len)),
            // Intact, so that its checksum is left to be wrong, or the device.
            Ok(Extent::Ended { read, .. }) if read == stream.len() => None,
            Ok(Extent::Ended { .. }) | Err(_) => Some(ErrorKind::CorruptInput),
        }
    }

    /// A block is walked before the device sees it: its content's length has to be known, and a
    /// corrupt block would cost a session.
    fn lz4(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let walked = lz4::walk(src).map_err(|malformed| malformed.error(ID))?;
        if !walked.ends_well {
            return Err(error(ErrorKind::CorruptInput));
        }
        let len = usize::try_from(walked.content_len);
        let len = len.map_err(|_| error(ErrorKind::OutputTooSmall))?;
        if len > dst.len() {
            return Err(error(ErrorKind::OutputTooSmall));
        }
        if len > self.plan.longest || len > WINDOW {
            return Err(error(ErrorKind::Unsupported));
        }
        let ran = match self.plan.way {
            Way::Stream(Stream::Lz4Frame) => {
                let head = lz4_frame::head(src.len(), len);
                let head = head.ok_or(error(ErrorKind::Unsupported))?;
                let parts = [&head[..], src, &lz4_frame::TAIL];
                self.worker.run(&parts, Some(len))
            }
            _ => self.worker.run(&[src], Some(len)),
        };
        // The block is intact, so the answer is what it is.
        ran.map_err(|failure| {
            self.worker.unread_though_intact();
            failure.error()
        })?;
        self.deliver(len, dst)
    }

    /// A frame is walked before the device sees it: whether its content fits, and whether it is one
    /// frame, is not for QATzip to say.
    fn zstd(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let walked = zstd::walk(src).map_err(|malformed| malformed.error(ID))?;
        let header = walked.header;
        let too_wide = header.window.is_none_or(|window| window > self.plan.window);
        if header.dictionary_id.is_some() || too_wide {
            return Err(error(ErrorKind::Unsupported));
        }
        let (least, most) = match header.declared_len {
            Some(len) => (len, len),
            None => (*walked.possible_len.start(), *walked.possible_len.end()),
        };
        let limit = dst.len().min(self.plan.longest) as u64;
        if least > limit {
            return Err(error(self.beyond(dst.len())));
        }
        let n = match self.worker.run(&[src], None) {
            Ok(n) => n,
            // It may not have fitted, unless QATzip says that the frame is corrupt.
            Err(Failure::Unread(error)) if most > limit && error.native() != QZ_DATA_ERROR => {
                let kind = self.beyond(dst.len());
                return Err(Error::with_native(kind, ID, error.native()));
            }
            Err(failure) => {
                if most <= limit {
                    self.worker.unread_though_intact();
                }
                return Err(failure.error());
            }
        };
        let content = self.worker.output(n)?;
        let possible = (least..=most).contains(&(n as u64));
        if !possible || (header.checksum && !zstd_frame::vouches(src, content)) {
            self.worker.discard();
            return Err(error(ErrorKind::CorruptInput));
        }
        self.deliver(n, dst)
    }
}

impl DecompressSession for Decompress {
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        if !self.plan.takes(src.len()) {
            return Err(error(ErrorKind::Unsupported));
        }
        match self.plan.format {
            Format::Lz4Block => self.lz4(src, dst),
            Format::Zstd => self.zstd(src, dst),
            _ => self.deflate(src, dst),
        }
    }

    fn provider(&self) -> ProviderId {
        ID
    }
}

//! Zstandard frames, by libzstd.

use compressor_api::{
    CompressSession, Compressor, DecompressSession, ErrorKind, Format, Spec, inspect,
};
use qatzip_sys as qz;
use std::sync::Arc;

use super::{Decoded, THOROUGH, stored};
use crate::fault::Kind;
use crate::script::Work;
use crate::setup::Setup;

/// The history that a device keeps when it reads, in bytes: what API 2.6 sets up by default
/// (`QZ_ZSTD_HIST_BUFF_DEFAULT`).
const WINDOW: u64 = 64 << 10;

pub(crate) struct Zstd {
    work: Work,
    compress: Box<dyn CompressSession>,
    /// For frames without a checksum.
    bare: Arc<dyn Compressor>,
    decompress: Box<dyn DecompressSession>,
}

impl Zstd {
    pub(super) fn new(setup: &Setup, work: Work) -> Option<Self> {
        let level = match work {
            Work::Fast if setup.level >= THOROUGH => 5,
            Work::Fast | Work::Stored => 1,
        };
        let spec = Spec::new(Format::Zstd).with_level(level).ok()?;
        let bare = spec.clone().with_checksum(false).ok()?;
        let factory = compressor_zstd::factory();
        let compressor = factory.compressor(&spec).ok()?;
        Some(Self {
            work,
            compress: compressor.compress_session().ok()?,
            bare: factory.compressor(&bare).ok()?,
            decompress: compressor.decompress_session().ok()?,
        })
    }

    pub(super) fn compress(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        fault: Option<Kind>,
    ) -> Option<usize> {
        let checksum = fault != Some(Kind::NoChecksum);
        if self.work == Work::Stored {
            return stored::zstd(src, dst, checksum);
        }
        if !checksum {
            let mut session = self.bare.compress_session().ok()?;
            return session.compress(src, dst).ok();
        }
        self.compress.compress(src, dst).ok()
    }

    pub(super) fn decompress(&mut self, src: &[u8], dst: &mut [u8], most: usize) -> Decoded {
        let header = inspect::header(Format::Zstd, src);
        if header.is_ok_and(|header| header.window.is_none_or(|window| window > WINDOW)) {
            return Decoded::failed(qz::QZ_DATA_ERROR);
        }
        let room = dst.len().min(most);
        let dst = dst.get_mut(..room).unwrap_or_default();
        match self.decompress.decompress(src, dst).map_err(|e| e.kind()) {
            Ok(produced) => Decoded::done(src.len(), produced),
            Err(ErrorKind::OutputTooSmall) if room < most => Decoded::failed(qz::QZ_BUF_ERROR),
            Err(ErrorKind::CorruptInput) => Decoded::failed(qz::QZ_DATA_ERROR),
            Err(_) => Decoded::failed(qz::QZ_FAIL),
        }
    }
}

//! `zlib` and `deflate-raw`: flate2 over zlib-ng.

use compressor_api::{Error, Format, ProviderId, Spec};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use crate::peer::Peer;

pub struct Flate2ZlibNg {
    zlib: bool,
    compress: Compress,
    decompress: Decompress,
}

impl Peer for Flate2ZlibNg {
    const ID: ProviderId = ProviderId::new("flate2.zlib-ng");

    fn new(spec: &Spec) -> Result<Self, Error> {
        let zlib = spec.format() == Format::Zlib;
        let level = u32::try_from(spec.level()).map_err(|_| Self::refused())?;
        Ok(Self {
            zlib,
            compress: Compress::new(Compression::new(level), zlib),
            decompress: Decompress::new(zlib),
        })
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.compress.reset();
        match self.compress.compress(src, dst, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => len(self.compress.total_out()),
            _ => Err(Self::refused()),
        }
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.decompress.reset(self.zlib);
        match self
            .decompress
            .decompress(unit, dst, FlushDecompress::Finish)
        {
            Ok(Status::StreamEnd) => len(self.decompress.total_out()),
            _ => Err(Self::refused()),
        }
    }
}

fn len(total: u64) -> Result<usize, Error> {
    usize::try_from(total).map_err(|_| Flate2ZlibNg::refused())
}

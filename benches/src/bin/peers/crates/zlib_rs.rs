//! `zlib` and `deflate-raw`: zlib-rs, through its own API, which flate2 uses too.

use compressor_api::{Error, Format, ProviderId, Spec};
use zlib_rs::{Deflate, DeflateFlush, Inflate, InflateFlush, Status};

use crate::peer::Peer;

/// 32 KiB, zlib's default.
const WINDOW_BITS: u8 = 15;

pub struct ZlibRs {
    zlib: bool,
    deflate: Deflate,
    inflate: Inflate,
}

impl Peer for ZlibRs {
    const ID: ProviderId = ProviderId::new("zlib-rs");

    fn new(spec: &Spec) -> Result<Self, Error> {
        let zlib = spec.format() == Format::Zlib;
        Ok(Self {
            zlib,
            deflate: Deflate::new(spec.level(), zlib, WINDOW_BITS),
            inflate: Inflate::new(zlib, WINDOW_BITS),
        })
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.deflate.reset();
        match self.deflate.compress(src, dst, DeflateFlush::Finish) {
            Ok(Status::StreamEnd) => len(self.deflate.total_out()),
            _ => Err(Self::refused()),
        }
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.inflate.reset(self.zlib);
        match self.inflate.decompress(unit, dst, InflateFlush::Finish) {
            Ok(Status::StreamEnd) => len(self.inflate.total_out()),
            _ => Err(Self::refused()),
        }
    }
}

fn len(total: u64) -> Result<usize, Error> {
    usize::try_from(total).map_err(|_| ZlibRs::refused())
}

//! `zlib`, `deflate-raw` and `gzip`: libdeflater.

use compressor_api::{Error, Format, ProviderId, Spec};
use libdeflater::{CompressionLvl, Compressor, Decompressor};

use crate::peer::Peer;

pub struct Libdeflater {
    format: Format,
    compressor: Compressor,
    decompressor: Decompressor,
}

impl Peer for Libdeflater {
    const ID: ProviderId = ProviderId::new("libdeflater");

    fn new(spec: &Spec) -> Result<Self, Error> {
        let level = CompressionLvl::new(spec.level()).map_err(|_| Self::refused())?;
        Ok(Self {
            format: spec.format(),
            compressor: Compressor::new(level),
            decompressor: Decompressor::new(),
        })
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let compressor = &mut self.compressor;
        let written = match self.format {
            Format::DeflateRaw => compressor.deflate_compress(src, dst),
            Format::Gzip => compressor.gzip_compress(src, dst),
            _ => compressor.zlib_compress(src, dst),
        };
        written.map_err(|_| Self::refused())
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let decompressor = &mut self.decompressor;
        let written = match self.format {
            Format::DeflateRaw => decompressor.deflate_decompress(unit, dst),
            Format::Gzip => decompressor.gzip_decompress(unit, dst),
            _ => decompressor.zlib_decompress(unit, dst),
        };
        written.map_err(|_| Self::refused())
    }
}

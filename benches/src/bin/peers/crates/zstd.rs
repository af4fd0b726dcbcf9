//! `zstd`: the zstd crate, with the checksum that the framework writes too.

use compressor_api::{Error, ProviderId, Spec};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

use crate::peer::Peer;

pub struct Zstd {
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
}

impl Peer for Zstd {
    const ID: ProviderId = ProviderId::new("zstd-crate");

    fn new(spec: &Spec) -> Result<Self, Error> {
        let mut compressor = Compressor::new(spec.level()).map_err(|_| Self::refused())?;
        compressor
            .set_parameter(CParameter::ChecksumFlag(true))
            .map_err(|_| Self::refused())?;
        Ok(Self {
            compressor,
            decompressor: Decompressor::new().map_err(|_| Self::refused())?,
        })
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let written = self.compressor.compress_to_buffer(src, dst);
        written.map_err(|_| Self::refused())
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let written = self.decompressor.decompress_to_buffer(unit, dst);
        written.map_err(|_| Self::refused())
    }
}

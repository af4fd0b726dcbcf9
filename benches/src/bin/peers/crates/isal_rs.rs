//! `zlib` and `gzip`: isal-rs, whose functions make their contexts for each call.

use compressor_api::{Error, Format, ProviderId, Spec};
use isal::{Codec, CompressionLevel, compress_into, decompress_into};

use crate::peer::Peer;

pub struct IsalRs {
    codec: Codec,
}

impl Peer for IsalRs {
    const ID: ProviderId = ProviderId::new("isal-rs");

    fn new(spec: &Spec) -> Result<Self, Error> {
        let codec = match spec.format() {
            Format::Gzip => Codec::Gzip,
            _ => Codec::Zlib,
        };
        Ok(Self { codec })
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let written = compress_into(src, dst, CompressionLevel::best(), self.codec);
        written.map_err(|_| Self::refused())
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        decompress_into(unit, dst, self.codec).map_err(|_| Self::refused())
    }
}

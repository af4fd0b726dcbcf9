//! `snappy`: the snap crate.

use compressor_api::{Error, ProviderId, Spec};
use snap::raw::{Decoder, Encoder};

use crate::peer::Peer;

pub struct Snap {
    encoder: Encoder,
    decoder: Decoder,
}

impl Peer for Snap {
    const ID: ProviderId = ProviderId::new("snap");

    fn new(_: &Spec) -> Result<Self, Error> {
        Ok(Self {
            encoder: Encoder::new(),
            decoder: Decoder::new(),
        })
    }

    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.encoder.compress(src, dst).map_err(|_| Self::refused())
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        self.decoder
            .decompress(unit, dst)
            .map_err(|_| Self::refused())
    }
}

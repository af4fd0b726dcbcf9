//! `snappy`: the snap crate.

use super::Direct;

pub struct Snappy {
    encoder: snap::raw::Encoder,
    decoder: snap::raw::Decoder,
}

impl Snappy {
    pub fn new() -> Self {
        Self {
            encoder: snap::raw::Encoder::new(),
            decoder: snap::raw::Decoder::new(),
        }
    }
}

impl Direct for Snappy {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        self.encoder.compress(src, dst).expect("dst has room")
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> usize {
        self.decoder.decompress(unit, dst).expect("an intact unit")
    }
}

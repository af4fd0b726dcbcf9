//! Specs, content and calls that the tests share.

use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, Dictionary, Direction, Error, ErrorKind, Format, Spec,
};

pub fn spec(level: i32) -> Spec {
    Spec::new(Format::Zstd).with_level(level).unwrap()
}

pub fn with_dictionary(dictionary: &Dictionary) -> Spec {
    spec(3).with_dictionary(dictionary.clone()).unwrap()
}

pub fn compressor(spec: &Spec) -> Arc<dyn Compressor> {
    compressor_zstd::factory().compressor(spec).unwrap()
}

pub fn capabilities(direction: Direction) -> Capabilities {
    let factory = compressor_zstd::factory();
    let listed = factory.capabilities().iter();
    *{ listed }.find(|c| c.direction == direction).unwrap()
}

/// The unit that a fresh session writes, given all the room it may need.
pub fn compress(compressor: &dyn Compressor, content: &[u8]) -> Vec<u8> {
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
    let mut session = compressor.compress_session().unwrap();
    let n = session.compress(content, &mut unit).unwrap();
    unit.truncate(n);
    unit
}

/// What a fresh session makes of `unit` in a buffer of `len` bytes.
///
/// Decodes twice, over different bytes: what was in the buffer before must not make a difference.
pub fn decompress(compressor: &dyn Compressor, unit: &[u8], len: usize) -> Result<Vec<u8>, Error> {
    let mut session = compressor.decompress_session().unwrap();
    let [first, second] = [0xC5, 0x3A].map(|canary| {
        let mut dst = vec![canary; len];
        session.decompress(unit, &mut dst).map(|n| {
            dst.truncate(n);
            dst
        })
    });
    assert_eq!(first, second, "the result depends on what was in memory");
    first
}

pub fn decompress_kind(
    compressor: &dyn Compressor,
    unit: &[u8],
    len: usize,
) -> Result<Vec<u8>, ErrorKind> {
    decompress(compressor, unit, len).map_err(Error::kind)
}

/// Content by kind: text, zeros, noise, sixteen letters, sparse.
pub const KINDS: u8 = 5;

pub fn content(kind: u8, seed: u64, len: usize) -> Vec<u8> {
    let mut noise = Noise(seed | 1);
    match kind {
        0 => {
            let mut text = Vec::with_capacity(len + 64);
            while text.len() < len {
                let line = format!(
                    "{{\"machine\":\"m-{:03}\",\"sensor\":\"{}\",\"value\":{}}}\n",
                    noise.next() % 100,
                    ["temperature", "pressure", "vibration"][noise.below(3)],
                    noise.next() % 10_000,
                );
                text.extend_from_slice(line.as_bytes());
            }
            text.truncate(len);
            text
        }
        1 => vec![0; len],
        2 => (0..len).map(|_| noise.byte()).collect(),
        3 => (0..len).map(|_| noise.byte() % 16).collect(),
        _ => (0..len)
            .map(|_| {
                if noise.below(20) == 0 {
                    noise.byte()
                } else {
                    0
                }
            })
            .collect(),
    }
}

/// The generator xorshift64: the same content on every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn byte(&mut self) -> u8 {
        (self.next() >> 32) as u8
    }
}

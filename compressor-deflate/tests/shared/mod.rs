//! What holds for every provider of the Deflate formats.
//!
//! Compiled into the tests of each such provider; the crate root says which one, by its `factory`.

#[path = "../formats/mod.rs"]
mod formats;
mod reading;
mod sessions;
mod vectors;
mod writing;

use std::ops::RangeInclusive;
use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, Direction, Error, ErrorKind, Format, Spec, self_test,
};

pub use formats::{as_zlib, readable};

pub const FORMATS: [Format; 3] = [Format::Zlib, Format::DeflateRaw, Format::Gzip];

/// What lies around a buffer, to see that nothing is written there.
const CANARY: u8 = 0xA5;
const CANARIES: usize = 64;

/// What the provider lists for compression; it is the same for all three formats.
pub fn writes() -> Capabilities {
    let factory = crate::factory();
    let mut listed = factory.capabilities().iter();
    *listed
        .find(|listed| listed.direction == Direction::Compress)
        .unwrap()
}

/// The levels that it serves.
pub fn levels() -> RangeInclusive<i32> {
    let levels = writes().levels;
    levels.min()..=levels.max()
}

/// Of some levels, those that it serves.
pub fn served<const N: usize>(some: [i32; N]) -> impl Iterator<Item = i32> + Clone {
    some.into_iter().filter(|level| levels().contains(level))
}

pub fn compressor(format: Format, level: i32) -> Arc<dyn Compressor> {
    let spec = Spec::new(format).with_level(level).unwrap();
    crate::factory().compressor(&spec).unwrap()
}

/// `content` as a unit, written into a buffer of the bound.
pub fn compress(format: Format, level: i32, content: &[u8]) -> Vec<u8> {
    let compressor = compressor(format, level);
    let bound = compressor.max_compressed_len(content.len()).unwrap();
    let unit = guarded(bound, |dst| {
        compressor
            .compress_session()
            .unwrap()
            .compress(content, dst)
    });
    unit.unwrap()
}

/// Who reads a format: the provider, or zlib where the provider only writes it.
pub fn reader(format: Format) -> Arc<dyn Compressor> {
    let factory = if readable().contains(&format) {
        crate::factory()
    } else {
        compressor_deflate::factory()
    };
    factory.compressor(&Spec::new(format)).unwrap()
}

/// The content of `unit`, read by the [`reader`] into a buffer of `room` bytes.
pub fn decompress(format: Format, unit: &[u8], room: usize) -> Result<Vec<u8>, ErrorKind> {
    guarded(room, |dst| {
        let mut session = reader(format).decompress_session().unwrap();
        session.decompress(unit, dst)
    })
}

/// What `operation` leaves in a buffer of `len` bytes; fails the test if it wrote beside it.
pub fn guarded(
    len: usize,
    operation: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<Vec<u8>, ErrorKind> {
    let mut memory = vec![CANARY; CANARIES + len + CANARIES];
    let result = operation(&mut memory[CANARIES..CANARIES + len]);
    let (before, rest) = memory.split_at(CANARIES);
    let (dst, after) = rest.split_at(len);
    assert!(
        before.iter().chain(after).all(|byte| *byte == CANARY),
        "wrote outside dst: {result:?}"
    );
    result.map(|n| dst[..n].to_vec()).map_err(Error::kind)
}

/// Bytes that do not compress; other ones for each seed.
pub fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Prose that does not repeat itself exactly.
pub fn text(len: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(len + self_test::CONTENT.len());
    while text.len() < len {
        text.extend_from_slice(format!("chapter {}: ", text.len()).as_bytes());
        text.extend_from_slice(self_test::CONTENT);
    }
    text.truncate(len);
    text
}

/// Small contents whose units have stored, fixed and dynamic blocks.
pub fn small_contents() -> Vec<Vec<u8>> {
    vec![
        vec![],
        b"a".to_vec(),
        b"hello, hello, hello".to_vec(),
        vec![b'A'; 300],
        noise(1, 60),
        text(400),
    ]
}

//! Which formats a provider reads; raw streams in a frame, for one that does not read them bare.
//!
//! Part of the tests that are compiled once for each provider.

use compressor_api::{Direction, Format, Spec};

/// The formats that the provider lists for decompression.
pub fn readable() -> Vec<Format> {
    let factory = crate::factory();
    let listed = factory.capabilities().iter();
    listed
        .filter(|listed| listed.direction == Direction::Decompress)
        .map(|listed| listed.format)
        .collect()
}

/// A raw stream as a unit of `zlib`, with the checksum of `content`.
pub fn as_zlib(stream: &[u8], content: &[u8]) -> Vec<u8> {
    let stored = Spec::new(Format::Zlib).with_level(0).unwrap();
    let writer = compressor_deflate::factory().compressor(&stored).unwrap();
    let mut unit = vec![0; writer.max_compressed_len(content.len()).unwrap()];
    let mut session = writer.compress_session().unwrap();
    let n = session.compress(content, &mut unit).unwrap();
    [&unit[..2], stream, &unit[n - 4..n]].concat()
}

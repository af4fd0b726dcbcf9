//! No operation allocates, in Rust or in C, once a session has seen content of that length.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use compressor_api::{Error, ErrorKind, Format, Spec, self_test};
use compressor_conformance::alloc::allocations;
use isal::factory;

mod isal;

compressor_conformance::count_mallocs!();

#[test]
fn no_operation_allocates_after_the_first() {
    let content = self_test::CONTENT.repeat(16);
    for format in [Format::Zlib, Format::DeflateRaw, Format::Gzip] {
        for level in [1, 6] {
            let spec = Spec::new(format).with_level(level).unwrap();
            let compressor = factory().compressor(&spec).unwrap();
            let mut compress = compressor.compress_session().unwrap();
            let mut decompress =
                (format != Format::DeflateRaw).then(|| compressor.decompress_session().unwrap());
            let bound = compressor.max_compressed_len(content.len()).unwrap();
            let (mut unit, mut back) = (vec![0; bound], vec![0; content.len()]);
            let mut once = || {
                let n = compress.compress(&content, &mut unit).unwrap();
                let shorter = compress.compress(&content, &mut unit[..n]).unwrap();
                let failed = [
                    compress.compress(&content, &mut unit[..n - 1]),
                    compress.compress(&content[1..], &mut unit[..1]),
                ];
                assert_eq!(n, shorter);
                let kinds = failed.map(|result| result.map_err(Error::kind));
                assert_eq!(kinds, [Err(ErrorKind::OutputTooSmall); 2]);

                let Some(decompress) = &mut decompress else {
                    return;
                };
                let n = compress.compress(&content, &mut unit).unwrap();
                assert_eq!(
                    decompress.decompress(&unit[..n], &mut back),
                    Ok(content.len())
                );
                let failed = [
                    decompress.decompress(&unit[..n], &mut back[1..]),
                    decompress.decompress(&unit[..n], &mut []),
                    decompress.decompress(&unit[..n - 1], &mut back),
                    decompress.decompress(b"garbage", &mut back),
                ];
                let kinds = failed.map(|result| result.map_err(Error::kind));
                let (small, corrupt) = (ErrorKind::OutputTooSmall, ErrorKind::CorruptInput);
                assert_eq!(kinds, [Err(small), Err(small), Err(corrupt), Err(corrupt)]);
            };
            once();
            let (_, allocated) = allocations(|| {
                for _ in 0..10 {
                    once();
                }
            });
            assert_eq!(allocated, 0, "{format}, level {level}");
        }
    }
}

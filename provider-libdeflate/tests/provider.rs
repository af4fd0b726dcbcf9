//! What is particular to libdeflate: who is chosen for what, windows, levels, and zlib as the other
//! side.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::Arc;

use compressor_api::{
    Compressor, Direction, ErrorKind, Format, OnFailure, Policy, Registry, Shortfall, Spec,
    Verdict, self_test,
};
use proptest::prelude::*;
use provider_libdeflate::{PROVIDER, factory};

const FORMATS: [Format; 3] = [Format::Zlib, Format::DeflateRaw, Format::Gzip];

fn registry() -> Registry {
    Registry::builder()
        .provider(&compressor_deflate::PROVIDER)
        .provider(&PROVIDER)
        .build()
        .unwrap()
}

#[test]
fn it_is_chosen_for_both_directions() {
    for format in FORMATS {
        let selection = registry()
            .select(&Spec::new(format), &Policy::default())
            .unwrap();
        for direction in Direction::BOTH {
            let accelerator = selection.accelerator(direction).unwrap();
            assert_eq!(accelerator.provider, PROVIDER.id, "{format} {direction}");
        }
        let software = selection.software.effective().compress.unwrap();
        assert_eq!(software.provider, compressor_deflate::PROVIDER.id);
    }
}

#[test]
fn a_smaller_window_is_written_by_software_and_read_by_either() {
    // Not even a policy that lets nothing fail is in the way.
    let mut policy = Policy::default();
    policy.on_create_error = OnFailure::Fail;
    for format in FORMATS {
        let spec = Spec::new(format).with_window_log(12).unwrap();
        let selection = registry().select(&spec, &policy).unwrap();
        assert!(selection.accelerator(Direction::Compress).is_none());
        assert_eq!(
            selection.why_software(Direction::Compress),
            Some(&Verdict::Lacks(Shortfall::Window)),
        );
        let accelerator = selection.accelerator(Direction::Decompress).unwrap();
        assert_eq!(accelerator.provider, PROVIDER.id);

        let unit = compress(&*selection.software, self_test::CONTENT);
        assert!(decompress(&*accelerator.compressor, &unit) == self_test::CONTENT);
        assert_eq!(accelerator.compressor.effective().compress, None);
        let refused = accelerator.compressor.compress_session().err().unwrap();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
    }
    let full = Spec::new(Format::Zlib).with_window_log(15).unwrap();
    assert!(
        factory()
            .compressor(&full)
            .unwrap()
            .compress_session()
            .is_ok()
    );
}

#[test]
fn whatever_it_reads_it_says_so_itself() {
    let compressor = factory().compressor(&Spec::new(Format::Zlib)).unwrap();
    let mut session = compressor.decompress_session().unwrap();
    let mut dst = [0; 8];
    for src in [
        &b""[..],
        b"\x78\x9c",
        b"\x78\xbb\0\0\0\0",
        b"\x78\x9c\x4b\x4c\x4a\x06\0",
    ] {
        let error = session.decompress(src, &mut dst).unwrap_err();
        assert_eq!(error.provider(), PROVIDER.id);
    }
    assert_eq!(session.provider(), PROVIDER.id);
}

fn compressor(software: bool, format: Format, level: i32) -> Arc<dyn Compressor> {
    let spec = Spec::new(format).with_level(level).unwrap();
    if software {
        compressor_deflate::factory().compressor(&spec).unwrap()
    } else {
        factory().compressor(&spec).unwrap()
    }
}

fn compress(compressor: &dyn Compressor, content: &[u8]) -> Vec<u8> {
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
    let mut session = compressor.compress_session().unwrap();
    let n = session.compress(content, &mut unit).unwrap();
    unit.truncate(n);
    unit
}

fn decompress(compressor: &dyn Compressor, unit: &[u8]) -> Vec<u8> {
    let mut content = vec![0; 1 << 20];
    let mut session = compressor.decompress_session().unwrap();
    let n = session.decompress(unit, &mut content).unwrap();
    content.truncate(n);
    content
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_reads_what_the_other_wrote(
        start in 0..4_000_usize,
        repeats in 1..18_usize,
        noise in proptest::collection::vec(any::<u8>(), 0..500),
        level in 0..=9,
        which in 0..3_usize,
    ) {
        let format = FORMATS[which];
        let content = [&self_test::CONTENT[start..], &noise].concat().repeat(repeats);
        for by_software in [true, false] {
            let writer = compressor(by_software, format, level);
            let reader = compressor(!by_software, format, level);
            let unit = compress(&*writer, &content);
            prop_assert!(decompress(&*reader, &unit) == content);
        }
    }
}

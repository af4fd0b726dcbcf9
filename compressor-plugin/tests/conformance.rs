//! The conformance suite, through the ABI: the example in C, and every provider of this workspace.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::path::Path;

use common::{cargo_build, make_example};
use compressor_api::{OpenError, Registry};
use compressor_conformance::alloc::CountingAllocator;
use compressor_conformance::{Options, Subject, assert_subject_conforms};
use compressor_plugin::load;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Runs the suite on a plugin, with the software codecs to cross-check with.
fn assert_conforms(library: &Path) {
    let entry = load(library).unwrap();
    let registry = Registry::builder().provider(entry).build().unwrap();
    let factory = match registry.open(entry.id.as_str()) {
        Err(OpenError::Absent { why }) => {
            eprintln!("skipped: {why}");
            return;
        }
        opened => opened.unwrap(),
    };
    let subject = Subject::new(factory)
        .with_reference(compressor_deflate::factory())
        .with_reference(compressor_lz4::factory())
        .with_reference(compressor_snappy::factory())
        .with_reference(compressor_zstd::factory());
    assert_subject_conforms(&subject, &Options::from_env());
}

#[test]
fn the_example_in_c() {
    if let Some(library) = make_example() {
        assert_conforms(&library);
    }
}

#[test]
fn the_template_in_rust() {
    let file = "libexample_plugin_rust.so";
    assert_conforms(&cargo_build("--package", "example-plugin-rust", file));
}

#[test]
fn libdeflate() {
    let file = "libcompressor_provider_libdeflate.so";
    assert_conforms(&cargo_build(
        "--package",
        "compressor-provider-libdeflate",
        file,
    ));
}

#[test]
fn isal() {
    let file = "libcompressor_provider_isal.so";
    assert_conforms(&cargo_build("--package", "compressor-provider-isal", file));
}

#[test]
fn zlib() {
    assert_conforms(&cargo_build(
        "--example",
        "codec_deflate",
        "libcodec_deflate.so",
    ));
}

#[test]
fn lz4() {
    assert_conforms(&cargo_build("--example", "codec_lz4", "libcodec_lz4.so"));
}

#[test]
fn snappy() {
    assert_conforms(&cargo_build(
        "--example",
        "codec_snappy",
        "libcodec_snappy.so",
    ));
}

#[test]
fn zstd_with_dictionaries() {
    assert_conforms(&cargo_build("--example", "codec_zstd", "libcodec_zstd.so"));
}

//! The suite on every codec of the workspace, each cross-checked with another where there is one.
//!
//! Quick unless `COMPRESSOR_CONFORMANCE=full` is set.
#![allow(missing_docs, reason = "a test")]

use compressor_conformance::{Options, Subject, assert_conforms, assert_subject_conforms};

compressor_conformance::count_mallocs!();

#[test]
fn lz4_conforms() {
    assert_conforms(compressor_lz4::factory());
}

#[test]
fn snappy_conforms() {
    assert_conforms(compressor_snappy::factory());
}

#[test]
fn zstd_conforms() {
    assert_conforms(compressor_zstd::factory());
}

#[test]
fn deflate_conforms() {
    let reference = provider_libdeflate::factory();
    let subject = Subject::new(compressor_deflate::factory()).with_reference(reference);
    assert_subject_conforms(&subject, &Options::from_env());
}

#[test]
fn libdeflate_conforms() {
    let reference = compressor_deflate::factory();
    let subject = Subject::new(provider_libdeflate::factory()).with_reference(reference);
    assert_subject_conforms(&subject, &Options::from_env().must_accelerate());
}

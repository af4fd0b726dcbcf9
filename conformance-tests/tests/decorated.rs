//! The suite on the decorator: an accelerator with software behind it is one provider like any
//! other, and nothing of what is proved for each of them alone may get lost.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test may stop at the first surprise"
)]

use std::sync::Arc;

use compressor_api::{CompressorFactory, ProviderEntry, Registry};
use compressor_conformance::host::Decorated;
use compressor_conformance::{Options, Subject, assert_subject_conforms, run};

compressor_conformance::count_mallocs!();

/// A provider in the decorator, with software behind it, and beside software.
fn decorated(
    provider: &'static ProviderEntry,
    software: &[&'static ProviderEntry],
    reference: Arc<dyn CompressorFactory>,
) -> Subject {
    let builder = Registry::builder().provider(provider);
    let builder = software
        .iter()
        .fold(builder, |builder, entry| builder.provider(entry));
    let decorated = Decorated::new(builder.build().unwrap(), provider.id.as_str());
    let decorated = Arc::new(decorated);
    let counted = Arc::clone(&decorated);
    Subject::new(decorated)
        .composed()
        .with_reference(reference)
        .with_served(move || counted.served())
}

#[test]
fn libdeflate_before_zlib_conforms_and_accelerates() {
    let subject = decorated(
        &provider_libdeflate::PROVIDER,
        &[&compressor_deflate::PROVIDER],
        compressor_deflate::factory(),
    );
    assert_subject_conforms(&subject, &Options::from_env().must_accelerate());
}

#[test]
fn software_alone_conforms_and_does_not_pass_for_accelerated() {
    for (software, reference) in [
        (&compressor_lz4::PROVIDER, compressor_lz4::factory()),
        (&compressor_snappy::PROVIDER, compressor_snappy::factory()),
        (&compressor_zstd::PROVIDER, compressor_zstd::factory()),
    ] {
        let subject = || decorated(software, &[], Arc::clone(&reference));
        assert_subject_conforms(&subject(), &Options::from_env());

        let must = Options::quick().only("accelerates").must_accelerate();
        let report = run(&subject(), &must, |_| {});
        assert!(report.failed_checks().contains("accelerates"), "{report}");
    }
}

//! The conformance suite over the simulated device, in both versions of QATzip's API: alone, inside
//! the decorator, and as a plugin. Whatever ran in software is a failure.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod sim;

use std::path::PathBuf;
use std::sync::Arc;

use compressor_api::Registry;
use compressor_conformance::alloc::CountingAllocator;
use compressor_conformance::host::Decorated;
use compressor_conformance::matrix::Party;
use compressor_conformance::{Options, Report, Subject, assert_subject_conforms, matrix, outside};
use provider_qat::PROVIDER;
use sim::plugins::cargo_build;
use sim::{APIS, Api, PATIENT, Sim};

/// Not QATzip's: it takes memory when a session is made anew, after a unit that was corrupt.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn with_references(subject: Subject) -> Subject {
    subject
        .with_reference(compressor_deflate::factory())
        .with_reference(compressor_lz4::factory())
        .with_reference(compressor_zstd::factory())
}

fn alone(api: Api) {
    let sim = Sim::new("alone", api, "");
    let subject = with_references(Subject::new(sim.factory()));
    assert_subject_conforms(&subject, &Options::from_env().must_accelerate());
}

#[test]
fn alone_over_api_2_5() {
    alone(Api::V2_5);
}

#[test]
fn alone_over_api_2_6() {
    alone(Api::V2_6);
}

/// Within which LZ4 frames, and frames made of sequences, have limits of their own.
#[test]
fn alone_with_the_largest_buffers() {
    for api in APIS {
        let sim = Sim::new("largest", api, "");
        let factory = sim.open(&[("hw_buffer_size", "512KiB")]).unwrap();
        let subject = with_references(Subject::new(factory));
        assert_subject_conforms(&subject, &Options::from_env().must_accelerate());
    }
}

/// What the provider writes others read, and the other way round, within the limits that it lists:
/// the workspace's codecs, frozen units, and the implementations from elsewhere that are found here.
#[test]
fn with_other_implementations_of_its_formats() {
    let options = Options::from_env();
    for api in APIS {
        let sim = Sim::new("others", api, "");
        let parties = [
            Party::new("intel.qat", sim.factory()),
            Party::new("software.deflate", compressor_deflate::factory()),
            Party::new("software.lz4", compressor_lz4::factory()),
            Party::new("software.zstd", compressor_zstd::factory()),
        ];
        let reports = matrix::run(&parties, &options, |_| {});
        assert!(reports.iter().any(Report::conforms));
        for report in reports {
            assert_eq!(report.failures().count(), 0, "{report}");
        }
        let subject = Subject::new(sim.factory());
        let frozen = options.clone().only("outside:frozen");
        let report = outside::run_with(&mut [], "intel.qat", &subject, &frozen);
        assert!(report.conforms(), "{report}");
    }
    let subject = Subject::new(Sim::new("elsewhere", Api::V2_6, "").factory());
    let report = outside::run_with(&mut outside::detect(), "intel.qat", &subject, &options);
    assert!(report.conforms(), "{report}");
}

/// A provider in the decorator, with software behind it.
fn decorated(sim: &Sim) -> Subject {
    let registry = Registry::builder()
        .provider(&PROVIDER)
        .provider(&compressor_deflate::PROVIDER)
        .provider(&compressor_lz4::PROVIDER)
        .provider(&compressor_zstd::PROVIDER)
        .param("intel.qat", "library_path", &sim.path)
        .param("intel.qat", PATIENT.0, PATIENT.1)
        .build()
        .unwrap();
    registry.open("intel.qat").unwrap();
    let decorated = Arc::new(Decorated::new(registry, "intel.qat"));
    let counted = Arc::clone(&decorated);
    Subject::new(Arc::clone(&decorated) as _)
        .composed()
        .with_accelerated(decorated.accelerated().iter().copied())
        .with_served(move || counted.served())
}

#[test]
fn decorated_over_api_2_5() {
    let subject = decorated(&Sim::new("decorated", Api::V2_5, ""));
    assert_subject_conforms(&subject, &Options::from_env().must_accelerate());
}

#[test]
fn decorated_over_api_2_6() {
    let subject = decorated(&Sim::new("decorated", Api::V2_6, ""));
    assert_subject_conforms(&subject, &Options::from_env().must_accelerate());
}

#[test]
fn as_a_plugin_over_both() {
    let entry = compressor_plugin::load(plugin()).unwrap();
    for api in APIS {
        let sim = Sim::new("plugin", api, "");
        let registry = Registry::builder()
            .provider(entry)
            .param("intel.qat", "library_path", &sim.path)
            .param("intel.qat", PATIENT.0, PATIENT.1)
            .build()
            .unwrap();
        let subject = with_references(Subject::new(registry.open("intel.qat").unwrap()));
        assert_subject_conforms(&subject, &Options::from_env().must_accelerate());
    }
}

/// The plugin, in a folder that only this user may write to.
fn plugin() -> PathBuf {
    let file = "libcompressor_provider_qat.so";
    cargo_build("--package", "compressor-provider-qat", file)
}

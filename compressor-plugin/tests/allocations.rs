//! No heap allocation per operation through the ABI, on either side of it.
//!
//! This program counts what every library of the process asks of the heap: Rust here, Rust in a
//! plugin, and C.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::path::Path;

use common::{Fixture, cargo_build, make_example};
use compressor_api::{
    CompressSession, CompressorFactory, DecompressSession, Direction, ErrorKind, Job, OpenError,
    Params, Spec, self_test,
};
use compressor_conformance::{Options, Subject, alloc, assert_subject_conforms};
use compressor_plugin::load;

compressor_conformance::count_mallocs!();

/// Sessions of one compressor, and buffers for them.
struct Bench {
    content: Vec<u8>,
    unit: Vec<u8>,
    compress: Box<dyn CompressSession>,
    decompress: Box<dyn DecompressSession>,
}

impl Bench {
    fn new(factory: &dyn CompressorFactory, spec: &Spec) -> Self {
        let compressor = factory.compressor(spec).unwrap();
        let content = self_test::CONTENT.repeat(4);
        Self {
            unit: vec![0; compressor.max_compressed_len(content.len()).unwrap()],
            content,
            compress: compressor.compress_session().unwrap(),
            decompress: compressor.decompress_session().unwrap(),
        }
    }

    /// Success, too little room, corruption, and a batch. Allocates nothing itself.
    fn operate(&mut self) {
        let n = self
            .compress
            .compress(&self.content, &mut self.unit)
            .unwrap();
        let (mut out, mut more) = ([0; 16 << 10], [0; 16 << 10]);
        let out = &mut out[..self.content.len()];
        assert_eq!(
            self.decompress.decompress(&self.unit[..n], out),
            Ok(out.len())
        );
        let unit = &self.unit[..n];
        let short = out.len() - 1;
        let kind = self
            .decompress
            .decompress(unit, &mut out[..short])
            .unwrap_err()
            .kind();
        assert_eq!(kind, ErrorKind::OutputTooSmall);
        // Format `none` has no way to be corrupt.
        if n < out.len() {
            let kind = self
                .decompress
                .decompress(&unit[..n - 1], out)
                .unwrap_err()
                .kind();
            assert_eq!(kind, ErrorKind::CorruptInput);
        }
        let mut jobs = [Job::new(unit, out), Job::new(unit, &mut more)];
        self.decompress.decompress_many(&mut jobs);
        assert!(jobs.iter().all(|job| job.result.is_ok()));
        let kind = self
            .compress
            .compress(&self.content, &mut self.unit[..n - 1]);
        assert_eq!(kind.unwrap_err().kind(), ErrorKind::OutputTooSmall);
    }

    /// Allocations of some rounds, after a few to warm up.
    fn allocations(&mut self) -> u64 {
        for _ in 0..3 {
            self.operate();
        }
        let rounds = || (0..10).for_each(|_| self.operate());
        alloc::allocations(rounds).1
    }
}

/// Nothing is allocated: in these rounds, nor in those of the conformance suite.
fn assert_none(library: &Path) {
    let entry = load(library).unwrap();
    let params = Params::parse(entry.params, []).unwrap();
    let factory = match entry.opener.open(&params) {
        Err(OpenError::Absent { why }) => {
            eprintln!("skipped: {why}");
            return;
        }
        opened => opened.unwrap(),
    };
    let all = factory.capabilities();
    for listed in all.iter().filter(|c| c.direction == Direction::Compress) {
        if all.iter().filter(|c| c.format == listed.format).count() == 2 {
            let level = listed.levels.default_level();
            let spec = Spec::new(listed.format).with_level(level).unwrap();
            let mut bench = Bench::new(&*factory, &spec);
            assert_eq!(bench.allocations(), 0, "{} {}", entry.id, listed.format);
        }
    }
    let options = Options::from_env().only("allocates-nothing");
    assert_subject_conforms(&Subject::new(factory), &options);
}

#[test]
fn an_allocation_in_a_plugin_would_be_seen() {
    let fields = ".compress = copy_mallocs";
    let Some(library) = Fixture::new("mallocs").fields(fields).build() else {
        return;
    };
    let entry = load(&library).unwrap();
    let factory = entry.opener.open(&Params::default()).unwrap();
    let allocations = Bench::new(&*factory, &Spec::new(entry.formats[0])).allocations();
    // Two operations that compress in each of ten rounds.
    assert_eq!(allocations, 20);

    let library = cargo_build("--example", "fixture_rust", "libfixture_rust.so");
    let entry = load(&library).unwrap();
    let before = alloc::count();
    let params = Params::parse(entry.params, [("note", "absent")]).unwrap();
    let host_only = alloc::count() - before;
    entry.opener.open(&params).unwrap_err();
    assert!(
        alloc::count() - before > host_only + 2,
        "the plugin makes a long text"
    );
}

#[test]
fn plugins_in_c() {
    if let Some(library) = Fixture::new("sound").build() {
        assert_none(&library);
    }
    let fields = ".compress_many = copy_many, .decompress_many = copy_many";
    if let Some(library) = Fixture::new("batches").fields(fields).build() {
        assert_none(&library);
    }
    if let Some(library) = make_example() {
        assert_none(&library);
    }
}

#[test]
fn plugins_in_rust() {
    for provider in ["isal", "libdeflate"] {
        let package = format!("compressor-provider-{provider}");
        let file = format!("libcompressor_provider_{provider}.so");
        assert_none(&cargo_build("--package", &package, &file));
    }
    for codec in ["codec_deflate", "codec_lz4", "codec_snappy", "codec_zstd"] {
        assert_none(&cargo_build("--example", codec, &format!("lib{codec}.so")));
    }
}

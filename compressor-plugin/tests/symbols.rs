//! Plugins keep their symbols to themselves, so that one library's zlib never meets another's.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::thread;

use common::{cargo_build, make_example};
use compressor_api::{Compressor, Format, OpenError, Registry, Spec, self_test};
use compressor_plugin::load;

/// Every plugin of this workspace that this machine can build.
static PLUGINS: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let mut plugins: Vec<PathBuf> = make_example().into_iter().collect();
    for (package, file) in [
        ("compressor-provider-isal", "libcompressor_provider_isal.so"),
        (
            "compressor-provider-libdeflate",
            "libcompressor_provider_libdeflate.so",
        ),
        ("compressor-provider-qat", "libcompressor_provider_qat.so"),
        ("example-plugin-rust", "libexample_plugin_rust.so"),
    ] {
        plugins.push(cargo_build("--package", package, file));
    }
    for codec in ["codec_deflate", "codec_lz4", "codec_snappy", "codec_zstd"] {
        plugins.push(cargo_build("--example", codec, &format!("lib{codec}.so")));
    }
    plugins
});

/// The symbols that a library exports, or `None` without binutils.
fn exports(library: &Path) -> Option<Vec<String>> {
    let nm = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library)
        .output();
    let Ok(output) = nm else {
        eprintln!("skipped: there is no nm");
        return None;
    };
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(
        text.lines()
            .map(|line| line.rsplit(' ').next().unwrap().into())
            .collect(),
    )
}

#[test]
fn a_plugin_exports_its_entry_point_alone() {
    for plugin in &*PLUGINS {
        let Some(exports) = exports(plugin) else {
            return;
        };
        assert_eq!(exports, ["compressor_plugin_v1"], "{}", plugin.display());
    }
}

#[test]
fn plugins_and_linked_codecs_work_side_by_side() {
    let mut builder = Registry::builder()
        .provider(&compressor_deflate::PROVIDER)
        .provider(&compressor_lz4::PROVIDER)
        .provider(&compressor_snappy::PROVIDER)
        .provider(&compressor_zstd::PROVIDER)
        .provider(&compressor_api::stored::PROVIDER);
    for plugin in &*PLUGINS {
        builder = builder.provider(load(plugin).unwrap());
    }
    let registry = builder.build().unwrap();

    let mut compressors: Vec<Arc<dyn Compressor>> = Vec::new();
    for entry in registry.entries() {
        let factory = match registry.open(entry.id.as_str()) {
            Err(OpenError::Absent { why }) => {
                eprintln!("without {}: {why}", entry.id);
                continue;
            }
            opened => opened.unwrap(),
        };
        for format in Format::ALL {
            compressors.extend(factory.compressor(&Spec::new(format)).ok());
        }
    }
    assert!(compressors.len() >= 20, "{}", compressors.len());

    // Each writes what every other of its format reads, all at the same time.
    thread::scope(|scope| {
        for writer in compressors
            .iter()
            .filter(|c| c.effective().compress.is_some())
        {
            let compressors = &compressors;
            scope.spawn(move || {
                let format = writer.spec().format();
                let content = self_test::CONTENT;
                let mut unit = vec![0; writer.max_compressed_len(content.len()).unwrap()];
                let mut session = writer.compress_session().unwrap();
                let n = session.compress(content, &mut unit).unwrap();
                for reader in compressors.iter().filter(|c| c.spec().format() == format) {
                    let mut out = vec![0; content.len()];
                    // Not every one goes both ways.
                    if reader.effective().decompress.is_none() {
                        continue;
                    }
                    let mut session = reader.decompress_session().unwrap();
                    session.decompress_exact(&unit[..n], &mut out).unwrap();
                    assert_eq!(out, content, "{writer:?} to {reader:?}");
                }
            });
        }
    });
}

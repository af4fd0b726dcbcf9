//! The manifests that are kept beside our plugins say what their libraries say.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::fs;
use std::path::Path;

use common::{PACKAGE, cargo_build, directory, make_example};
use compressor_plugin::{load, manifest};

fn assert_manifest(library: &Path, kept: &str) {
    let expected = manifest(load(library).unwrap());
    let path = Path::new(PACKAGE).join("..").join(kept);
    if fs::read_to_string(&path).unwrap_or_default() != expected {
        let name = path.file_name().unwrap();
        let right = directory(&format!("manifest-{}", name.display())).join(name);
        fs::write(&right, expected).unwrap();
        panic!("{kept} is not {}", right.display());
    }
}

#[test]
fn of_our_plugins() {
    for name in ["isal", "libdeflate", "qat"] {
        let file = format!("libcompressor_provider_{name}");
        let package = format!("compressor-provider-{name}");
        let library = cargo_build("--package", &package, &format!("{file}.so"));
        assert_manifest(&library, &format!("plugins/{name}/{file}.toml"));
    }
}

#[test]
fn of_the_example_in_c() {
    if let Some(library) = make_example() {
        assert_manifest(&library, "examples/plugin-c/libzlib_plugin.toml");
    }
}

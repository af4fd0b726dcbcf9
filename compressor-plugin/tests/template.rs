//! The template for plugins in Rust works where it is meant to end up: outside of this workspace.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{PACKAGE, directory, mode};
use compressor_api::Registry;
use compressor_plugin::load;

#[test]
fn a_copy_builds_and_is_a_plugin() {
    let root = Path::new(PACKAGE).parent().unwrap();
    let template = root.join("examples/plugin-rust");
    let copy = directory("template");
    fs::create_dir(copy.join("src")).unwrap();
    let source = fs::read_to_string(template.join("src/lib.rs")).unwrap();
    let lines = source.lines().count();
    assert!(lines < 60, "{lines} lines are too many for a template");
    fs::write(copy.join("src/lib.rs"), source).unwrap();

    // The two paths as its README has it, and a word to Cargo that the folder around it is no
    // workspace of its. The versions of what they depend on are ours, which are here already.
    let manifest = fs::read_to_string(template.join("Cargo.toml")).unwrap();
    assert_eq!(manifest.matches("\"../../").count(), 2, "{manifest}");
    let manifest = manifest.replace("\"../../", &format!("\"{}/", root.display()));
    fs::write(copy.join("Cargo.toml"), manifest + "\n[workspace]\n").unwrap();
    fs::copy(root.join("Cargo.lock"), copy.join("Cargo.lock")).unwrap();

    // Kept from one run to the next.
    let target = copy.with_extension("target");
    let output = Command::new(env!("CARGO"))
        .current_dir(&copy)
        .args(["build", "--quiet", "--offline", "--target-dir"])
        .arg(&target)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");

    let file = "libexample_plugin_rust.so";
    let library = copy.join(file);
    fs::copy(target.join("debug").join(file), &library).unwrap();
    mode(&library, 0o755);
    let entry = load(&library).unwrap();
    let registry = Registry::builder().provider(entry).build().unwrap();
    registry.open("example.rust").unwrap();
}

//! A host of the first published version, kept as it was, works with today's plugins.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::path::Path;
use std::process::Command;

use common::{Fixture, PACKAGE, cargo_build, cc, directory};

#[test]
fn a_host_built_against_the_first_published_header_takes_todays_plugins() {
    let host = directory("frozen-host").join("host");
    let Some(cc) = cc() else { return };
    let output = Command::new(cc)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"])
        .arg("-I")
        .arg(Path::new(PACKAGE).join("tests/fixtures/v1.0"))
        .arg("-o")
        .arg(&host)
        .arg(Path::new(PACKAGE).join("tests/fixtures/v1.0/host.c"))
        .arg("-ldl")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let package = "compressor-provider-libdeflate";
    let in_rust = cargo_build("--package", package, "libcompressor_provider_libdeflate.so");
    let in_c = Fixture::of("newer", "newer.c").build().unwrap();
    for (plugin, format) in [(in_rust, "4"), (in_c, "0")] {
        let output = Command::new(&host).arg(&plugin).arg(format).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}: {output:?}", plugin.display());
        assert_eq!(said, "served\n");
    }
}

//! The header and the Rust definitions are the same ABI.
//!
//! Both are compared with the numbers of [`LAYOUTS`] and [`CONSTANTS`]: Rust when this crate is
//! compiled, C by `layout.c`, which is those numbers as `_Static_assert`s.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{PACKAGE, cc, directory};
use compressor_plugin::abi::{
    ABI_MAJOR, ABI_MINOR, CONSTANTS, HOST_MAGIC, LAYOUTS, PLUGIN_MAGIC, SYMBOL,
};

fn in_package(path: &str) -> PathBuf {
    Path::new(PACKAGE).join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(in_package(path)).unwrap()
}

/// The numbers of the Rust side as assertions in C.
fn assertions() -> String {
    let mut c = String::from(
        "/* Sizes, offsets and values as the Rust definitions have them. The test that compiles this\n \
         * says what it should be. */\n\
         #include \"compressor_plugin.h\"\n\n\
         #if UINTPTR_MAX == UINT64_MAX\n",
    );
    let mut check = |what: String, number: i128| {
        let suffix = if number > i128::from(i32::MAX) {
            "u"
        } else {
            ""
        };
        writeln!(c, "_Static_assert({what} == {number}{suffix}, \"{what}\");").unwrap();
    };
    for layout in LAYOUTS {
        check(format!("sizeof({})", layout.name), layout.size as i128);
        for (field, offset) in layout.fields {
            check(
                format!("offsetof({}, {field})", layout.name),
                *offset as i128,
            );
        }
    }
    for (name, value) in CONSTANTS {
        check((*name).into(), i128::from(*value));
    }
    check("CP_ABI_MAJOR".into(), i128::from(ABI_MAJOR));
    check("CP_ABI_MINOR".into(), i128::from(ABI_MINOR));
    check("CP_HOST_MAGIC".into(), i128::from(HOST_MAGIC));
    check("CP_PLUGIN_MAGIC".into(), i128::from(PLUGIN_MAGIC));
    check(
        "CP_NATIVE_FORKED".into(),
        i128::from(compressor_api::Error::NATIVE_FORKED),
    );
    check(
        "CP_NATIVE_SOFTWARE".into(),
        i128::from(compressor_api::Error::NATIVE_SOFTWARE),
    );
    c + "#endif\n"
}

#[test]
fn the_assertions_in_c_are_the_numbers_of_the_rust_side() {
    let expected = assertions();
    let path = "tests/fixtures/layout.c";
    if read(path) != expected {
        let kept = directory("layout").join("layout.c");
        fs::write(&kept, expected).unwrap();
        panic!("{path} is not {}", kept.display());
    }
}

/// Whether `compiler` takes `source` with `flags`, and what it says.
fn compiles(compiler: &Path, flags: &[&str], source: &str) -> Result<(), String> {
    let output = Command::new(compiler)
        .args(flags)
        .arg("-I")
        .arg(in_package("include"))
        .args(["-fsyntax-only"])
        .arg(in_package(source))
        .output()
        .unwrap();
    if output.status.success() && output.stderr.is_empty() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into())
    }
}

const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-Wpadded", "-Werror", "-pedantic"];

#[test]
fn the_header_keeps_to_them_in_every_c() {
    let Some(cc) = cc() else { return };
    for standard in ["-std=c11", "-std=c17", "-std=gnu11"] {
        let flags = [&STRICT[..], &[standard]].concat();
        compiles(&cc, &flags, "tests/fixtures/layout.c").unwrap();
    }
}

#[test]
fn the_header_is_cpp_as_well() {
    let cxx = PathBuf::from(std::env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    if Command::new(&cxx).arg("--version").output().is_err() {
        eprintln!("skipped: there is no C++ compiler ({})", cxx.display());
        return;
    }
    let flags = [&STRICT[..], &["-std=c++11", "-x", "c++"]].concat();
    compiles(&cxx, &flags, "include/compressor_plugin.h").unwrap();
}

#[test]
fn a_wrong_number_would_be_seen() {
    let Some(cc) = cc() else { return };
    let text = assertions().replace(
        "offsetof(cp_plugin, compress) == 168",
        "offsetof(cp_plugin, compress) == 160",
    );
    let source = directory("wrong").join("layout.c");
    fs::write(&source, text).unwrap();
    let said = compiles(&cc, &[], source.to_str().unwrap()).unwrap_err();
    assert!(said.contains("offsetof(cp_plugin, compress)"), "{said}");
}

#[test]
fn nothing_in_the_header_is_left_out() {
    let header = read("include/compressor_plugin.h");
    let known: BTreeSet<&str> = CONSTANTS.iter().map(|(name, _)| *name).collect();
    let defined: BTreeSet<&str> = header
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with("CP_") && header.contains(&format!(" {word} = ")))
        .collect();
    assert_eq!(known, defined);
    let structs: BTreeSet<&str> = LAYOUTS.iter().map(|layout| layout.name).collect();
    let declared: BTreeSet<&str> = header
        .lines()
        .filter_map(|line| line.strip_prefix("typedef struct ")?.strip_suffix(" {"))
        .collect();
    assert_eq!(structs, declared);
    let symbol = std::str::from_utf8(SYMBOL).unwrap().trim_end_matches('\0');
    assert!(header.contains(&format!("const cp_plugin *{symbol}(const cp_host *host);")));
}

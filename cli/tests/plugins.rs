//! `--plugin` and `COMPRESSOR_PLUGIN_PATH`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{assert_fails, command, run, run_with, stdout, text};
use serde_json::Value;
use tempfile::TempDir;

/// The plugin's library in its directory.
const LIBRARY: &str = "libzlib_plugin.so";

/// The root of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The example in C in a directory of its own, with its manifest; `None`, and a word on standard
/// error, if this machine lacks a C compiler or zlib's header.
fn example() -> Option<TempDir> {
    let source = root().join("examples/plugin-c");
    let dir = build(
        &source.join("zlib_plugin.c"),
        &["-include", "zlib.h"],
        &["-lz"],
    )?;
    let manifest = dir.path().join(LIBRARY).with_extension("toml");
    fs::copy(source.join("libzlib_plugin.toml"), &manifest).unwrap();
    mode(&manifest, 0o644);
    Some(dir)
}

/// A plugin in C in a directory of its own; `None`, and a word on standard error, if this machine
/// cannot compile nothing with these flags.
fn build(source: &Path, flags: &[&str], libraries: &[&str]) -> Option<TempDir> {
    let cc = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let probe = Command::new(&cc)
        .args(["-E", "-x", "c"])
        .args(flags)
        .arg("/dev/null")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no C compiler, or a header is missing: {flags:?}");
        return None;
    }
    let dir = directory();
    let library = dir.path().join(LIBRARY);
    let status = Command::new(&cc)
        .args(["-std=c11", "-O1", "-shared", "-fPIC", "-fvisibility=hidden"])
        .args(flags)
        .arg("-I")
        .arg(root().join("compressor-plugin/include"))
        .arg("-o")
        .arg(&library)
        .arg(source)
        .args(libraries)
        .status()
        .unwrap();
    assert!(status.success());
    mode(&library, 0o755);
    Some(dir)
}

/// What others may write to is refused, so that it must not depend on the umask.
fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn directory() -> TempDir {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    mode(dir.path(), 0o755);
    dir
}

fn library(dir: &TempDir) -> String {
    dir.path().join(LIBRARY).to_str().unwrap().into()
}

/// The state of the example as `list` prints it; `None` if it is not listed.
fn state(listed: Output) -> Option<String> {
    let list: Value = serde_json::from_slice(&stdout(listed)).unwrap();
    let providers = list["providers"].as_array().unwrap();
    let found = providers.iter().find(|p| p["id"] == "example.zlib")?;
    Some(found["state"].as_str().unwrap().into())
}

#[test]
fn a_plugin_is_listed_measured_and_used() {
    let Some(dir) = example() else { return };
    let library = library(&dir);
    let plugin = ["--plugin", &library];
    assert_eq!(state(run(&["list", "--json"])), None);
    let listed = run(&[&["list", "--json"], &plugin[..]].concat());
    assert_eq!(state(listed).as_deref(), Some("Ready"));

    let content = b"a row of a table ".repeat(100);
    let zlib = ["--format", "zlib", "--provider", "example.zlib"];
    let compress = [&["block", "compress"], &zlib[..], &plugin].concat();
    let unit = stdout(run_with(&compress, &content));
    let by_default = ["block", "decompress", "--format", "zlib"];
    assert_eq!(stdout(run_with(&by_default, &unit)), content);
    let decompress = [&["block", "decompress"], &zlib[..], &plugin].concat();
    assert_eq!(stdout(run_with(&decompress, &unit)), content);

    let bench = [
        "bench", "--json", "--data", "rows", "--size", "64KiB", "--time", "20ms",
    ];
    // A machine that is busy is logged as a warning.
    let measured = command(&[&bench, &zlib[..], &plugin].concat())
        .env("COMPRESSOR_LOG", "error")
        .output()
        .unwrap();
    let rows = stdout(measured);
    let rows: Value = serde_json::from_slice(&rows).unwrap();
    let mut rows = rows.as_array().unwrap().iter();
    let row = rows.find(|row| row["provider"] == "example.zlib").unwrap();
    assert!(row["accelerated_ops"].as_u64().unwrap() > 0, "{row}");
    assert_eq!(row["software_ops"], 0, "{row}");
}

#[test]
fn a_plugin_serves_chunk_files() {
    let Some(dir) = example() else { return };
    let library = library(&dir);
    let (file, to) = (dir.path().join("rows"), dir.path().to_str().unwrap());
    fs::write(&file, b"a row of a table ".repeat(5000)).unwrap();
    let pack = [
        "pack",
        file.to_str().unwrap(),
        "-o",
        to,
        "--class",
        "DeflateCompressor",
    ];
    let output = command(&[&pack[..], &["--json", "--plugin", &library]].concat())
        .env("COMPRESSOR_PREFERENCE", "example.zlib")
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&stdout(output)).unwrap();
    let served = &report["served"][0];
    assert_eq!(served["provider"], "example.zlib");
    assert_eq!(served["accelerated_ops"], report["chunks"]);
}

#[test]
fn the_same_plugin_twice_is_one() {
    let Some(dir) = example() else { return };
    let library = library(&dir);
    let args = ["list", "--json", "--plugin", &library, "--plugin", &library];
    let output = command(&args)
        .env("COMPRESSOR_PLUGIN_PATH", dir.path())
        .output()
        .unwrap();
    assert_eq!(state(output).as_deref(), Some("Ready"));
}

#[test]
fn plugins_in_directories_are_listed_and_bad_ones_left_out_with_a_warning() {
    let Some(dir) = example() else { return };
    let bad = dir.path().join("bad.so");
    fs::write(&bad, b"no library").unwrap();
    mode(&bad, 0o644);
    let output = command(&["list", "--json"])
        .env("COMPRESSOR_PLUGIN_PATH", dir.path())
        .output()
        .unwrap();
    let warned = text(&output.stderr);
    assert!(
        warned.contains("bad.so: is not a shared library"),
        "{warned}"
    );
    assert_eq!(warned.matches('\n').count(), 1, "{warned}");
    let silent = Output {
        stderr: Vec::new(),
        ..output
    };
    assert_eq!(state(silent).as_deref(), Some("Ready"));
}

#[test]
fn a_directory_in_the_configuration_is_listed_unless_the_variable_names_others() {
    let Some(dir) = example() else { return };
    let config = dir.path().join("config.toml");
    fs::write(&config, format!("plugin_path = [{:?}]", dir.path())).unwrap();
    let mut list = command(&["list", "--json"]);
    list.env("COMPRESSOR_CONFIG", &config);
    assert_eq!(state(list.output().unwrap()).as_deref(), Some("Ready"));
    let other = directory();
    list.env("COMPRESSOR_PLUGIN_PATH", other.path());
    assert_eq!(state(list.output().unwrap()), None);
}

#[test]
fn a_plugin_called_like_a_built_in_provider_is_refused_or_left_out() {
    let source = root().join("compressor-plugin/tests/fixtures/plugin.c");
    let Some(dir) = build(&source, &["-DID=\"libdeflate\""], &[]) else {
        return;
    };
    let output = run(&["list", "--plugin", &library(&dir)]);
    let says = "libzlib_plugin.so: is called libdeflate, as a provider that is built in";
    assert_fails(&output, 2, "InvalidArgument", says);

    let output = command(&["list", "--json"])
        .env("COMPRESSOR_PLUGIN_PATH", dir.path())
        .output()
        .unwrap();
    assert!(output.status.success());
    let warned = text(&output.stderr);
    assert!(warned.contains(says), "{warned}");
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(list["formats"][4]["compress"], "libdeflate");
}

#[test]
fn a_plugin_that_was_named_and_cannot_be_used_is_an_error() {
    let dir = directory();
    let file = dir.path().join("text.so");
    fs::write(&file, b"no library").unwrap();
    mode(&file, 0o644);
    let file = file.to_str().unwrap();
    let format = ["--format", "zlib"];
    for command in [
        &["list"][..],
        &[&["bench"], &format[..]].concat(),
        &[&["block", "compress"], &format[..]].concat(),
        &["verify", "pair"],
    ] {
        for (path, status, kind, says) in [
            (
                "relative.so",
                2,
                "InvalidArgument",
                "relative.so: a plugin is named by its absolute path",
            ),
            (
                "/nowhere/x.so",
                2,
                "InvalidArgument",
                "/nowhere/x.so: cannot be read: No such file",
            ),
            (file, 1, "Device", "text.so: is not a shared library"),
        ] {
            let output = run(&[command, &["--plugin", path]].concat());
            assert_fails(&output, status, kind, says);
        }
    }
}

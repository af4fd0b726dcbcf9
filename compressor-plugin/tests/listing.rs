//! Plugins in directories, with and without manifests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Fixture, directory, mode};
use compressor_api::{OpenError, ProviderEntry, Registry};
use compressor_plugin::{PluginError, Refusal, list, load};

/// A directory with one plugin in it, and its library.
fn with_plugin(name: &str) -> Option<(PathBuf, PathBuf)> {
    let plugins = directory(name);
    let library = Fixture::new(name).build_in(&plugins)?;
    Some((plugins, library))
}

/// Writes the manifest that belongs beside the library, with a line replaced.
fn write_manifest(library: &Path, name: &str, from: &str, to: &str) -> PathBuf {
    let text = format!(
        "abi = 1\nid = \"{name}\"\ndescription = \"A fixture of the tests\"\n\
         formats = [\"none\"]\npriority = 0\n"
    );
    assert!(text.contains(from));
    let file = library.with_extension("toml");
    fs::write(&file, text.replace(from, to)).unwrap();
    mode(&file, 0o644);
    file
}

fn open(entry: &'static ProviderEntry) -> Result<(), OpenError> {
    let registry = Registry::builder().provider(entry).build().unwrap();
    registry.open(entry.id.as_str()).map(drop)
}

fn only_error(plugins: &Path) -> PluginError {
    let mut listed = list([plugins]);
    assert_eq!(listed.len(), 1, "{listed:?}");
    listed.remove(0).unwrap_err()
}

#[test]
fn a_plugin_that_is_refused_does_not_keep_the_others_out() {
    let Some((plugins, library)) = with_plugin("b-good") else {
        return;
    };
    for (name, bytes) in [
        ("a-bad.so", &b"no library"[..]),
        ("c.txt", b""),
        ("libz.so.1", b""),
    ] {
        fs::write(plugins.join(name), bytes).unwrap();
        mode(&plugins.join(name), 0o644);
    }
    let elsewhere = Path::new("/nowhere/at/all");
    let listed = list([plugins.as_path(), elsewhere, Path::new("here"), &plugins]);
    let (taken, refused): (Vec<_>, Vec<_>) = listed.into_iter().partition(Result::is_ok);
    let taken: Vec<&str> = taken
        .into_iter()
        .map(|entry| entry.unwrap().id.as_str())
        .collect();
    assert_eq!(
        taken,
        ["b-good"],
        "once, though its directory is named twice"
    );
    let lines: Vec<String> = refused
        .into_iter()
        .map(|e| e.unwrap_err().to_string())
        .collect();
    let bad = format!(
        "{}: is not a shared library",
        plugins.join("a-bad.so").display()
    );
    assert_eq!(
        lines,
        [
            &bad,
            "/nowhere/at/all: cannot be read: No such file or directory (os error 2)",
            "here: a plugin is named by its absolute path",
            &bad,
        ]
    );
    assert_eq!(load(&library).unwrap().id.as_str(), "b-good");
}

#[test]
fn a_manifest_that_differs_from_its_library_refuses_it_when_it_is_loaded() {
    for (name, from, to, what) in [
        ("differs-id", "\"differs-id\"", "\"differs-name\"", "the id"),
        (
            "differs-formats",
            "\"none\"",
            "\"none\", \"zlib\"",
            "the formats",
        ),
        (
            "differs-priority",
            "priority = 0",
            "priority = 1",
            "the priority",
        ),
        (
            "differs-description",
            "A fixture",
            "The fixture",
            "the description",
        ),
        (
            "differs-params",
            "priority = 0",
            "[[params]]\nname = \"p\"\nkind = \"bool\"\ndefault = \"true\"\ndoc = \"\"",
            "the parameters",
        ),
    ] {
        let Some((plugins, library)) = with_plugin(name) else {
            return;
        };
        let manifest = write_manifest(&library, name, from, to);
        // By path, the library is loaded at once.
        let refused = load(&library).unwrap_err();
        let says = format!("{} and the library differ in {what}", manifest.display());
        assert!(refused.to_string().contains(&says), "{refused}");
        // In a directory, it is listed as the manifest says, and refused when it is needed.
        let entry = *list([&plugins])[0].as_ref().unwrap();
        let refused = open(entry).unwrap_err();
        assert!(
            matches!(&refused, OpenError::Misconfigured { .. }),
            "{refused}"
        );
        assert!(refused.why().contains(&says), "{refused}");
        assert_eq!(load(&library).unwrap_err().path(), library);
    }
}

#[test]
fn a_manifest_that_is_none_refuses_the_plugin() {
    let Some((plugins, library)) = with_plugin("broken-manifest") else {
        return;
    };
    let manifest = write_manifest(&library, "broken-manifest", "priority = 0", "priority = ");
    let says = "its manifest is wrong in line 5";
    assert!(only_error(&plugins).to_string().contains(says));
    write_manifest(&library, "broken-manifest", "abi = 1", "abi = 3");
    assert_eq!(
        only_error(&plugins).refusal(),
        &Refusal::OtherMajor { plugin: 3 }
    );
    write_manifest(&library, "broken-manifest", "abi = 1", "abi = 1");
    mode(&manifest, 0o666);
    let refused = only_error(&plugins);
    assert!(matches!(refused.refusal(), Refusal::Insecure { what, .. } if *what == manifest));
    fs::remove_file(&manifest).unwrap();
    fs::create_dir(&manifest).unwrap();
    assert!(
        only_error(&plugins)
            .to_string()
            .contains("its manifest cannot be read")
    );
    fs::remove_dir(&manifest).unwrap();
    assert!(list([&plugins])[0].is_ok());
}

#[test]
fn a_listed_library_is_checked_again_when_it_is_needed() {
    let name = "checked-again";
    let Some((plugins, library)) = with_plugin(name) else {
        return;
    };
    write_manifest(&library, name, "abi", "abi");
    let entry = *list([&plugins])[0].as_ref().unwrap();
    let why = |kind: fn(&OpenError) -> bool| {
        let refused = open(entry).unwrap_err();
        assert!(kind(&refused), "{refused}");
        refused.why().to_string()
    };
    let absent = |error: &OpenError| matches!(error, OpenError::Absent { .. });
    let misconfigured = |error: &OpenError| matches!(error, OpenError::Misconfigured { .. });

    mode(&library, 0o777);
    assert!(why(misconfigured).contains("mode 0777"));
    mode(&library, 0o755);
    let away = plugins.join("away");
    fs::rename(&library, &away).unwrap();
    assert!(why(absent).contains("No such file"));
    fs::copy(&away, &library).unwrap();
    mode(&library, 0o755);
    assert!(why(misconfigured).contains("was replaced since it was listed"));
    fs::rename(&away, &library).unwrap();
    open(entry).expect("all is as it was");
}

#[test]
fn a_manifest_with_a_name_that_is_taken_is_refused_before_anything_is_loaded() {
    let (Some((_, first)), Some((plugins, second))) =
        (with_plugin("taken"), with_plugin("also-taken"))
    else {
        return;
    };
    load(&first).unwrap();
    write_manifest(&second, "taken", "abi", "abi");
    let refused = load(&second).unwrap_err();
    assert!(matches!(refused.refusal(), Refusal::DuplicateId { id, .. } if id == "taken"));
    assert_eq!(only_error(&plugins), refused);
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    assert!(!maps.contains(second.to_str().unwrap()));
}

#[test]
fn a_registry_tries_again_when_it_is_told_to() {
    let name = "comes-late";
    let Some((plugins, library)) = with_plugin(name) else {
        return;
    };
    write_manifest(&library, name, "abi", "abi");
    let entry = *list([&plugins])[0].as_ref().unwrap();
    let registry = Registry::builder().provider(entry).build().unwrap();
    let away = plugins.join("away");
    fs::rename(&library, &away).unwrap();
    assert!(matches!(registry.open(name), Err(OpenError::Absent { .. })));
    fs::rename(&away, &library).unwrap();
    assert!(registry.open(name).is_err(), "remembered");
    registry.reprobe(name).unwrap();
}

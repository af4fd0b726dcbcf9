//! Plugins in directories, with and without manifests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use common::{Fixture, directory, fifo, mode};
use compressor_api::{Format, OpenError, Policy, ProviderEntry, Registry, Spec, stored};
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
            "/nowhere/at/all: cannot be searched for plugins: No such file or directory (os error 2)",
            "here: cannot be searched for plugins: it is not named by an absolute path",
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
        assert!(matches!(&refused, OpenError::Broken { .. }), "{refused}");
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
    let long = format!("{} = 1", "k".repeat(100_000));
    write_manifest(&library, "broken-manifest", "priority = 0", &long);
    let line = only_error(&plugins).to_string();
    assert!(line.contains("its manifest is wrong in line 5"), "{line}");
    assert!(line.ends_with("kkk...") && line.len() < 1000, "{line}");
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
            .contains("its manifest is not a regular file")
    );
    fs::remove_dir(&manifest).unwrap();
    assert!(list([&plugins])[0].is_ok());
}

#[test]
fn a_manifest_is_a_short_text_in_a_file_that_only_the_owner_could_have_written() {
    let name = "manifest-file";
    let Some((plugins, library)) = with_plugin(name) else {
        return;
    };
    let manifest = write_manifest(&library, name, "abi", "abi");
    let text = fs::read_to_string(&manifest).unwrap();
    let refused = |says: &str| {
        let line = only_error(&plugins).to_string();
        assert!(line.contains(says), "{line:?} does not say {says:?}");
    };

    fs::write(&manifest, format!("{text}#{}", "x".repeat(1 << 20))).unwrap();
    refused("its manifest has more than 1048576 bytes");
    fs::write(&manifest, [text.as_bytes(), b"# \xff"].concat()).unwrap();
    refused("its manifest is not UTF-8");
    let long = format!("A fixture of the tests{}", "x".repeat(234));
    fs::write(&manifest, text.replace("A fixture of the tests", &long)).unwrap();
    refused("its manifest has more than 255 bytes in its description");

    // What a link leads to is judged like a library: with the directory in which it lies.
    let elsewhere = directory("manifest-elsewhere");
    let target = elsewhere.join("manifest");
    fs::remove_file(&manifest).unwrap();
    symlink(&target, &manifest).unwrap();
    refused("its manifest cannot be read: No such file");
    fs::write(&target, &text).unwrap();
    mode(&target, 0o644);
    mode(&elsewhere, 0o777);
    refused(&format!("{} has mode 0777", elsewhere.display()));
    mode(&elsewhere, 0o755);

    // Nobody will ever write to it: opening it to read would not return.
    fs::remove_file(&target).unwrap();
    if fifo(&target).is_some() {
        refused("its manifest is not a regular file");
        fs::remove_file(&target).unwrap();
    }
    fs::write(&target, &text).unwrap();
    mode(&target, 0o644);
    assert!(list([&plugins])[0].is_ok());
}

#[test]
fn a_manifest_lies_beside_the_link_or_beside_what_it_leads_to() {
    let name = "versioned";
    let Some((plugins, library)) = with_plugin(name) else {
        return;
    };
    // libversioned.so -> libversioned.so.1.2.3, and libversioned.toml.
    let real = plugins.join("libversioned.so.1.2.3");
    fs::rename(&library, &real).unwrap();
    symlink(real.file_name().unwrap(), &library).unwrap();
    let manifest = write_manifest(&library, name, "A fixture", "The fixture");
    mode(&manifest, 0o666);
    assert!(matches!(
        only_error(&plugins).refusal(),
        Refusal::Insecure { what, .. } if *what == manifest
    ));
    mode(&manifest, 0o644);
    let says = format!(
        "{} and the library differ in the description",
        manifest.display()
    );
    let refused = load(&library).unwrap_err().to_string();
    assert!(refused.contains(&says), "{refused}");
    // The one beside the link comes first.
    let farther = directory("versioned-farther");
    let link = farther.join("libversioned.so");
    symlink(&library, &link).unwrap();
    let beside_the_link = write_manifest(&link, name, "abi", "abi");
    let own = real.with_extension("toml");
    fs::rename(&manifest, &own).unwrap();
    assert_eq!(load(&link).unwrap().description, "A fixture of the tests");
    // Loaded and listed already, so another plugin for the manifest beside the file itself.
    let name = "behind-a-link";
    let (_, behind) = with_plugin(name).unwrap();
    let manifest = write_manifest(&behind, name, "A fixture", "The fixture");
    mode(&manifest, 0o666);
    fs::remove_file(&link).unwrap();
    fs::remove_file(&beside_the_link).unwrap();
    symlink(&behind, &link).unwrap();
    let refused = only_error(&farther);
    assert!(matches!(refused.refusal(), Refusal::Insecure { what, .. } if *what == manifest));
    mode(&manifest, 0o644);
    let listed = list([&farther]);
    assert!(
        listed[0]
            .as_ref()
            .unwrap()
            .description
            .starts_with("The fixture")
    );
}

#[test]
fn a_library_that_loads_slowly_holds_up_no_other() {
    let slow = directory("slow");
    let (started, go) = (slow.join("started"), slow.join("go"));
    let fixture = Fixture::of("slow", "slow.c")
        .define("STARTED", &format!("{started:?}"))
        .define("GO", &format!("{go:?}"));
    let (Some(slow), Some((plugins, library))) = (fixture.build_in(&slow), with_plugin("fast"))
    else {
        return;
    };
    write_manifest(&library, "fast", "abi", "abi");
    let loading = thread::spawn(move || load(slow).unwrap());
    while !started.exists() {
        assert!(!loading.is_finished(), "it was loaded without saying so");
        thread::sleep(Duration::from_millis(1));
    }
    assert!(list([&plugins])[0].is_ok());
    assert!(!loading.is_finished(), "the list waited for it");
    fs::write(&go, b"").unwrap();
    assert_eq!(loading.join().unwrap().id.as_str(), "slow");
}

#[test]
fn a_listed_library_is_never_taken_for_the_next_file_in_its_place_on_the_disk() {
    let name = "deleted";
    let Some((plugins, library)) = with_plugin(name) else {
        return;
    };
    write_manifest(&library, name, "abi", "abi");
    let bytes = fs::read(&library).unwrap();
    let entry = *list([&plugins])[0].as_ref().unwrap();
    fs::remove_file(&library).unwrap();
    // File systems give a new file the inode of the last one that was deleted. The same content at
    // the same path would be another file all the same; here it is another plugin.
    for i in 0..8 {
        let name = format!("next-{i}");
        let next = plugins.join(format!("lib{name}.so"));
        fs::write(&next, &bytes).unwrap();
        mode(&next, 0o755);
        write_manifest(&next, &name, "abi", "abi");
    }
    let listed: Vec<&str> = { list([&plugins]).into_iter() }
        .map(|found| found.unwrap().id.as_str())
        .collect();
    assert_eq!(listed.len(), 8, "{listed:?}");
    assert!(!listed.contains(&entry.id.as_str()), "{listed:?}");
}

#[test]
fn a_listed_library_that_is_written_over_in_its_place_is_another_file() {
    let name = "written-over";
    let Some((plugins, library)) = with_plugin(name) else {
        return;
    };
    write_manifest(&library, name, "abi", "abi");
    let entry = *list([&plugins])[0].as_ref().unwrap();
    let mut file = OpenOptions::new().append(true).open(&library).unwrap();
    file.write_all(b"more").unwrap();
    drop(file);
    assert_eq!(only_error(&plugins).refusal(), &Refusal::Replaced);
    assert_eq!(load(&library).unwrap_err().refusal(), &Refusal::Replaced);
    let refused = open(entry).unwrap_err();
    assert!(refused.why().contains("was replaced since"), "{refused}");
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
    let broken = |error: &OpenError| matches!(error, OpenError::Broken { .. });

    mode(&library, 0o777);
    assert!(why(broken).contains("mode 0777"));
    mode(&library, 0o755);
    let away = plugins.join("away");
    fs::rename(&library, &away).unwrap();
    assert!(why(absent).contains("No such file"));
    fs::copy(&away, &library).unwrap();
    mode(&library, 0o755);
    assert!(why(broken).contains("was replaced since it was listed"));
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

#[test]
fn a_plugin_that_was_found_and_turns_out_wrong_leaves_its_formats_to_software() {
    let wrong = "found-wrong";
    let Some((plugins, library)) = with_plugin(wrong) else {
        return;
    };
    write_manifest(&library, wrong, "\"none\"", "\"none\", \"zlib\"");
    let found = *list([&plugins])[0].as_ref().unwrap();
    let misfit = "found-misfit";
    let plugins = directory(misfit);
    let fixture = Fixture::of(misfit, "misfit.c");
    fixture.build_in(&plugins).unwrap();
    let misfit = *list([&plugins])[0].as_ref().unwrap();
    let select = |entry: &'static ProviderEntry, params: &[(&str, &str)]| {
        let mut builder = Registry::builder()
            .provider(&stored::PROVIDER)
            .provider(entry);
        for (name, value) in params {
            builder = builder.param(entry.id.as_str(), *name, *value);
        }
        let registry = builder.build().unwrap();
        let selected = registry.select(&Spec::new(Format::None), &Policy::default());
        (
            registry.open(entry.id.as_str()).unwrap_err(),
            selected.map(drop),
        )
    };
    for entry in [found, misfit] {
        let (refused, selected) = select(entry, &[]);
        assert!(matches!(refused, OpenError::Broken { .. }), "{refused}");
        selected.expect("software is there");
    }
    // An operator who sets a parameter, or names the plugin, is told.
    let strictly = |params| {
        let (refused, selected) = select(misfit, params);
        assert!(
            matches!(refused, OpenError::Misconfigured { .. }),
            "{refused}"
        );
        assert!(
            refused
                .why()
                .ends_with("the queue is none of this device's"),
            "{refused}"
        );
        selected.expect_err("start-up stops");
    };
    strictly(&[("queue", "8")]);
    load(plugins.join("libfound-misfit.so")).unwrap();
    strictly(&[]);
}

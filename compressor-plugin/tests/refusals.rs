//! What is refused before a plugin is opened: each with one line that says what and where, and with
//! nothing registered.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use common::{Fixture, PACKAGE, cc, directory, fifo, mode};
use compressor_api::{
    Direction, Effort, Efforts, ErrorKind, Format, ProviderClass, ProviderEntry, ProviderId,
    Registry, RegistryError, Shortfall, Spec, Verdict, stored,
};
use compressor_plugin::{PluginError, Refusal, load};

/// The refusal, after checking that its line says where.
fn refused(path: &Path) -> PluginError {
    let error = load(path).expect_err("it should have been refused");
    let line = error.to_string();
    let name = &*path.to_string_lossy();
    assert!(line.starts_with(name), "{line}");
    assert_eq!(line.matches(name).count(), 1, "{line}");
    assert!(!line.contains('\n'), "{line}");
    assert_eq!(error.path(), path);
    // Refused again, for the same reason: the first time left nothing behind.
    assert_eq!(load(path).unwrap_err(), error);
    error
}

fn says(error: &PluginError, words: &str) {
    let line = error.to_string();
    assert!(line.contains(words), "{line:?} does not say {words:?}");
}

#[test]
fn a_sound_plugin_is_taken_once() {
    let Some(library) = Fixture::new("sound").build() else {
        return;
    };
    let entry = load(&library).unwrap();
    assert_eq!(entry.id.as_str(), "sound");
    assert_eq!(entry.description, "A fixture of the tests");
    assert!(std::ptr::eq(load(&library).unwrap(), entry));

    let link = directory("sound-link").join("link.so");
    symlink(&library, &link).unwrap();
    assert!(std::ptr::eq(load(&link).unwrap(), entry));
    let roundabout = library.parent().unwrap().join("../sound/libsound.so");
    assert!(std::ptr::eq(load(&roundabout).unwrap(), entry));

    let registry = Registry::builder().provider(entry).build().unwrap();
    registry.open("sound").unwrap();
}

#[test]
fn a_relative_path() {
    let error = refused(Path::new("plugins/libx.so"));
    assert_eq!(error.refusal(), &Refusal::RelativePath);
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_path_that_leads_nowhere() {
    let error = refused(Path::new("/nowhere/libx.so"));
    says(&error, "No such file");
    assert!(matches!(error.refusal(), Refusal::NotThere { .. }));
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_name_of_two_lines() {
    let directory = directory("two\nlines");
    let path = directory.join("x.so");
    fs::write(&path, b"no library").unwrap();
    mode(&path, 0o755);
    let line = load(&path).unwrap_err().to_string();
    assert!(
        line.ends_with("two\\nlines/x.so: is not a shared library"),
        "{line}"
    );
    assert!(!line.contains('\n'), "{line}");
}

#[test]
fn what_is_no_file() {
    let directory = directory("directory.so");
    assert_eq!(refused(&directory).refusal(), &Refusal::NotAFile);
    let device = refused(Path::new("/dev/null"));
    assert_eq!(device.refusal(), &Refusal::NotAFile);
    // One that nobody will ever write to: opening it would not return.
    let Some(pipe) = fifo(&directory.join("pipe.so")) else {
        return;
    };
    assert_eq!(refused(&pipe).refusal(), &Refusal::NotAFile);
}

#[test]
fn what_is_no_library() {
    let directory = directory("no-library");
    for (name, bytes) in [
        ("empty.so", &b""[..]),
        ("short.so", b"\x7fEL"),
        ("text.so", b"a library, I swear"),
    ] {
        let path = directory.join(name);
        fs::write(&path, bytes).unwrap();
        mode(&path, 0o755);
        assert_eq!(refused(&path).refusal(), &Refusal::NotALibrary, "{name}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_library_that_is_cut_short_never_reaches_the_loader() {
    let Some(library) = Fixture::new("whole").build() else {
        return;
    };
    let bytes = fs::read(&library).unwrap();
    let cut = directory("cut").join("libwhole.so");
    // Within the headers, and at a page: there the loader would map what is not there, and die of it.
    for len in (21..bytes.len() / 6).step_by(509).chain([21, 64, 4096]) {
        fs::write(&cut, &bytes[..len]).unwrap();
        mode(&cut, 0o755);
        let error = refused(&cut);
        says(&error, "cannot be loaded: the file is cut short");
        says(&error, &format!(" {len} bytes of at least "));
        assert!(matches!(error.refusal(), Refusal::Damaged { .. }));
        assert_eq!(error.kind(), ErrorKind::Device);
        let listed = compressor_plugin::list([cut.parent().unwrap()]);
        assert_eq!(listed[0].as_ref().unwrap_err(), &error);
    }
    // Nothing of it was kept: the whole file is taken.
    fs::write(&cut, &bytes).unwrap();
    load(&cut).unwrap();
}

/// A library that is no plugin, and its bytes.
fn needed_library(cc: &Path, name: &str, flags: &[&str]) -> (PathBuf, Vec<u8>) {
    let directory = directory(name);
    let library = directory.join(format!("lib{name}.so"));
    let built = Command::new(cc)
        .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
        .arg(&library)
        .arg(Path::new(PACKAGE).join("tests/fixtures/no_symbol.c"))
        .args(flags)
        .status();
    assert!(built.unwrap().success());
    let bytes = fs::read(&library).unwrap();
    (library, bytes)
}

#[test]
#[cfg(target_os = "linux")]
fn a_needed_library_that_is_cut_short_never_reaches_the_loader() {
    let Some(cc) = cc() else { return };
    // libneeds-cut.so needs one by its path; that one needs one beside it by its name.
    let (inner, inner_bytes) = needed_library(&cc, "inner", &["-Wl,-soname,libinner.so"]);
    let search = format!("-L{}", inner.parent().unwrap().display());
    let run_path = ["-linner", "-Wl,-rpath,/nowhere:$ORIGIN/../inner", &search];
    let (outer, outer_bytes) = needed_library(&cc, "outer", &run_path);
    let library = Fixture::new("needs-cut")
        .flag("-Wl,--no-as-needed")
        .flag(outer.to_str().unwrap())
        .build()
        .unwrap();

    for (path, bytes) in [(&outer, &outer_bytes), (&inner, &inner_bytes)] {
        for len in [64, 4096, bytes.len() / 3] {
            fs::write(path, &bytes[..len]).unwrap();
            let error = refused(&library);
            says(&error, "libneeds-cut.so: cannot be loaded: it needs /");
            let file = path.file_name().unwrap().to_str().unwrap();
            says(&error, &format!("/{file}: the file is cut short"));
            assert!(matches!(error.refusal(), Refusal::Damaged { .. }));
            assert_eq!(error.kind(), ErrorKind::Device);
        }
        // What is no library at all, the loader says itself.
        fs::write(path, b"a library, I swear").unwrap();
        assert!(matches!(
            refused(&library).refusal(),
            Refusal::Loader { .. }
        ));
        fs::write(path, bytes).unwrap();
    }
    load(&library).expect("now all is there");
}

#[test]
#[cfg(target_os = "linux")]
fn a_library_of_which_the_end_is_zeros_never_reaches_the_loader() {
    let Some(library) = Fixture::new("preallocated").build() else {
        return;
    };
    let bytes = fs::read(&library).unwrap();
    let mut without_sections = bytes.clone();
    // e_shoff, e_shnum and e_shstrndx.
    without_sections[40..48].fill(0);
    without_sections[60..64].fill(0);
    let copy = directory("zeros").join("libpreallocated.so");
    let zeros_from = |whole: &[u8], start: usize| {
        let mut bytes = whole.to_vec();
        bytes[start..].fill(0);
        fs::write(&copy, &bytes).unwrap();
        mode(&copy, 0o755);
        let error = refused(&copy);
        says(&error, "cannot be loaded: its ");
        assert!(
            matches!(error.refusal(), Refusal::Damaged { .. }),
            "{error}"
        );
        assert_eq!(error.kind(), ErrorKind::Device);
    };
    // The last section's header is 64 bytes.
    let starts = (1000..bytes.len() - 64).step_by(1001);
    for start in starts.chain((4096..bytes.len() - 64).step_by(4096)) {
        zeros_from(&bytes, start);
    }
    for start in [1000, 4096, 8192] {
        zeros_from(&without_sections, start);
    }
    fs::write(&copy, &without_sections).unwrap();
    load(&copy).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn a_needed_library_is_held_to_what_the_plugin_is_held_to() {
    let Some(cc) = cc() else { return };
    let (needed, bytes) = needed_library(&cc, "held-to", &["-Wl,-soname,libheld-to.so"]);
    let directory = needed.parent().unwrap();
    let search = format!("-L{}", directory.display());
    for (name, how) in [
        ("needs-by-path", needed.to_str().unwrap().to_string()),
        ("needs-by-name", "-lheld-to".to_string()),
    ] {
        let library = Fixture::new(name)
            .flag("-Wl,--no-as-needed")
            .flag("-Wl,-rpath,$ORIGIN/../held-to")
            .flag(&search)
            .flag(how)
            .build()
            .unwrap();
        let insecure = |what: &str, why: &str| {
            let error = refused(&library);
            says(&error, why);
            says(&error, what);
            assert!(
                matches!(error.refusal(), Refusal::Insecure { .. }),
                "{error}"
            );
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        };
        mode(&needed, 0o777);
        insecure("/libheld-to.so has", "has mode 0777");
        mode(&needed, 0o755);
        mode(directory, 0o777);
        insecure("/held-to has", "has mode 0777");
        mode(directory, 0o755);
        // One that is not there yet, others could put there.
        let first = common::directory("held-to-first");
        mode(&first, 0o777);
        let before = Fixture::new(&format!("{name}-second"))
            .flag("-Wl,--no-as-needed")
            .flag(format!("-Wl,-rpath,{}:$ORIGIN/../held-to", first.display()))
            .flag(&search)
            .flag("-lheld-to")
            .build()
            .unwrap();
        says(&refused(&before), "/held-to-first has mode 0777");
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            chown(&needed, Some(12_345), None).unwrap();
            insecure("/libheld-to.so belongs", "belongs to user 12345");
            chown(&needed, Some(0), None).unwrap();
        }
        fs::remove_file(&needed).unwrap();
        // One that nobody will ever write to: the loader would wait for that.
        if fifo(&needed).is_some() {
            let error = refused(&library);
            says(&error, "cannot be loaded: it needs /");
            says(&error, "/libheld-to.so: is not a regular file");
            fs::remove_file(&needed).unwrap();
        }
        fs::write(&needed, &bytes).unwrap();
        mode(&needed, 0o755);
        load(&library).expect("now all is right");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_needed_library_is_found_where_the_loader_finds_it() {
    let Some(cc) = cc() else { return };
    let (inner, inner_bytes) = needed_library(&cc, "deep", &["-Wl,-soname,libdeep.so"]);
    let place = inner.parent().unwrap();
    let search = format!("-L{}", place.display());
    // This one does not say where the other one lies: what needs it does.
    let outer = ["-Wl,-soname,libmiddle.so", "-ldeep", &search];
    let (outer, _) = needed_library(&cc, "middle", &outer);
    fs::copy(&outer, place.join("libmiddle.so")).unwrap();
    mode(&place.join("libmiddle.so"), 0o755);
    let above = std::env::current_dir().unwrap();
    let relative = "../".repeat(above.components().count() - 1) + &place.to_str().unwrap()[1..];
    let run_paths = [
        ("inherits", place.to_str().unwrap()),
        ("relative", &relative),
    ];
    let libraries = run_paths.map(|(name, run_path)| {
        let library = Fixture::new(name)
            .flag("-Wl,--no-as-needed")
            .flag("-Wl,--disable-new-dtags")
            .flag(format!("-Wl,-rpath,{run_path}"))
            .flag(format!("-Wl,-rpath-link,{}", place.display()))
            .flag(&search)
            .flag("-lmiddle");
        library.build().unwrap()
    });
    fs::write(&inner, &inner_bytes[..4096]).unwrap();
    for library in &libraries {
        let error = refused(library);
        says(&error, "cannot be loaded: it needs /");
        says(&error, "/libdeep.so: the file is cut short");
    }
    fs::write(&inner, &inner_bytes).unwrap();
    for library in &libraries {
        load(library).expect("now all is there");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_library_for_another_machine() {
    let Some(library) = Fixture::new("other-machine").build() else {
        return;
    };
    let mut bytes = fs::read(&library).unwrap();
    // e_machine, which no machine has.
    bytes[18..20].fill(0xee);
    fs::write(&library, &bytes).unwrap();
    let error = refused(&library);
    says(
        &error,
        "is a library for another machine: architecture 61166",
    );
    assert_eq!(error.kind(), ErrorKind::Device);
}

#[test]
fn a_file_or_directory_that_others_may_write() {
    let Some(library) = Fixture::new("writable").build() else {
        return;
    };
    for bits in [0o775, 0o757, 0o777] {
        mode(&library, bits);
        let error = refused(&library);
        says(&error, &format!("mode {bits:04o}"));
        assert!(matches!(error.refusal(), Refusal::Insecure { what, .. } if what == &library));
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
    mode(&library, 0o755);
    let directory = library.parent().unwrap();
    for bits in [0o775, 0o757, 0o1777] {
        mode(directory, bits);
        let error = refused(&library);
        says(&error, &format!("mode {bits:04o}"));
        assert!(matches!(error.refusal(), Refusal::Insecure { what, .. } if what == directory));
    }
    mode(directory, 0o755);
    load(&library).unwrap();
}

#[test]
fn a_link_is_judged_by_what_it_leads_to() {
    let Some(library) = Fixture::new("linked-writable").build() else {
        return;
    };
    mode(&library, 0o777);
    let link = directory("links").join("link.so");
    symlink(&library, &link).unwrap();
    says(
        &refused(&link),
        &format!("{} has mode 0777", library.display()),
    );
}

#[test]
fn a_file_of_another_user() {
    let Some(library) = Fixture::new("foreign").build() else {
        return;
    };
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        eprintln!("skipped: only root can give a file away");
        return;
    }
    chown(&library, Some(12_345), None).unwrap();
    says(&refused(&library), "belongs to user 12345");
    chown(&library, Some(0), None).unwrap();
    let directory = library.parent().unwrap();
    chown(directory, Some(12_345), None).unwrap();
    says(&refused(&library), "belongs to user 12345");
    chown(directory, Some(0), None).unwrap();
    load(&library).unwrap();
}

#[test]
fn a_library_without_the_symbol() {
    let Some(library) = Fixture::of("no-symbol", "no_symbol.c").build() else {
        return;
    };
    let error = refused(&library);
    assert_eq!(error.refusal(), &Refusal::NoSymbol);
    says(&error, "compressor_plugin_v1");
}

#[test]
fn another_major_version_in_the_name_of_the_symbol() {
    for major in [0, 2, 17] {
        let fixture = Fixture::of(&format!("symbol-v{major}"), "other_symbol.c")
            .define("SYMBOL", &format!("compressor_plugin_v{major}"));
        let Some(library) = fixture.build() else {
            return;
        };
        let error = refused(&library);
        assert_eq!(error.refusal(), &Refusal::OtherMajor { plugin: major });
        says(&error, &format!("version {major} "));
        says(&error, "version 1");
    }
}

#[test]
fn another_major_version_in_the_table() {
    let fixture =
        Fixture::new("table-v2").fields(".head = {sizeof(cp_plugin), 2, 0, CP_PLUGIN_MAGIC}");
    let Some(library) = fixture.build() else {
        return;
    };
    let error = refused(&library);
    assert_eq!(error.refusal(), &Refusal::OtherMajor { plugin: 2 });
    says(&error, "version 2 ");
    says(&error, "version 1");
}

#[test]
fn a_missing_library_is_named_by_the_loader() {
    let Some(cc) = cc() else { return };
    let (needed, _) = needed_library(&cc, "needed-by-fixture", &[]);
    let library = Fixture::new("needs")
        .flag("-Wl,--no-as-needed")
        .flag(needed.to_str().unwrap())
        .build()
        .unwrap();
    let elsewhere = needed.with_extension("kept");
    fs::rename(&needed, &elsewhere).unwrap();
    let error = refused(&library);
    says(&error, "cannot be loaded: ");
    says(&error, "libneeded-by-fixture.so");
    assert!(matches!(error.refusal(), Refusal::Loader { .. }));

    fs::rename(&elsewhere, &needed).unwrap();
    load(&library).expect("now all is there");
}

#[test]
fn a_symbol_that_only_another_plugin_has() {
    let helps = Fixture::of("helps", "helper.c").define("HELPS", "");
    let needs = Fixture::of("needs-help", "helper.c");
    let (Some(helps), Some(needs)) = (helps.build(), needs.build()) else {
        return;
    };
    // It defines the symbol and exports it; that must not reach the other one, and an operation
    // is too late to find out.
    load(&helps).unwrap();
    says(&refused(&needs), "undefined symbol: helper");
}

#[test]
#[cfg(target_os = "linux")]
fn a_library_that_ran_stays_loaded() {
    let is_mapped = |library: &Path| {
        let maps = fs::read_to_string("/proc/self/maps").unwrap();
        maps.contains(library.to_str().unwrap())
    };
    let Some(sound) = Fixture::new("stays").build() else {
        return;
    };
    let registry = Registry::builder()
        .provider(load(&sound).unwrap())
        .build()
        .unwrap();
    drop(registry.open("stays").unwrap());
    drop(registry);
    assert!(is_mapped(&sound));
    // Its initialisers ran, whatever came of it.
    let unsound = Fixture::new("stays-too")
        .fields(".open = 0")
        .build()
        .unwrap();
    assert!(!is_mapped(&unsound));
    refused(&unsound);
    assert!(is_mapped(&unsound));
}

/// Builds `plugin.c` with fields of its table replaced, and finds it refused.
fn refused_table(name: &str, fields: &str) -> Option<PluginError> {
    let fixture = Fixture::new(name).fields(fields);
    Some(refused(&fixture.build()?))
}

#[test]
fn tables_that_are_none() {
    for (name, fields, says_so) in [
        ("magic", ".head.magic = 0x1234", "0x0000000000001234"),
        ("magic-host", ".head.magic = CP_HOST_MAGIC", "magic number"),
        (
            "size-16",
            ".head.struct_size = 16",
            "16 bytes; the first version had 200",
        ),
        ("size-199", ".head.struct_size = 199", "199 bytes"),
        ("size-0", ".head.struct_size = 0", "0 bytes"),
    ] {
        let Some(error) = refused_table(name, fields) else {
            return;
        };
        says(&error, says_so);
        assert_eq!(error.kind(), ErrorKind::Device);
    }
}

#[test]
fn null_functions() {
    for entry in [
        "open",
        "close",
        "capabilities",
        "health",
        "compressor_new",
        "compressor_free",
        "effective",
        "max_compressed_len",
        "session_new",
        "session_free",
        "compress",
        "decompress",
    ] {
        let name = format!("null-{}", entry.replace('_', "-"));
        let Some(error) = refused_table(&name, &format!(".{entry} = 0")) else {
            return;
        };
        assert_eq!(error.refusal(), &Refusal::NullEntry { entry });
        says(&error, entry);
    }
}

#[test]
fn optional_functions_may_be_null() {
    let fields = ".self_test = 0, .compress_many = 0, .decompress_many = 0";
    let Some(library) = Fixture::new("optional").fields(fields).build() else {
        return;
    };
    load(&library).unwrap();
}

#[test]
fn tables_that_contradict_themselves() {
    let long = format!(".id = \"{}\"", "x".repeat(256));
    let mut cases = vec![
        ("id-null", ".id = 0", "lacks its id"),
        ("id-empty", ".id = \"\"", "lower-case"),
        ("id-letters", ".id = \"Two Words\"", "\"Two Words\""),
        ("id-newline", ".id = \"two\\nlines\"", "\"two\\nlines\""),
        ("id-software", ".id = \"software.zstd\"", "linked software"),
        ("id-utf8", ".id = \"\\xff\"", "its id that is not UTF-8"),
        ("id-long", &long, "more than 255 bytes in its id"),
        ("doc-null", ".description = 0", "lacks its description"),
        (
            "doc-escape",
            ".description = \"\\033]0;x\\007\"",
            "U+001B in its description",
        ),
        ("doc-utf8", ".description = \"\\xc3(\"", "not UTF-8"),
        ("no-format", ".format_count = 0", "lists no format"),
        ("formats-null", ".formats = 0", "formats at an address"),
        (
            "formats-odd-address",
            ".formats = (const uint32_t *)((const char *)odd + 1)",
            "formats at an address",
        ),
        ("formats-many", ".format_count = SIZE_MAX", "formats"),
        (
            "formats-unknown",
            ".formats = odd, .format_count = 2",
            "unknown format 99",
        ),
        (
            "formats-twice",
            ".formats = twice, .format_count = 2",
            "zlib twice",
        ),
        ("priority-high", ".priority = 32768", "32768"),
        ("priority-low", ".priority = -32769", "-32769"),
        (
            "params-null",
            ".param_count = 1, .param_size = sizeof(cp_param)",
            "parameters at an",
        ),
        (
            "params-short",
            ".params = no_range, .param_count = 1, .param_size = 8",
            "parameters of 8 bytes",
        ),
        (
            "params-crooked",
            ".params = no_range, .param_count = 1, .param_size = 65",
            "parameters of 65 bytes",
        ),
        (
            "params-huge",
            ".params = no_range, .param_count = 1, .param_size = SIZE_MAX",
            "parameters of",
        ),
    ]
    .into_iter()
    .map(|(name, fields, says)| (name, fields.to_string(), says))
    .collect::<Vec<_>>();
    for (name, params, says) in [
        (
            "param-default",
            "default_out_of_range",
            "parameter n cannot be \"17\"",
        ),
        ("param-twice", "same_name", "parameter m twice"),
        ("param-range", "no_range", "\"r\" that fits nothing"),
        ("param-negative", "negative_bytes", "\"b\" below zero"),
        ("param-kind", "unknown_kind", "unknown kind, 6"),
        ("param-null-name", "null_name", "lacks the name"),
        ("param-no-name", "no_name", "without a name"),
        ("param-case", "upper_case", "\"Depth\"; a name is made of"),
        ("param-doc", "doc_turns_back", "U+202E in the doc"),
        ("param-null-default", "null_default", "lacks the default"),
        (
            "param-choice",
            "no_such_choice",
            "parameter c cannot be \"c\"",
        ),
        ("param-wordless", "no_choices", "\"v\" without choices"),
        ("param-words", "null_choices", "choices at an address"),
    ] {
        let fields = format!(
            ".params = {params}, .param_count = sizeof {params} / sizeof *{params}, \
             .param_size = sizeof(cp_param)"
        );
        cases.push((name, fields, says));
    }
    for (name, fields, says_so) in &cases {
        let Some(error) = refused_table(name, fields) else {
            return;
        };
        assert!(
            matches!(error.refusal(), Refusal::Contradiction { .. }),
            "{error}"
        );
        says(&error, says_so);
    }
}

#[test]
fn entry_points_that_return_no_table() {
    for (name, returns, refusal) in [
        ("returns-null", "0", Refusal::NoTable),
        (
            "returns-odd",
            "(const cp_plugin *)(const void *)((const char *)host + 1)",
            Refusal::NotATable,
        ),
    ] {
        let fixture = Fixture::of(name, "returns.c").define("RETURNS", returns);
        let Some(library) = fixture.build() else {
            return;
        };
        // Asked twice, but entered once: the fixture ends the process if it is entered again.
        assert_eq!(refused(&library).refusal(), &refusal);
    }
}

#[test]
fn a_library_that_took_the_place_of_one_that_ran() {
    let sound = Fixture::new("repaired");
    let Some(library) = sound.clone().fields(".open = 0").build() else {
        return;
    };
    refused(&library);
    // The loader would give the old one again.
    let repaired = sound.build_in(&directory("repaired-elsewhere")).unwrap();
    fs::rename(&repaired, &library).unwrap();
    let error = refused(&library);
    assert_eq!(error.refusal(), &Refusal::Replaced);
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    // Under a name that the loader does not know yet there is no doubt.
    let renamed = library.with_file_name("librenamed.so");
    fs::rename(&library, &renamed).unwrap();
    assert_eq!(load(&renamed).unwrap().id.as_str(), "repaired");
}

#[test]
fn a_library_that_took_the_place_of_one_that_could_not_be_loaded() {
    let Some(sound) = Fixture::new("mended").build_in(&directory("mended-elsewhere")) else {
        return;
    };
    let library = Fixture::of("mended", "helper.c").build().unwrap();
    says(&refused(&library), "undefined symbol: helper");
    fs::rename(&sound, &library).unwrap();
    assert_eq!(load(&library).unwrap().id.as_str(), "mended");
}

#[test]
fn a_name_that_another_plugin_has() {
    let first = Fixture::new("one-name").build();
    let second = directory("one-name-again");
    let (Some(first), Some(second)) = (first, Fixture::new("one-name").build_in(&second)) else {
        return;
    };
    load(&first).unwrap();
    let error = refused(&second);
    says(&error, "is named one-name, as is ");
    says(&error, &first.to_string_lossy());
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_name_that_a_linked_provider_has() {
    static LINKED: ProviderEntry = ProviderEntry::new(
        ProviderId::new("linked-name"),
        ProviderClass::Accelerator,
        "Linked",
        stored::PROVIDER.formats,
        stored::PROVIDER.opener,
    );
    let Some(library) = Fixture::new("linked-name").build() else {
        return;
    };
    let builder = Registry::builder()
        .provider(&LINKED)
        .provider(load(&library).unwrap());
    let refused = builder.build().unwrap_err();
    assert!(matches!(refused, RegistryError::Duplicate { .. }));
}

#[test]
fn a_touched_library_that_has_run_is_the_same_one() {
    let Some(library) = Fixture::new("touched").build() else {
        return;
    };
    let entry = load(&library).unwrap();
    let touch = || {
        let file = fs::File::options().append(true).open(&library).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        file
    };
    touch();
    assert!(std::ptr::eq(load(&library).unwrap(), entry));
    // Its size tells that it was written over.
    touch().write_all(b"more").unwrap();
    assert_eq!(refused(&library).refusal(), &Refusal::Replaced);
}

#[test]
fn a_plugin_of_a_newer_minor_version_is_taken_as_far_as_it_is_understood() {
    let Some(library) = Fixture::of("newer", "newer.c").build() else {
        return;
    };
    let entry = load(&library).unwrap();
    assert_eq!(entry.formats, [Format::None]);
    assert_eq!(entry.params.len(), 2);
    let registry = Registry::builder().provider(entry).build().unwrap();
    let factory = registry.open("newer").unwrap();
    let efforts: Vec<Efforts> = factory.capabilities().iter().map(|c| c.efforts).collect();
    let speed = Efforts::NONE.with(Effort::Speed, 3);
    assert_eq!(efforts, [speed, Efforts::NONE]);
}

#[test]
fn a_plugin_built_against_the_first_published_header_is_taken() {
    let fixture = Fixture::of("frozen", "v1.0/plugin.c").against("tests/fixtures/v1.0");
    let Some(library) = fixture.build() else {
        return;
    };
    let entry = load(&library).unwrap();
    let registry = Registry::builder().provider(entry).build().unwrap();
    let factory = registry.open("frozen-1-0").unwrap();
    // It has no word for efforts: it serves none, and others then compress.
    for capabilities in factory.capabilities() {
        assert_eq!(capabilities.efforts, Efforts::NONE);
    }
    let speed = Spec::new(Format::None).with_effort(Effort::Speed);
    let [compress, decompress] =
        Direction::BOTH.map(|direction| registry.candidate("frozen-1-0", &speed, direction));
    let lacks = Verdict::Lacks(Shortfall::Effort);
    assert_eq!(compress.err(), Some(lacks));
    let effective = decompress.unwrap().compressor.effective().clone();
    assert_eq!(
        (effective.compress, effective.decompress.is_some()),
        (None, true)
    );
}

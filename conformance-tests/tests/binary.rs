//! The command as an operator runs it: what it prints, what it writes, and how it ends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may stop at the first surprise"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What came of a run.
#[derive(Debug)]
struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compressor-conformance"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("COMPRESSOR_")) {
        command.env_remove(name);
    }
    command
}

fn ended(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        status: output.status.code().expect("no signal"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn run(arguments: &[&str]) -> Ran {
    ended(command().args(arguments))
}

/// A directory for what a test writes.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("binary")
        .join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    mode(&path);
    path
}

/// Plugins and their directories must not be writable by others, whatever the umask is.
fn mode(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The plugin in C that the plugin crate's own tests build, with fields of its table replaced.
fn plugin(name: &str, flags: &[&str]) -> String {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compressor-plugin");
    let library = directory(name).join("libplugin.so");
    let built = Command::new("cc")
        .args(["-std=c11", "-O1", "-shared", "-fPIC", "-fvisibility=hidden"])
        .arg("-I")
        .arg(package.join("include"))
        .arg(format!("-DID=\"{name}\""))
        .args(flags)
        .arg("-o")
        .arg(&library)
        .arg(package.join("tests/fixtures/plugin.c"))
        .output()
        .expect("a C compiler, which the codecs take as well");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "{name}: {said}");
    mode(&library);
    library.to_str().unwrap().to_owned()
}

/// The arguments of the first line that runs a failure again, without quotes.
fn replay_of(out: &str) -> Vec<String> {
    let line = { out.lines() }
        .find_map(|line| line.trim_start().strip_prefix("compressor-conformance "))
        .unwrap_or_else(|| panic!("no line to run again: {out}"));
    let (options, again) = line.split_once("--replay '").unwrap();
    let again = again.strip_suffix('\'').unwrap();
    let options = options
        .split_whitespace()
        .map(|one| one.trim_matches('\'').to_owned());
    options
        .chain(["--replay".to_owned(), again.to_owned()])
        .collect()
}

#[test]
fn a_provider_that_conforms_ends_well_and_is_written_down() {
    let directory = directory("conforms");
    let (json, junit) = (directory.join("out.json"), directory.join("out.xml"));
    // What was there before is replaced to its end.
    fs::write(&json, "x".repeat(4 << 20)).unwrap();
    let ran = run(&[
        "--quick",
        "--provider",
        "software.snappy",
        "--json",
        json.to_str().unwrap(),
        "--junit",
        junit.to_str().unwrap(),
    ]);
    assert_eq!(ran.status, 0, "{ran:?}");
    // A progress bar is for a terminal.
    assert_eq!(ran.err, "");
    assert!(ran.out.contains("| software.snappy"), "{}", ran.out);
    assert!(
        ran.out.contains("| decorated:software.snappy"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("\nPASSED: 1 providers ran"), "{}", ran.out);
    assert!(ran.out.contains("\nSkipped:\n(1) "), "{}", ran.out);

    let found: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    assert_eq!(found["conforms"], true);
    assert_eq!(found["quick"], true);
    assert_eq!(found["seed"], 1);
    assert_eq!(found["machine"]["os"], std::env::consts::OS);
    let providers = found["providers"].as_array().unwrap();
    assert_eq!(providers.len(), 1);
    assert_eq!(providers[0]["state"], "ran");
    assert_eq!(providers[0]["version"], Value::Null);
    let reports = providers[0]["reports"].as_array().unwrap();
    let names: Vec<_> = reports.iter().map(|report| &report["provider"]).collect();
    assert_eq!(names, ["software.snappy", "decorated:software.snappy"]);
    let rows = reports[0]["rows"].as_array().unwrap();
    let row = |check: &str, direction: &str| {
        let mut rows = rows.iter();
        rows.find(|row| row["check"] == check && row["direction"] == direction)
            .unwrap()
    };
    // The program counts, C included; what was skipped says why.
    assert_eq!(row("allocates-nothing", "compress")["outcome"], "passed");
    assert_eq!(row("survives-fork", "decompress")["outcome"], "passed");
    let skipped = &row("dictionary-round-trip", "compress")["outcome"]["skipped"];
    assert_eq!(skipped["reason"], "nothing of the kind is listed");
    // With itself and with the decorator, each way.
    assert_eq!(found["matrix"].as_array().unwrap().len(), 4);

    let suites = quick_junit::Report::deserialize_from_str(&fs::read_to_string(junit).unwrap());
    let suites = suites.unwrap();
    assert_eq!((suites.failures, suites.errors), (0, 0));
    let suite = |name: &str, cases: usize| {
        let mut suites = suites.test_suites.iter();
        suites.any(|suite| suite.name.as_str() == name && suite.test_cases.len() == cases)
    };
    assert!(suite("software.snappy", 1));
    assert!(suite("software.snappy", rows.len()));
}

/// The result of a run is in its files, whatever became of whoever looked on.
#[test]
fn results_are_saved_where_standard_output_takes_nothing() {
    let directory = directory("no-output");
    let (json, junit) = (directory.join("out.json"), directory.join("out.xml"));
    let mut command = command();
    command
        .args(["--quick", "--provider", "software.none"])
        .args(["--check", "round-trip", "--json"])
        .arg(&json)
        .arg("--junit")
        .arg(&junit)
        .stdout(fs::File::options().write(true).open("/dev/full").unwrap());
    let ran = ended(&mut command);
    assert_eq!(ran.status, 1, "{ran:?}");
    let says = "Io: cannot write to standard output: ";
    assert!(ran.err.starts_with(says), "{ran:?}");
    let found: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    assert_eq!(found["conforms"], true);
    let suites = fs::read_to_string(junit).unwrap();
    assert!(quick_junit::Report::deserialize_from_str(&suites).is_ok());
}

/// A file that turns out to be too small for the result is no reason to say nothing of it.
#[test]
fn what_was_found_is_printed_where_it_cannot_be_saved() {
    let arguments = ["--quick", "--provider", "software.none"];
    let more = ["--check", "round-trip", "--json", "/dev/full"];
    let ran = run(&[&arguments[..], &more].concat());
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("\nPASSED: 1 providers ran"), "{ran:?}");
    assert!(ran.err.starts_with("Io: cannot write /dev/full"), "{ran:?}");
}

#[test]
fn another_seed_is_other_data_and_is_said() {
    let ran = run(&[
        "--quick",
        "--provider",
        "software.none",
        "--check",
        "round-trip",
        "--seed",
        "9",
    ]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.out.contains("(seed 9, quick)"), "{}", ran.out);
}

#[test]
fn every_check_is_listed_with_what_it_proves() {
    let ran = run(&["--list"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    for check in compressor_conformance::checks() {
        let line = { ran.out.lines() }
            .find(|line| line.starts_with(&format!("| {} ", check.name())))
            .unwrap_or_else(|| panic!("{} is not listed", check.name()));
        assert!(line.contains(check.proves()), "{line}");
    }
    assert!(ran.out.contains("| cross-read "), "{}", ran.out);
}

#[test]
fn what_the_command_does_not_take_is_one_line_and_status_two() {
    for (arguments, named) in [
        (&["--provider", "software.nothing"][..], "software.snappy"),
        (&["--colour"], "--colour"),
        (&["--seed", "many"], "--seed"),
        (
            &["--plugin", "/no/such/libplugin.so"],
            "/no/such/libplugin.so",
        ),
        (
            &["--list", "--plugin", "/no/such/libplugin.so"],
            "/no/such/libplugin.so",
        ),
        (&["--list", "--provider", "nobody"], "software.snappy"),
        (&["--check", "no-such-check"], "--list"),
        (&["--check", ""], "takes the name of a check"),
        (&["--check", "accelerates"], "--must-accelerate"),
        (&["--replay", "check=round-trip"], "subject=NAME"),
        (&["--replay", ""], "subject=NAME"),
        (
            &[
                "--replay",
                "subject=software.none check=round-trip format=none direction=compress \
                 size=99999999999999",
            ],
            "1073741824 at most",
        ),
        (
            &[
                "--replay",
                "subject=software.none check=",
                "--provider",
                "isal",
            ],
            "--provider",
        ),
        (
            &["--replay", "subject=nobody check=round-trip"],
            "software.snappy",
        ),
        (
            &["--replay", "subject=software.lz4 check=nothing"],
            "round-trip",
        ),
        (&["--replay", "subject=software.lz4 colour=red"], "colour"),
        (&["--replay", "check=x", "--json", "out.json"], "--json"),
    ] {
        let ran = run(arguments);
        assert_eq!(ran.status, 2, "{arguments:?}: {ran:?}");
        assert_eq!(
            (ran.out.as_str(), ran.err.lines().count()),
            ("", 1),
            "{ran:?}"
        );
        assert!(ran.err.starts_with("InvalidArgument: "), "{ran:?}");
        assert!(ran.err.contains(named), "{ran:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_a_failure() {
    let ran = run(&[
        "--quick",
        "--provider",
        "software.none",
        "--check",
        "round-trip",
        "--json",
        "/no/such/directory/out.json",
    ]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.starts_with("Io: cannot write /no/such"), "{ran:?}");
    // Before anything was run.
    assert_eq!(ran.out, "");
}

#[test]
fn one_file_for_both_results_is_refused_however_it_is_named() {
    let directory = directory("one-file");
    let path = directory.join("out");
    let other = directory.join(".").join("out");
    for other in [&path, &other] {
        let (path, other) = (path.to_str().unwrap(), other.to_str().unwrap());
        let ran = run(&["--quick", "--json", path, "--junit", other]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{ran:?}");
        assert!(ran.err.contains("the same file"), "{ran:?}");
    }
}

#[test]
fn where_nothing_could_be_tried_the_result_says_so() {
    let ran = run(&[
        "--quick",
        "--provider",
        "software.none",
        "--check",
        "dictionary-round-trip",
    ]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let says = "\nFAILED: nothing could be tried, so nothing is proved\n";
    assert!(ran.out.contains(says), "{}", ran.out);
}

#[test]
fn software_in_place_of_an_accelerator_is_a_failure_if_it_must_accelerate() {
    let one = ["--quick", "--check", "accelerates", "--provider"];
    let with = |provider, more: &[&str]| run(&[&one[..], &[provider], more].concat());
    let fine = with("libdeflate", &["--must-accelerate"]);
    assert_eq!(fine.status, 0, "{fine:?}");
    let ran = with("software.zstd", &["--must-accelerate"]);
    assert_eq!(ran.status, 1);
    assert!(
        ran.out.contains("FAILED software.zstd: no accelerator"),
        "{}",
        ran.out
    );
}

#[test]
fn an_absent_provider_is_skipped_and_a_failure_where_it_must_accelerate() {
    let library = plugin("absent", &["-DFIELDS=.open = open_absent"]);
    let absent = |more: &[&str]| {
        let arguments = [
            "--quick",
            "--provider",
            "absent",
            "--provider",
            "libdeflate",
        ];
        let arguments = [
            &arguments[..],
            &["--check", "round-trip", "--plugin", &library],
        ];
        run(&[&arguments.concat()[..], more].concat())
    };
    let ran = absent(&[]);
    let row = { ran.out.lines() }.find(|line| line.starts_with("| plugin:absent "));
    let row = row.unwrap_or_else(|| panic!("{ran:?}"));
    assert!(row.contains("Absent: "), "{row}");
    assert!(row.contains("looked for /dev/none, found nothing"), "{row}");
    assert!(!ran.out.contains("FAILED plugin:absent"), "{}", ran.out);

    let ran = absent(&["--must-accelerate"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.out.contains("\nFAILED plugin:absent: Absent: "),
        "{}",
        ran.out
    );
}

#[test]
fn a_provider_that_is_set_up_wrongly_is_a_failure() {
    let mut command = command();
    command
        .env(
            "COMPRESSOR_PARAMS",
            "isal.library_path=/no/such/libisal.so.2",
        )
        .args(["--quick", "--check", "round-trip"])
        .args(["--provider", "isal", "--provider", "software.none"]);
    let ran = ended(&mut command);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.out.contains("\nFAILED isal: Misconfigured: "),
        "{}",
        ran.out
    );
    // The others run all the same.
    assert!(
        ran.out.contains("| decorated:software.none "),
        "{}",
        ran.out
    );
}

#[test]
fn a_plugin_that_keeps_the_contract_passes() {
    let library = plugin("sound", &[]);
    let ran = run(&["--quick", "--provider", "sound", "--plugin", &library]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for name in ["plugin:sound", "decorated:plugin:sound"] {
        assert!(ran.out.contains(&format!("| {name} ")), "{}", ran.out);
    }
}

#[test]
fn a_plugin_that_misbehaves_fails_and_so_does_the_line_that_runs_it_again() {
    let library = plugin("mallocs", &["-DFIELDS=.compress = copy_mallocs"]);
    let directory = directory("misbehaves");
    let junit = directory.join("out.xml");
    let ran = run(&[
        "--quick",
        "--provider",
        "plugin:mallocs",
        "--plugin",
        &library,
        "--junit",
        junit.to_str().unwrap(),
    ]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("\nFAILED: 1 providers ran"), "{}", ran.out);
    let failed: Vec<&str> = ran
        .out
        .lines()
        .filter(|l| l.starts_with("FAILED plugin:"))
        .collect();
    assert!(!failed.is_empty(), "{}", ran.out);
    for line in failed {
        let start = "FAILED plugin:mallocs none compress: allocates-nothing: ";
        assert!(line.starts_with(start), "{line}");
    }

    let again = replay_of(&ran.out);
    assert!(again.contains(&library), "{again:?}");
    let again: Vec<&str> = again.iter().map(String::as_str).collect();
    let replayed = run(&again);
    assert_eq!(replayed.status, 1, "{replayed:?}");
    assert!(
        replayed.out.contains("FAILED allocates-nothing"),
        "{}",
        replayed.out
    );
    assert!(
        replayed.out.contains("0 passed, 1 failed"),
        "{}",
        replayed.out
    );

    let suites = fs::read_to_string(junit).unwrap();
    let suites = quick_junit::Report::deserialize_from_str(&suites).unwrap();
    assert!(suites.failures > 0);
}

#[test]
fn a_plugin_that_fails_its_self_test_fails_before_the_suite_begins() {
    let library = plugin("flips", &["-DFIELDS=.compress = copy_flips"]);
    let ran = run(&["--quick", "--provider", "flips", "--plugin", &library]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(
        ran.out.contains("\nFAILED plugin:flips: Broken: "),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("failed its self-test"), "{}", ran.out);
}

#[test]
fn a_plugin_that_lies_at_one_length_is_caught_there() {
    let flags = ["-DLIE_AT=17", "-DFIELDS=.compress = lie_beyond"];
    let library = plugin("lies", &flags);
    let arguments = [
        "--quick",
        "--provider",
        "lies",
        "--check",
        "round-trip",
        "--plugin",
    ];
    let ran = run(&[&arguments[..], &[&library]].concat());
    assert_eq!(ran.status, 1, "{ran:?}");
    let again = replay_of(&ran.out);
    assert!(again.last().unwrap().contains(" size=17 "), "{again:?}");
    let again: Vec<&str> = again.iter().map(String::as_str).collect();
    assert_eq!(run(&again).status, 1);
}

/// What only the bytes around show, each by the check that is meant for it.
#[test]
fn a_plugin_that_touches_what_is_not_its_own_is_caught_by_name() {
    let length = "-DLIE_AT=100";
    for (lie, field, check, says) in [
        (
            "copy_overruns",
            "compress",
            "writes-within-dst",
            "the bytes after it have changed",
        ),
        (
            "copy_overruns",
            "decompress",
            "writes-within-dst",
            "the bytes after it have changed",
        ),
        (
            "copy_underruns",
            "compress",
            "writes-within-dst",
            "the bytes before it have changed",
        ),
        (
            "copy_touches_src",
            "compress",
            "source-unchanged",
            "changed its source",
        ),
        (
            "copy_touches_src",
            "decompress",
            "source-unchanged",
            "changed its source",
        ),
        (
            "copy_reads_on",
            "compress",
            "reads-within-src",
            "wrong content: ",
        ),
        (
            "copy_reads_on",
            "decompress",
            "reads-within-src",
            "what lies around src makes a difference",
        ),
        (
            "copy_keeps_dst",
            "compress",
            "keeps-no-pointer",
            "the next call later its dst has changed",
        ),
        (
            "copy_keeps_src",
            "decompress",
            "keeps-no-pointer",
            "the next call later its src has changed",
        ),
        (
            "many_overruns",
            "compress_many",
            "batch-equals-singles",
            "the bytes after it have changed",
        ),
        (
            "many_touches_src",
            "decompress_many",
            "batch-equals-singles",
            "changed its source",
        ),
    ] {
        let name = format!("{lie}-{field}").replace('_', "-");
        let library = plugin(&name, &[length, &format!("-DFIELDS=.{field} = {lie}")]);
        let arguments = ["--quick", "--provider", &name, "--check", check];
        let ran = run(&[&arguments[..], &["--plugin", &library]].concat());
        assert_eq!(ran.status, 1, "{name}: {ran:?}");
        let direction = field.trim_end_matches("_many");
        let start = format!("FAILED plugin:{name} none {direction}: {check}: ");
        let caught =
            { ran.out.lines() }.any(|line| line.starts_with(&start) && line.contains(says));
        assert!(caught, "{name}: {ran:?}");

        let again = replay_of(&ran.out);
        let again: Vec<&str> = again.iter().map(String::as_str).collect();
        assert_eq!(run(&again).status, 1, "{name}: {again:?}");
    }
}

#[test]
fn a_plugin_that_cannot_be_used_is_refused_in_a_line_as_the_other_command_does() {
    let file = directory("no-library").join("libplugin.so");
    fs::write(&file, "no library").unwrap();
    mode(&file);
    for (path, status, says) in [
        (
            "relative.so",
            2,
            "InvalidArgument: relative.so: a plugin is named by its absolute path",
        ),
        (
            "/nowhere/x.so",
            2,
            "InvalidArgument: /nowhere/x.so: cannot be read: No such file",
        ),
        (file.to_str().unwrap(), 1, "Device: "),
    ] {
        let ran = run(&["--quick", "--plugin", path]);
        let lines = ran.err.lines().count();
        assert_eq!((ran.status, lines), (status, 1), "{ran:?}");
        assert!(ran.err.starts_with(says), "{ran:?}");
    }
}

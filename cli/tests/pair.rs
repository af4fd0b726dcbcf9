//! `compressor pack`, `unpack`, `verify`, `inspect` and `recompress`.
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
use std::path::{Path, PathBuf};

use common::{assert_fails, command, run, stdout, text};
use serde_json::{Value, json};
use tempfile::TempDir;

const CLASSES: [&str; 6] = [
    "LZ4Compressor",
    "ZstdCompressor",
    "ZstdDictionaryCompressor",
    "DeflateCompressor",
    "SnappyCompressor",
    "NoopCompressor",
];

/// A file of a bit more than 12 chunks of 4 KiB, in a directory of its own.
struct Files {
    dir: TempDir,
    content: Vec<u8>,
}

impl Files {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let rows =
            (0u32..).flat_map(|row| format!("row {row}: {}\n", row * row % 7919).into_bytes());
        let content: Vec<u8> = rows.take(12 * 4096 + 100).collect();
        fs::write(dir.path().join("rows"), &content).unwrap();
        Self { dir, content }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().into()
    }

    /// Packs `rows` in chunks of 4 KiB as `NAME`.
    fn pack(&self, name: &str, class: &str, more: &[&str]) -> Value {
        let (file, dir) = (self.text("rows"), self.text(""));
        let args = ["pack", &file, "-o", &dir, "--name", name, "--class", class];
        json_of(&[&args[..], &["--chunk-length", "4KiB", "--json"], more].concat())
    }

    fn names(&self) -> Vec<String> {
        let listed = fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<_> = listed
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn flip(&self, file: &str, offset: usize) {
        let path = self.path(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes[offset] ^= 1;
        fs::write(path, bytes).unwrap();
    }
}

fn json_of(args: &[&str]) -> Value {
    serde_json::from_slice(&stdout(run(args))).unwrap()
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap()
}

#[test]
fn every_class_comes_back() {
    let files = Files::new();
    for class in CLASSES {
        let packed = files.pack(class, class, &["--threads", "3"]);
        let len = files.content.len();
        assert_eq!(
            (&packed["data_len"], &packed["chunks"]),
            (&json!(len), &json!(13))
        );
        let data = files.text(&format!("{class}-Data.db"));
        assert_eq!(packed["data"], data.as_str());

        let verified = json_of(&["verify", &data, "--json"]);
        assert_eq!(
            (&verified["chunks"], &verified["bad"]),
            (&json!(13), &json!([]))
        );
        assert_eq!(verified["good_bytes"], len);

        let inspected = json_of(&["inspect", &data, "--json"]);
        // Without a dictionary the units are the same, and so is the class.
        let kept = class.replace("ZstdDictionary", "Zstd");
        assert_eq!(inspected["class"], kept);
        assert_eq!(
            (&inspected["chunk_len"], &inspected["chunks"]),
            (&json!(4096), &json!(13))
        );
        assert_eq!(inspected["file_len"], packed["file_len"]);
        let histogram = inspected["histogram"].as_array().unwrap();
        let counted: u64 = histogram
            .iter()
            .map(|b| b["chunks"].as_u64().unwrap())
            .sum();
        assert_eq!(counted, 13);
        let shrunk = inspected["ratio"].as_f64().unwrap() < 0.7;
        assert_eq!(shrunk, class != "NoopCompressor", "{inspected}");

        let output = format!("{class}.out");
        let unpacked = json_of(&["unpack", &data, "-o", &files.text(&output), "--json"]);
        assert_eq!(unpacked["data_len"], len);
        assert_eq!(read(&files.path(&output)), files.content, "{class}");
    }
}

#[test]
fn who_served_is_told_with_the_reason_for_software() {
    let files = Files::new();
    let deflate = files.pack("d", "DeflateCompressor", &[]);
    assert_eq!(
        deflate["served"],
        json!([{
            "direction": "compress",
            "provider": "libdeflate",
            "accelerated_ops": 13,
            "verified_ops": 13,
            "software_ops": 0,
            "failed_ops": 0,
            "reasons": {},
        }])
    );
    let pair = files.text("d");
    let output = command(&["verify", &pair, "--json"])
        .env("COMPRESSOR_SOFTWARE_ONLY", "true")
        .output()
        .unwrap();
    let verified: Value = serde_json::from_slice(&stdout(output)).unwrap();
    let served = &verified["served"][0];
    assert_eq!(served["provider"], "software.deflate");
    assert_eq!(
        (&served["accelerated_ops"], &served["software_ops"]),
        (&json!(0), &json!(13))
    );
    assert_eq!(served["reasons"], json!({"Disabled": 13}));

    let table = text(&stdout(run(&["verify", &pair])));
    assert!(
        table.starts_with("13 chunks, 0 bad; 49252 bytes can be read\n"),
        "{table}"
    );
    assert!(table.contains("| decompress | libdeflate |"), "{table}");
}

#[test]
fn options_and_raw_chunks_are_in_the_metadata() {
    let files = Files::new();
    let zstd = ["--option", "compression_level=1"];
    files.pack(
        "z",
        "org.apache.cassandra.io.compress.ZstdCompressor",
        &zstd,
    );
    let inspected = json_of(&["inspect", &files.text("z"), "--json"]);
    assert_eq!(inspected["class"], "ZstdCompressor");
    assert_eq!(inspected["options"], json!([["compression_level", "1"]]));
    assert_eq!(inspected["max_compressed_len"], Value::Null);

    let raw = files.pack("n", "NoopCompressor", &["--min-compress-ratio", "2"]);
    assert_eq!(raw["raw_chunks"], 12, "the last is short enough as it is");
    let inspected = json_of(&["inspect", &files.text("n"), "--json"]);
    assert_eq!(
        (&inspected["max_compressed_len"], &inspected["raw_chunks"]),
        (&json!(2048), &json!(12))
    );
    let table = text(&stdout(run(&["inspect", &files.text("n")])));
    let table = table.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "| raw chunks | 12 |",
        "| raw from | 2048 |",
        "| from 100 | 13 |",
    ] {
        assert!(table.contains(line), "{line}: {table}");
    }
}

#[test]
fn an_empty_file_comes_back() {
    let files = Files::new();
    fs::write(files.path("rows"), b"").unwrap();
    let packed = files.pack("e", "LZ4Compressor", &[]);
    assert_eq!(
        (&packed["data_len"], &packed["ratio"]),
        (&json!(0), &json!(0.0))
    );
    assert_eq!(
        json_of(&["verify", &files.text("e"), "--json"])["bad"],
        json!([])
    );
    stdout(run(&["unpack", &files.text("e"), "-o", &files.text("out")]));
    assert_eq!(read(&files.path("out")), b"");
}

#[test]
fn standard_output_gets_the_content_alone() {
    let files = Files::new();
    files.pack("p", "SnappyCompressor", &[]);
    let output = run(&["unpack", &files.text("p"), "-o", "-"]);
    assert!(output.status.success());
    assert_eq!(output.stdout, files.content);
    let said = text(&output.stderr);
    assert!(
        said.starts_with("49252 bytes\n") && said.contains("software.snappy"),
        "{said}"
    );
}

#[test]
fn a_pair_is_rewritten_as_another_class() {
    let files = Files::new();
    files.pack("a", "DeflateCompressor", &[]);
    let before = read(&files.path("a-Data.db"));
    let (pair, dir) = (files.text("a"), files.text(""));
    let args = ["recompress", &pair, "-o", &dir, "--class", "LZ4Compressor"];
    let report = json_of(&[&args[..], &["--chunk-length", "8KiB", "--json"]].concat());
    assert_eq!(report["data"], files.text("nb-1-big-Data.db"));
    assert_eq!(report["chunks"], 7);
    let served = &report["served"];
    assert_eq!(
        (&served[0]["direction"], &served[0]["accelerated_ops"]),
        (&json!("decompress"), &json!(13))
    );
    assert_eq!(
        (&served[1]["direction"], &served[1]["software_ops"]),
        (&json!("compress"), &json!(7))
    );
    assert_eq!(served[1]["reasons"], json!({"Absent": 7}));
    stdout(run(&[
        "unpack",
        &files.text("nb-1-big"),
        "-o",
        &files.text("out"),
    ]));
    assert_eq!(read(&files.path("out")), files.content);
    assert_eq!(read(&files.path("a-Data.db")), before, "the old pair stays");
}

#[test]
fn a_flipped_byte_is_found_and_its_chunk_named() {
    let files = Files::new();
    // Raw, so that each chunk is 4096 bytes and 4 of CRC.
    files.pack("p", "NoopCompressor", &[]);
    files.flip("p-Data.db", 3 * 4100 + 7);
    let pair = files.text("p");
    let says = "p-Data.db: chunk 3 at offset 12300: CRC32";

    let output = run(&["verify", &pair, "--json"]);
    let verified: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verified["bad"].as_array().unwrap().len(), 1);
    let bad = &verified["bad"][0];
    assert_eq!(
        (&bad["chunk"], &bad["offset"], &bad["stored_len"]),
        (&json!(3), &json!(12300), &json!(4096))
    );
    assert_eq!(verified["good_bytes"], files.content.len() - 4096);
    assert_verdict(&output, says);

    files.flip("p-Data.db", 12 * 4100);
    let output = run(&["verify", &pair]);
    let table = text(&output.stdout);
    assert!(
        table.contains("|         3 |  12300 |   4096 | CorruptInput: "),
        "{table}"
    );
    assert!(
        table.contains("|        12 |  49200 |    100 | CorruptInput: "),
        "{table}"
    );
    assert!(
        table.contains("\n13 chunks, 2 bad; 45056 bytes can be read\n"),
        "{table}"
    );
    assert_verdict(&output, says);
    assert_verdict(&output, "; and 1 more of 13 chunks\n");

    let before = files.names();
    let (out, dir) = (files.text("out"), files.text(""));
    assert_fails(
        &run(&["unpack", &pair, "-o", &out]),
        1,
        "CorruptInput",
        says,
    );
    let recompress = ["recompress", &pair, "-o", &dir, "--class", "LZ4Compressor"];
    assert_fails(&run(&recompress), 1, "CorruptInput", says);
    assert_eq!(files.names(), before, "nothing half made is left");

    let output = run(&["unpack", &pair, "-o", "-"]);
    assert_eq!(
        output.stdout,
        files.content[..3 * 4096],
        "what comes before it"
    );
    assert_verdict(&output, says);
}

/// Checks that it ended with 1 and one line that says so; it may have printed what it found.
#[track_caller]
fn assert_verdict(output: &std::process::Output, says: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("CorruptInput: ") && said.contains(says),
        "{said}"
    );
    assert_eq!(said.matches('\n').count(), 1, "{said}");
}

#[test]
fn metadata_that_cannot_be_is_bad_data() {
    let files = Files::new();
    files.pack("p", "LZ4Compressor", &[]);
    // The first letter of the class.
    files.flip("p-CompressionInfo.db", 2);
    for args in [&["verify"][..], &["inspect"], &["inspect", "--json"]] {
        let output = run(&[args, &[&files.text("p")]].concat());
        assert_fails(&output, 1, "CorruptInput", "p-CompressionInfo.db");
    }
}

#[test]
fn files_that_are_not_there_are_errors() {
    let files = Files::new();
    let (missing, dir) = (files.text("missing"), files.text(""));
    let class = ["--class", "LZ4Compressor"];
    let pack = [&["pack", &missing, "-o", &dir][..], &class].concat();
    assert_fails(&run(&pack), 2, "InvalidArgument", "missing: No such file");
    for args in [&["verify"][..], &["inspect"], &["unpack", "-o", "-"]] {
        let output = run(&[args, &[&missing]].concat());
        assert_fails(
            &output,
            1,
            "Io",
            "missing-Data.db: cannot open: No such file",
        );
    }
    files.pack("p", "LZ4Compressor", &[]);
    fs::remove_file(files.path("p-CompressionInfo.db")).unwrap();
    let output = run(&["verify", &files.text("p-Data.db")]);
    assert_fails(
        &output,
        1,
        "Io",
        "p-CompressionInfo.db: cannot open: No such file",
    );
}

#[test]
fn a_directory_that_is_not_there_is_made() {
    let files = Files::new();
    let (rows, missing, dir) = (files.text("rows"), files.text("missing"), files.text("a/b"));
    let class = ["--class", "LZ4Compressor"];
    let pack = [&["pack", &missing, "-o", &dir][..], &class].concat();
    assert_fails(&run(&pack), 2, "InvalidArgument", "missing");
    assert!(!files.path("a").exists(), "made for nothing");

    stdout(run(&[&["pack", &rows, "-o", &dir][..], &class].concat()));
    let (pair, other) = (files.text("a/b/nb-1-big"), files.text("a/c"));
    stdout(run(
        &[&["recompress", &pair, "-o", &other][..], &class].concat()
    ));
    let other = files.text("a/c/nb-1-big");
    assert_eq!(json_of(&["verify", &other, "--json"])["bad"], json!([]));

    let output = command(&[&["pack", "rows", "-o", "d"][..], &class].concat())
        .current_dir(files.dir.path())
        .output()
        .unwrap();
    stdout(output);
    assert!(files.path("d/nb-1-big-Data.db").exists());

    let below = files.text("rows/d");
    let output = run(&[&["pack", &rows, "-o", &below][..], &class].concat());
    assert_fails(&output, 1, "Io", "rows/d: cannot make the directory");
}

#[test]
fn what_was_left_over_is_replaced_or_cleaned() {
    let files = Files::new();
    for name in ["p-Data.db.tmp", "q-Data.db.tmp", "q-CompressionInfo.db"] {
        fs::write(files.path(name), b"half").unwrap();
    }
    files.pack("p", "LZ4Compressor", &[]);
    let dir = files.text("");
    assert_eq!(
        json_of(&["clean", &dir, "--json"]),
        json!([
            files.text("q-CompressionInfo.db"),
            files.text("q-Data.db.tmp")
        ])
    );
    assert_eq!(files.names(), ["p-CompressionInfo.db", "p-Data.db", "rows"]);

    fs::write(files.path("q-Data.db.tmp"), b"half").unwrap();
    let said = text(&stdout(run(&["clean", &dir])));
    let expected = format!("{}\nfiles removed: 1\n", files.text("q-Data.db.tmp"));
    assert_eq!(said, expected);
    assert_fails(
        &run(&["clean", &files.text("no")]),
        1,
        "Io",
        "no: cannot list",
    );
}

#[test]
fn a_name_that_another_writer_holds_is_refused_with_what_to_do() {
    let files = Files::new();
    // As a writer that lives does.
    let held = fs::File::create(files.path("p-Data.db.tmp")).unwrap();
    rustix::fs::flock(&held, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let (rows, dir) = (files.text("rows"), files.text(""));
    let pack = [
        "pack",
        &rows,
        "-o",
        &dir,
        "--name",
        "p",
        "--class",
        "LZ4Compressor",
    ];
    let says = "another writer is making this pair; wait until it has ended, or use another name";
    assert_fails(&run(&pack), 2, "InvalidArgument", says);
    assert_eq!(json_of(&["clean", &dir, "--json"]), json!([]));
    assert_eq!(files.names(), ["p-Data.db.tmp", "rows"]);
    drop(held);
    stdout(run(&pack));
}

#[test]
fn a_link_that_leads_nowhere_is_not_replaced() {
    let files = Files::new();
    std::os::unix::fs::symlink("/nowhere/p-Data.db", files.path("p-Data.db")).unwrap();
    let (rows, dir) = (files.text("rows"), files.text(""));
    let pack = [
        "pack",
        &rows,
        "-o",
        &dir,
        "--name",
        "p",
        "--class",
        "LZ4Compressor",
    ];
    assert_fails(&run(&pack), 2, "InvalidArgument", "p-Data.db: exists");
    assert!(files.path("p-Data.db").is_symlink());
}

#[test]
fn a_sparse_pair_with_more_chunks_than_memory_is_bad_data() {
    let files = Files::new();
    files.pack("p", "LZ4Compressor", &[]);
    let chunks = u64::from(i32::MAX as u32);
    let info = files.path("p-CompressionInfo.db");
    let mut bytes = read(&info);
    // Behind the class and its options: lengths of 4 + 4, then 8 of the data and 4 of the chunks.
    let fields = bytes.len() - 13 * 8 - 20;
    bytes.truncate(fields + 20);
    bytes[fields + 8..fields + 16].copy_from_slice(&(chunks * 4096).to_be_bytes());
    bytes[fields + 16..].copy_from_slice(&i32::MAX.to_be_bytes());
    fs::write(&info, &bytes).unwrap();
    for (path, len) in [
        (info, bytes.len() as u64 + chunks * 8),
        (files.path("p-Data.db"), chunks * 1024),
    ] {
        let sparse = fs::File::options().write(true).open(path).unwrap();
        sparse.set_len(len).unwrap();
    }
    for command in ["inspect", "verify"] {
        let args = [command, &files.text("p")];
        let output = common::limited(1 << 20, &args).output().unwrap();
        let says = "p-CompressionInfo.db: chunk 1 cannot begin at offset 0";
        assert_fails(&output, 1, "CorruptInput", says);
    }
}

#[test]
fn every_result_is_verified_if_that_is_asked_for() {
    let files = Files::new();
    // More chunks than are verified at first.
    let short = ["--option", "chunk_length_in_kb=1"];
    let (rows, dir) = (files.text("rows"), files.text(""));
    let pack = [
        "pack",
        &rows,
        "-o",
        &dir,
        "--class",
        "DeflateCompressor",
        "--json",
    ];
    let some = json_of(&[&pack[..], &short, &["--name", "some"]].concat());
    let all = json_of(&[&pack[..], &short, &["--name", "all", "--verify-all"]].concat());
    assert_eq!(some["served"][0]["accelerated_ops"], 49);
    assert!(some["served"][0]["verified_ops"].as_u64().unwrap() < 49);
    assert_eq!(all["served"][0]["verified_ops"], 49);

    let pair = files.text("some");
    let recompress = [
        "recompress",
        &pair,
        "-o",
        &dir,
        "--class",
        "DeflateCompressor",
        "--json",
    ];
    let again = json_of(&[&recompress[..], &short, &["--verify-all"]].concat());
    for side in 0..2 {
        assert_eq!(again["served"][side]["verified_ops"], 49, "{again}");
    }
}

#[test]
fn an_effort_is_for_the_writer_alone() {
    let files = Files::new();
    let len = |name, more: &[&str]| {
        let packed = files.pack(name, "ZstdCompressor", more);
        assert_eq!(
            json_of(&["verify", &files.text(name), "--json"])["bad"],
            json!([])
        );
        packed["file_len"].as_u64().unwrap()
    };
    let level = len("level", &[]);
    let speed = ["--effort", "speed", "--max-loss", "100"];
    assert!(len("speed", &speed) != level, "another level must serve");
    let inspected = |name: &str| json_of(&["inspect", &files.text(name), "--json"]);
    assert_eq!(inspected("speed")["options"], inspected("level")["options"]);

    let (pair, dir) = (files.text("level"), files.text(""));
    let args = ["recompress", &pair, "-o", &dir, "--class", "ZstdCompressor"];
    let more = ["--chunk-length", "4KiB", "--json", "--name", "again"];
    let again = json_of(&[&args[..], &more, &speed].concat());
    assert_eq!(again["file_len"], len("speed-2", &speed));

    let loss = ["--effort", "ratio", "--max-loss", "5"];
    let output = run(&[&args[..], &loss].concat());
    assert_fails(
        &output,
        2,
        "InvalidArgument",
        "--max-loss goes with --effort speed",
    );
}

#[test]
fn nothing_is_replaced() {
    let files = Files::new();
    files.pack("p", "LZ4Compressor", &[]);
    let before = read(&files.path("p-Data.db"));
    let (rows, dir, pair) = (files.text("rows"), files.text(""), files.text("p"));
    let name = ["--name", "p", "--class", "ZstdCompressor"];
    for source in [["pack", &rows], ["recompress", &pair]] {
        let output = run(&[&source[..], &["-o", &dir], &name].concat());
        assert_fails(&output, 2, "InvalidArgument", "p-Data.db: exists");
    }
    assert_eq!(read(&files.path("p-Data.db")), before);
    let output = run(&["unpack", &pair, "-o", &rows]);
    assert_fails(&output, 2, "InvalidArgument", "rows: File exists");
    assert_eq!(read(&files.path("rows")), files.content);
}

#[test]
fn what_cannot_be_is_a_usage_error() {
    let files = Files::new();
    let (rows, dir) = (files.text("rows"), files.text(""));
    let lz4 = ["--class", "LZ4Compressor"];
    for (more, says) in [
        (&["--class", "LZ5Compressor"][..], "LZ5Compressor"),
        (&[], "--class"),
        (
            &[&lz4[..], &["--chunk-length", "5000"]].concat(),
            "5000 bytes is no power of two",
        ),
        (
            &[&lz4[..], &["--chunk-length", "32MiB"]].concat(),
            "33554432 bytes is no power of two",
        ),
        (
            &[&lz4[..], &["--chunk-length", "8GiB"]].concat(),
            "8589934592 bytes is no power of two",
        ),
        (
            &[&lz4[..], &["--min-compress-ratio", "0.5"]].concat(),
            "min_compress_ratio",
        ),
        (
            &[&lz4[..], &["--crc-check-chance", "1.5"]].concat(),
            "crc_check_chance",
        ),
        (
            &[&lz4[..], &["--option", "compression_level=3"]].concat(),
            "compression_level",
        ),
        (&[&lz4[..], &["--threads", "0"]].concat(), "--threads"),
        (&[&lz4[..], &["--name", "a/b"]].concat(), "a/b"),
        (&[&lz4[..], &["--name", ""]].concat(), "--name"),
    ] {
        let output = run(&[&["pack", &rows, "-o", &dir], more].concat());
        assert_fails(&output, 2, "InvalidArgument", says);
    }
    assert_eq!(files.names(), ["rows"], "nothing was begun");
    assert_fails(
        &run(&["verify", "nowhere/.."]),
        2,
        "InvalidArgument",
        "names no pair",
    );
}

#[test]
fn a_directory_names_no_pair_unless_one_begins_alike() {
    let files = Files::new();
    fs::create_dir(files.path("p")).unwrap();
    for path in [files.text("p"), "/".into()] {
        let says = "is a directory and names no pair; one in it is named as in";
        for args in [&["verify"][..], &["inspect"], &["unpack", "-o", "-"]] {
            let output = run(&[args, &[&path]].concat());
            assert_fails(&output, 2, "InvalidArgument", says);
        }
    }
    files.pack("p", "LZ4Compressor", &[]);
    assert_eq!(
        json_of(&["verify", &files.text("p"), "--json"])["bad"],
        json!([])
    );
}

#[test]
fn a_directory_in_a_files_place_is_an_error_with_its_name() {
    let files = Files::new();
    files.pack("p", "LZ4Compressor", &[]);
    for file in ["p-CompressionInfo.db", "p-Data.db"] {
        fs::remove_file(files.path(file)).unwrap();
        fs::create_dir(files.path(file)).unwrap();
        let output = run(&["verify", &files.text("p")]);
        let says = format!("{file}: cannot open: it is not a regular file");
        assert_fails(&output, 1, "Io", &says);
    }
}

#[test]
fn the_help_lists_every_class() {
    for command in ["pack", "recompress"] {
        let help = text(&stdout(run(&[command, "--help"])));
        for class in CLASSES {
            assert!(help.contains(class), "{command}: {class}");
        }
    }
}

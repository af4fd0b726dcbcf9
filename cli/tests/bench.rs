//! `compressor bench`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::path::PathBuf;

use common::{assert_fails, command, limited, run, stdout, text};
use serde_json::Value;

/// A folder with a file `data` in it, of so many bytes.
fn file(len: usize) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("data");
    let line = b"2024-05-01T00:00:00Z sensor-17 temperature 21.5 ok\n";
    std::fs::write(&path, line.repeat(len / line.len() + 1).split_at(len).0).unwrap();
    (folder, path.to_str().unwrap().to_owned())
}

fn bench(args: &[&str]) -> Vec<Value> {
    let args = [&["bench", "--json", "--time", "2ms"], args].concat();
    // What makes numbers doubtful is of no interest here.
    let output = command(&args)
        .env("COMPRESSOR_LOG", "error")
        .output()
        .unwrap();
    serde_json::from_slice::<Value>(&stdout(output))
        .unwrap()
        .as_array()
        .unwrap()
        .clone()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {row}"))
}

#[test]
fn every_format_is_measured_both_ways_beside_software() {
    let (_folder, path) = file(10_000);
    let rows = bench(&[&path]);
    // 8 formats, 2 directions, software and the accelerated path.
    assert_eq!(rows.len(), 8 * 2 * 2);
    for pair in rows.chunks(2) {
        let [software, accelerated] = pair else {
            panic!("{pair:?}")
        };
        for row in pair {
            let keys: Vec<&str> = row
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            assert_eq!(
                keys,
                [
                    "accelerated_ops",
                    "block_size",
                    "cpu_ns_per_byte",
                    "direction",
                    "file",
                    "format",
                    "level",
                    "mb_per_s",
                    "provider",
                    "ratio",
                    "reasons",
                    "software_ops",
                    "speedup",
                ]
            );
            assert_eq!(
                (&row["file"], &row["block_size"]),
                (&"data".into(), &16384.into())
            );
            assert!(
                number(row, "mb_per_s") > 0.0 && number(row, "cpu_ns_per_byte") > 0.0,
                "{row}"
            );
            assert!(
                number(row, "ratio") > 0.0 && number(row, "speedup") > 0.0,
                "{row}"
            );
        }
        for key in ["format", "level", "direction"] {
            assert_eq!(software[key], accelerated[key]);
        }
        assert_eq!(number(software, "speedup"), 1.0);
        assert_eq!(software["accelerated_ops"], 0);
        assert_eq!(software["reasons"], serde_json::json!({}));

        // Both did the same operations; who did them is told.
        let served = |key| number(accelerated, key);
        assert_eq!(
            served("accelerated_ops") + served("software_ops"),
            number(software, "software_ops")
        );
        if ["zlib", "deflate-raw", "gzip"].contains(&software["format"].as_str().unwrap()) {
            assert_eq!(accelerated["provider"], "libdeflate");
            assert_eq!(served("software_ops"), 0.0, "{accelerated}");
            assert_eq!(accelerated["reasons"], serde_json::json!({}));
        } else {
            assert_eq!(accelerated["provider"], software["provider"]);
            assert_eq!(served("accelerated_ops"), 0.0, "{accelerated}");
            assert_eq!(
                accelerated["reasons"]["Absent"],
                accelerated["software_ops"]
            );
            assert_eq!(accelerated["ratio"], software["ratio"]);
        }
    }
}

#[test]
fn the_ratio_is_compressed_through_original() {
    let (_folder, path) = file(64 << 10);
    let rows = bench(&["--format", "none", "--format", "zlib", &path]);
    let ratio = |row: &Value| number(row, "ratio");
    assert!(
        rows.iter()
            .filter(|r| r["format"] == "none")
            .all(|row| ratio(row) == 1.0)
    );
    assert!(
        rows.iter()
            .filter(|r| r["format"] == "zlib")
            .all(|row| ratio(row) < 0.1)
    );
}

#[test]
fn block_sizes_and_levels_are_those_asked_for() {
    let (_folder, path) = file(100_000);
    let rows = bench(&[
        "--format",
        "zstd",
        "--level",
        "-5",
        "--block-size",
        "4KiB,65536",
        &path,
    ]);
    let sizes: Vec<u64> = rows
        .iter()
        .map(|row| row["block_size"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [4096, 4096, 4096, 4096, 65536, 65536, 65536, 65536]);
    assert!(rows.iter().all(|row| row["level"] == -5));
    assert!(number(&rows[4], "ratio") < number(&rows[0], "ratio"));
}

#[test]
fn a_file_of_one_byte_is_one_block() {
    let (_folder, path) = file(1);
    let rows = bench(&["--format", "lz4-sized", &path]);
    assert_eq!(number(&rows[0], "ratio"), 6.0);
}

#[test]
fn built_in_data_is_measured_if_there_is_no_file() {
    let files = |args: &[&str]| {
        let rows = bench(&[&["--format", "none"], args].concat());
        let mut files: Vec<String> = rows
            .iter()
            .map(|row| row["file"].as_str().unwrap().to_owned())
            .collect();
        files.dedup();
        files
    };
    assert_eq!(
        files(&["--size", "8KiB"]),
        ["rows", "wide-rows", "logs", "text", "random"]
    );
    assert_eq!(
        files(&["--data", "logs", "--data", "random", "--size", "8KiB"]),
        ["logs", "random"]
    );
    let (_folder, path) = file(100);
    assert_eq!(files(&[&path]), ["data"]);
    assert_eq!(
        files(&["--data", "text", "--size", "8KiB", &path]),
        ["data", "text"]
    );
}

#[test]
fn the_seed_makes_the_data() {
    let ratio = |seed| {
        let args = [
            "--data", "rows", "--size", "64KiB", "--format", "zlib", "--seed", seed,
        ];
        number(&bench(&args)[0], "ratio")
    };
    assert_eq!(ratio("1"), ratio("1"));
    assert_ne!(ratio("1"), ratio("2"));
}

#[test]
fn files_of_one_name_are_told_apart() {
    let ((_one, first), (_other, second)) = (file(100), file(200));
    let rows = bench(&["--format", "none", &first, &second]);
    assert_eq!(
        (&rows[0]["file"], &rows[4]["file"]),
        (&first.into(), &second.into())
    );
}

#[test]
fn providers_that_are_named_are_measured_on_what_they_serve() {
    let (_folder, path) = file(1000);
    let rows = bench(&["--provider", "libdeflate", &path]);
    let mut formats: Vec<&str> = rows
        .iter()
        .map(|row| row["format"].as_str().unwrap())
        .collect();
    formats.dedup();
    assert_eq!(formats, ["zlib", "deflate-raw", "gzip"]);

    let rows = bench(&[
        "--format",
        "zlib",
        "--provider",
        "libdeflate",
        "--provider",
        "software.deflate",
        &path,
    ]);
    let providers: Vec<&str> = rows
        .iter()
        .map(|row| row["provider"].as_str().unwrap())
        .collect();
    let each = ["software.deflate", "libdeflate", "software.deflate"];
    assert_eq!(providers, [each, each].concat());
    assert_eq!(rows[2]["accelerated_ops"], 0);
}

#[test]
fn a_named_provider_that_the_policy_keeps_from_serving_is_an_error() {
    let (_folder, path) = file(1000);
    let output = command(&["bench", "--provider", "libdeflate", &path])
        .env("COMPRESSOR_SOFTWARE_ONLY", "true")
        .output()
        .unwrap();
    let says = "libdeflate cannot compress: the policy allows software only";
    assert_fails(&output, 2, "Unsupported", says);
}

#[test]
fn the_reason_for_software_is_told() {
    let (_folder, path) = file(1000);
    let output = command(&[
        "bench", "--time", "2ms", "--json", "--format", "zlib", &path,
    ])
    .env("COMPRESSOR_SOFTWARE_ONLY", "true")
    .env("COMPRESSOR_LOG", "error")
    .output()
    .unwrap();
    let rows: Value = serde_json::from_slice(&stdout(output)).unwrap();
    assert_eq!(rows[1]["provider"], "software.deflate");
    assert_eq!(rows[1]["reasons"]["Disabled"], rows[1]["software_ops"]);
}

#[test]
fn what_was_named_several_times_is_measured_once() {
    let of = |rows: &[Value], key: &str| {
        let mut values: Vec<String> = rows.iter().map(|row| row[key].to_string()).collect();
        values.dedup();
        values.join(" ")
    };
    let rows = bench(&[
        "--format",
        "zlib,gzip",
        "--format",
        "zlib",
        "--block-size",
        "4KiB,4096",
        "--provider",
        "libdeflate,libdeflate",
        "--data",
        "text,logs,text",
        "--size",
        "8KiB",
    ]);
    // 2 data sets, 2 formats, 2 directions, software and the accelerator.
    assert_eq!(rows.len(), 2 * 2 * 2 * 2);
    assert_eq!(of(&rows, "file"), r#""text" "logs""#);
    assert_eq!(of(&rows[..8], "format"), r#""zlib" "gzip""#);
    // One format is one format, so its level is its own.
    let (_folder, path) = file(100);
    let output = run(&["bench", "--format", "snappy,snappy", "--level", "3", &path]);
    let stderr = text(&output.stderr);
    assert!(!stderr.contains("--level goes for every"), "{stderr}");
}

#[test]
fn json_leaves_what_makes_numbers_doubtful_to_standard_error() {
    let (folder, _) = file(0);
    let path = folder.path().join("two\nlines");
    std::fs::write(&path, [7; 1000]).unwrap();
    let path = path.to_str().unwrap();
    let args = [
        "bench",
        "--json",
        "--time",
        "2ms",
        "--format",
        "none,zlib",
        "--block-size",
        "16KiB,32KiB",
        path,
    ];
    let output = run(&args);
    let stderr = text(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    serde_json::from_slice::<Value>(&output.stdout).unwrap();
    let note = "two\\nlines is shorter than 16 KiB: it was measured as one block of 1000 bytes.\n";
    assert_eq!(stderr.matches(note).count(), 1, "{stderr}");
    for line in stderr.lines() {
        let known = ["is shorter than", "The machine was busy"];
        assert!(known.iter().any(|known| line.contains(known)), "{stderr}");
    }
}

#[test]
fn the_table_says_what_its_reasons_mean() {
    let (_folder, path) = file(1000);
    let table = |software_only| {
        let args = ["bench", "--time", "2ms", "--format", "none,zlib", &path];
        let output = command(&args)
            .env("COMPRESSOR_SOFTWARE_ONLY", software_only)
            .output()
            .unwrap();
        text(&stdout(output))
    };
    let disabled = "\nDisabled: the configuration gives the work to software.\n";
    let absent = "\nAbsent: there is no accelerator for it.\n";
    let table = (table("true"), table("false"));
    assert!(table.0.contains(disabled), "{}", table.0);
    assert!(!table.1.contains(disabled), "{}", table.1);
    assert!(table.1.contains(absent), "{}", table.1);
}

#[test]
fn the_table_has_a_row_for_each_path() {
    let (_folder, path) = file(1000);
    let args = [
        "bench", "--time", "2ms", "--format", "zlib", "--format", "snappy", &path,
    ];
    let table = text(&stdout(run(&args)));
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("| data "))
        .collect();
    // The headings, then two formats in two directions.
    assert_eq!(rows.len(), 1 + 4, "{table}");
    for heading in [
        "speed-up",
        "MB/s sw",
        "MB/s acc",
        "ratio acc",
        "CPU ns/B sw",
        "ops acc",
    ] {
        assert!(rows[0].contains(heading), "{table}");
    }
    assert!(
        rows[1].contains("| libdeflate ") && rows[1].contains("| 16 KiB "),
        "{table}"
    );
    assert!(
        rows[3].contains("| software.snappy ") && rows[3].contains("Absent"),
        "{table}"
    );
    assert!(table.contains("compressed / original"), "{table}");
    let note = "data is shorter than 16 KiB: it was measured as one block of 1000 bytes.\n";
    assert_eq!(table.matches(note).count(), 1, "{table}");
}

#[test]
fn what_cannot_be_is_a_usage_error() {
    let (_folder, path) = file(1000);
    for (args, says) in [
        (&["--format", "zlip", &path][..], "deflate-raw"),
        (
            &["--format", "zlib", "--level", "12", &path],
            "level 12 is not one of zlib's: 0..=9",
        ),
        (&["--level", "12", &path], "--format"),
        (
            &[
                "--format", "zstd", "--format", "snappy", "--level", "3", &path,
            ],
            "snappy's: 0; --level",
        ),
        (
            &["--provider", "qat", &path],
            "unknown provider \"qat\"; registered are ",
        ),
        (
            &["--provider", "libdeflate", "--format", "zstd", &path],
            "libdeflate does not serve zstd",
        ),
        (&["--block-size", "0", &path], "as in 64KiB"),
        (&["--block-size", "4KiB,x", &path], "as in 64KiB"),
        (&["--time", "5", &path], "as in 250ms"),
        (&["--threads", "0", &path], "1 to 1024"),
        (&["--threads", "1,x", &path], "1 to 1024"),
        (&["--size", "0"], "as in 64KiB"),
        (&["--data", "rowz"], "wide-rows"),
        (&["--seed=-1"], "--seed"),
        (&["no/such/file"], "no/such/file: "),
        (&["no/such\nfile"], "no/such\\nfile: "),
        (&["--size", "1MiB", &path], "go with --data"),
        (&["--seed", "2", &path], "go with --data"),
        (&["--format", "zlib,", &path], "deflate-raw"),
        (&["."], "."),
    ] {
        let output = run(&[&["bench"], args].concat());
        assert_fails(&output, 2, "InvalidArgument", says);
    }
}

#[test]
fn an_empty_file_is_a_usage_error_and_nothing_is_measured() {
    let ((_folder, path), (_other, full)) = (file(0), file(1000));
    let output = run(&["bench", "--time", "2ms", &full, &path]);
    assert_fails(&output, 2, "InvalidArgument", "data: the file is empty");
}

#[cfg(target_os = "linux")]
#[test]
fn data_that_does_not_fit_into_memory_is_an_error() {
    let made = ["bench", "--data", "rows", "--size", "60GiB"];
    let output = limited(1 << 20, &made).output().unwrap();
    let says = "rows: there is no memory for 64424509440 bytes";
    assert_fails(&output, 1, "OutOfMemory", says);

    let (_folder, path) = file(0);
    let sparse = std::fs::File::options().write(true).open(&path).unwrap();
    sparse.set_len(2 << 30).unwrap();
    let output = limited(1 << 20, &["bench", &path]).output().unwrap();
    assert_fails(&output, 1, "OutOfMemory", &path);
}

#[test]
fn latency_is_measured_with_as_many_threads_as_named() {
    let (_folder, path) = file(20_000);
    let rows = bench(&["--format", "zlib", "--threads", "1,3,1", &path]);
    for row in &rows {
        let latencies = row["latency"].as_array().unwrap();
        let threads: Vec<_> = latencies.iter().map(|l| number(l, "threads")).collect();
        assert_eq!(threads, [1.0, 3.0], "{row}");
        for latency in latencies {
            let [p50, p99, p999, max] =
                ["p50_us", "p99_us", "p999_us", "max_us"].map(|key| number(latency, key));
            assert!(
                0.0 < p50 && p50 <= p99 && p99 <= p999 && p999 <= max,
                "{row}"
            );
            assert!(
                number(latency, "ops") >= number(latency, "threads"),
                "{row}"
            );
            assert!(number(latency, "mb_per_s") > 0.0, "{row}");
        }
        assert!(row.get("overhead").is_none(), "{row}");
    }
    let args = [
        "bench",
        "--time",
        "2ms",
        "--format",
        "zlib",
        "--threads",
        "2",
        &path,
    ];
    let table = text(&stdout(run(&args)));
    assert_eq!(table.matches("| p99.9 µs |").count(), 1, "{table}");
    let row = "| software.deflate alone |       2 |";
    assert_eq!(table.matches(row).count(), 2, "{table}");
}

#[test]
fn efforts_are_measured_side_by_side() {
    let (_folder, path) = file(100_000);
    let rows = bench(&["--format", "zstd", "--effort", "level,speed,level", &path]);
    let efforts: Vec<Option<&str>> = rows.iter().map(|row| row.get("effort")?.as_str()).collect();
    // Software, by level and for speed; both ways.
    assert_eq!(
        efforts,
        [None, None, Some("speed"), None, None, Some("speed")]
    );
    assert!(rows.iter().all(|row| row["level"] == 3));

    let args = ["bench", "--effort", "level,ratio", "--max-loss", "5", &path];
    let output = run(&args);
    assert_fails(
        &output,
        2,
        "InvalidArgument",
        "--max-loss goes with --effort speed",
    );
    let output = run(&["bench", "--effort", "fast", &path]);
    assert_fails(&output, 2, "InvalidArgument", "or level");
}

#[test]
fn a_calibration_has_a_path_of_its_own() {
    let (folder, path) = file(100_000);
    let calibration = folder.path().join("calibration.toml");
    let calibration = calibration.to_str().unwrap();
    let measure = ["calibrate", "--format", "zlib", "--effort", "speed"];
    stdout(run(&[&measure[..], &["--out", calibration]].concat()));

    let measured = |args: &[&str], configured: &str| {
        let mut all = vec!["bench", "--json", "--time", "2ms", "--format", "zlib"];
        all.extend(["--effort", "speed", &path]);
        all.extend(args);
        command(&all)
            .env("COMPRESSOR_CALIBRATION", configured)
            .output()
            .unwrap()
    };
    let calibrated = |output: std::process::Output| {
        let rows = serde_json::from_slice::<Value>(&output.stdout).unwrap();
        let paths = rows.as_array().unwrap().iter();
        let calibrated = paths.map(|row| row.get("calibrated") == Some(&true.into()));
        calibrated.collect::<Vec<bool>>()
    };
    // Software, by priority, as measured; both ways.
    let beside = [false, false, true, false, false, true];
    assert_eq!(calibrated(measured(&[], calibration)), beside);
    let named = ["--calibration", calibration];
    assert_eq!(calibrated(measured(&named, "/no/such/file")), beside);

    let page = folder.path().join("page.html");
    let named = ["--html", page.to_str().unwrap(), "--threads", "1"];
    measured(&named, calibration);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains(", speed, calibrated"), "{page}");
    assert!(!page.contains("not among those selected"), "{page}");

    // What does not hold is left alone where the configuration names it, and refused by name.
    let output = measured(&[], "/no/such/file");
    let logged = text(&output.stderr);
    assert!(logged.contains("there is no calibrated path"), "{logged}");
    assert_eq!(calibrated(output), [false; 4]);
    let output = measured(&["--calibration", "/no/such/file"], "");
    assert_fails(&output, 2, "InvalidArgument", "/no/such/file");
    let output = measured(
        &["--calibration", calibration, "--provider", "libdeflate"],
        "",
    );
    assert_fails(&output, 2, "InvalidArgument", "--provider");
}

/// Runs with a page, on little data.
fn page(folder: &std::path::Path, args: &[&str]) -> (std::process::Output, PathBuf) {
    let out = folder.join("page.html");
    let html = ["--html", out.to_str().unwrap()];
    let args = [&["bench", "--time", "2ms"][..], &html, args].concat();
    let output = command(&args).env("COMPRESSOR_LOG", "error").output();
    (output.unwrap(), out)
}

#[test]
fn the_page_needs_nothing_but_itself_and_has_every_number() {
    let (folder, path) = file(20_000);
    let odd = folder.path().join("<b>odd & quoted\"");
    std::fs::rename(path, &odd).unwrap();
    let args = [
        "--json",
        "--format",
        "zlib,snappy",
        "--block-size",
        "4KiB,16KiB",
        odd.to_str().unwrap(),
    ];
    let (output, out) = page(folder.path(), &args);
    let rows: Value = serde_json::from_slice(&stdout(output)).unwrap();
    let page = std::fs::read_to_string(out).unwrap();

    // Nothing is loaded: links lead within the page, and the only address is the name of SVG.
    for reference in page.split("href=\"").skip(1) {
        assert!(reference.starts_with('#'), "{}", &reference[..60]);
    }
    for loads in ["src=", "url(", "@import", "<script", "<link"] {
        assert!(!page.contains(loads), "{loads}");
    }
    let addresses = page.matches("://").count();
    assert_eq!(
        addresses,
        page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count()
    );

    // Names are text, whatever they look like.
    assert!(!page.contains("<b>odd"));
    assert!(page.contains("&lt;b&gt;odd &amp; quoted"));

    // What was not asked for by name is shown where it is something else than the level.
    assert!(page.contains("software.deflate, speed") || page.contains("libdeflate, speed"));
    assert!(!page.contains("software.snappy, speed"));

    // Speed-up and overhead, and for each of two formats throughput and latency; all both ways.
    assert_eq!(page.matches("<svg").count(), 4 + 2 * 4);
    assert_eq!(page.matches("</svg>").count(), 4 + 2 * 4);
    for says in [
        "bench --time 2ms --html",
        "How to read it",
        "Kernel",
        "zstd-sys 2.",
        "throughput, MB/s",
        "latency, µs",
        "<td>libdeflate</td>",
        "software.deflate alone",
        "Absent: there is no accelerator for it.",
    ] {
        assert!(page.contains(says), "{says}");
    }
    for row in rows.as_array().unwrap() {
        let ratio = format!("<td class=\"number\">{:.3}</td>", number(row, "ratio"));
        assert!(page.contains(&ratio), "{row}");
        let threads = row["latency"].as_array().unwrap().iter();
        let threads: Vec<_> = threads.map(|latency| number(latency, "threads")).collect();
        assert_eq!(threads, [1.0, 2.0, 4.0], "{row}");
        // Software alone has no framework that could add anything.
        let alone =
            number(row, "accelerated_ops") == 0.0 && row["reasons"] == serde_json::json!({});
        assert_eq!(row.get("overhead").is_none(), alone, "{row}");
        if let Some(overhead) = row.get("overhead") {
            assert!(number(overhead, "direct_ns") > 0.0, "{row}");
            let [low, added, high] =
                ["added_low_ns", "added_ns", "added_high_ns"].map(|key| number(overhead, key));
            assert!(low <= added && added <= high, "{row}");
        }
    }
}

#[test]
fn a_page_replaces_the_one_before() {
    let (folder, path) = file(1000);
    std::fs::write(folder.path().join("page.html"), "before").unwrap();
    let (output, out) = page(
        folder.path(),
        &["--format", "none", "--threads", "1", &path],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        std::fs::read_to_string(out)
            .unwrap()
            .starts_with("<!DOCTYPE html>")
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_before_anything_is_measured() {
    let (folder, path) = file(1000);
    let nowhere = folder.path().join("no/such/page.html");
    for out in [&*nowhere, folder.path()] {
        let out = out.to_str().unwrap();
        let output = run(&["bench", "--html", out, &path]);
        assert_fails(
            &output,
            2,
            "InvalidArgument",
            "the page cannot be written there",
        );
    }
}

//! `compressor block`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::process::Stdio;

use common::{assert_fails, command, limited, run_with, stdout, text};

const FORMATS: [&str; 8] = [
    "none",
    "lz4-block",
    "lz4-sized",
    "zstd",
    "zlib",
    "deflate-raw",
    "gzip",
    "snappy",
];

fn hex(digits: &str) -> Vec<u8> {
    let digits = digits.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

fn compress(format: &str, content: &[u8]) -> Vec<u8> {
    stdout(run_with(
        &["block", "compress", "--format", format],
        content,
    ))
}

fn decompress(format: &str, unit: &[u8]) -> std::process::Output {
    run_with(&["block", "decompress", "--format", format], unit)
}

#[test]
fn units_of_other_implementations_are_read() {
    for (format, unit, content) in [
        ("zlib", "789c4b4c4a0600024d0127", "abc"),
        ("zlib", "789c030000000001", ""),
        ("zstd", "28b52ffd240529000068656c6c6fa36d9f88", "hello"),
        ("lz4-sized", "050000005068656c6c6f", "hello"),
        ("lz4-sized", "0000000000", ""),
        ("lz4-block", "5068656c6c6f", "hello"),
        ("snappy", "051068656c6c6f", "hello"),
        ("none", "616263", "abc"),
    ] {
        let output = stdout(decompress(format, &hex(unit)));
        assert_eq!(text(&output), content, "{format} {unit}");
    }
}

#[test]
fn every_format_comes_back() {
    let long: Vec<u8> = (0..300_000_u32)
        .flat_map(|i| (i / 7).to_le_bytes())
        .collect();
    for format in FORMATS {
        for content in [&b""[..], b"a", b"a short text, a short text", &long] {
            let unit = compress(format, content);
            let back = stdout(decompress(format, &unit));
            assert!(back == content, "{format}, {} bytes", content.len());
        }
    }
}

/// More than the room that decompression starts with, so that it has to grow where the unit does
/// not say how long the content is, and is not believed where it does.
#[test]
fn content_much_longer_than_its_unit_comes_back() {
    let content = vec![7; 5 << 20];
    for format in FORMATS {
        let unit = compress(format, &content);
        assert!(stdout(decompress(format, &unit)) == content, "{format}");
        let max_len = content.len().to_string();
        let args = [
            "block",
            "decompress",
            "--format",
            format,
            "--max-len",
            &max_len,
        ];
        assert!(stdout(run_with(&args, &unit)) == content, "{format}");
        let less = (content.len() - 1).to_string();
        let args = [
            "block",
            "decompress",
            "--format",
            format,
            "--max-len",
            &less,
        ];
        assert_fails(
            &run_with(&args, &unit),
            1,
            "OutputTooSmall",
            "5242879 bytes (--max-len)",
        );
    }
}

#[test]
fn no_content_needs_no_room() {
    for format in FORMATS {
        let args = ["block", "decompress", "--format", format, "--max-len", "0"];
        assert!(stdout(run_with(&args, &compress(format, b""))).is_empty());
        assert_fails(
            &run_with(&args, &compress(format, b"a")),
            1,
            "OutputTooSmall",
            "0 bytes",
        );
    }
}

#[test]
fn levels_are_used() {
    let content: Vec<u8> = (0..40_000_u32)
        .flat_map(|i| (i % 1013 * i / 11).to_le_bytes())
        .collect();
    let len = |format, level: &str| {
        let args = ["block", "compress", "--format", format, "--level", level];
        let unit = stdout(run_with(&args, &content));
        assert!(stdout(decompress(format, &unit)) == content);
        unit.len()
    };
    assert!(len("zstd", "19") < len("zstd", "-50"));
    assert!(len("lz4-block", "12") < len("lz4-block", "-100"));
    assert!(len("zlib", "9") < len("zlib", "0"));
}

#[test]
fn the_provider_can_be_named() {
    let content = b"by whomever, the bytes mean the same. ".repeat(1000);
    let unit = |provider| {
        let args = [
            "block",
            "compress",
            "--format",
            "zlib",
            "--provider",
            provider,
        ];
        stdout(run_with(&args, &content))
    };
    let units = [unit("software.deflate"), unit("libdeflate")];
    assert_ne!(units[0], units[1]);
    for unit in units {
        for provider in ["software.deflate", "libdeflate"] {
            let args = [
                "block",
                "decompress",
                "--format",
                "zlib",
                "--provider",
                provider,
            ];
            assert!(stdout(run_with(&args, &unit)) == content);
        }
    }
}

#[test]
fn a_named_provider_that_the_policy_keeps_from_serving_is_an_error() {
    let by = |direction, provider| {
        command(&[
            "block",
            direction,
            "--format",
            "zlib",
            "--provider",
            provider,
        ])
        .env("COMPRESSOR_SOFTWARE_ONLY", "true")
        .stdin(Stdio::null())
        .output()
        .unwrap()
    };
    for direction in ["compress", "decompress"] {
        let says = format!("libdeflate cannot {direction}: the policy allows software only");
        assert_fails(&by(direction, "libdeflate"), 2, "Unsupported", &says);
    }
    stdout(by("compress", "software.deflate"));
}

#[test]
fn cassandra_names_stand_for_formats() {
    let content = b"a chunk of an SSTable".repeat(100);
    for (class, format) in [
        ("LZ4Compressor", "lz4-sized"),
        (
            "org.apache.cassandra.io.compress.LZ4Compressor",
            "lz4-sized",
        ),
        ("ZstdCompressor", "zstd"),
        ("DeflateCompressor", "zlib"),
        ("SnappyCompressor", "snappy"),
        ("NoopCompressor", "none"),
    ] {
        let unit = stdout(run_with(&["block", "compress", "--class", class], &content));
        assert!(stdout(decompress(format, &unit)) == content, "{class}");
        let back = stdout(run_with(&["block", "decompress", "--class", class], &unit));
        assert!(back == content, "{class}");
    }
    let high = [
        ["block", "compress", "--class", "LZ4Compressor"].as_slice(),
        &[
            "--option",
            "lz4_compressor_type=high",
            "--option",
            "lz4_high_compressor_level=17",
        ],
    ]
    .concat();
    let unit = stdout(run_with(&high, &content));
    assert!(stdout(decompress("lz4-sized", &unit)) == content);
}

#[test]
fn what_is_not_one_intact_unit_is_refused_and_nothing_is_written() {
    for (format, unit) in [
        ("zlib", "789c4b4c4a0600024d0127dead"),
        ("zlib", "f248cdc9c907000000ffff"),
        ("zstd", "502a4d1804000000aabbccdd"),
        ("zstd", "28b52ffd240529000068656c6c6fa36d9f89"),
        ("lz4-sized", "00000000"),
        ("lz4-sized", "ffffff7f00"),
        ("lz4-block", "f0ffffffff"),
        ("snappy", "ffffffff07"),
        ("snappy", ""),
    ] {
        let output = decompress(format, &hex(unit));
        assert_fails(&output, 1, "CorruptInput", "standard input: ");
    }
}

/// That every byte matters is tested with the codecs; here, that the answer reaches the user.
///
/// `none` has nothing to tell by, and a raw LZ4 block that is cut off may be a block of less.
#[test]
fn truncated_and_trailing_bytes_are_refused_in_every_format_that_can_tell() {
    let content = b"content content content, and an end";
    for format in FORMATS.iter().filter(|format| **format != "none") {
        let mut unit = compress(format, content);
        if *format != "lz4-block" {
            for len in [0, 1, unit.len() / 2, unit.len() - 1] {
                assert_fails(
                    &decompress(format, &unit[..len]),
                    1,
                    "CorruptInput",
                    "software.",
                );
            }
        }
        unit.push(0);
        assert_fails(&decompress(format, &unit), 1, "CorruptInput", "software.");
    }
}

#[test]
fn what_cannot_be_is_a_usage_error() {
    let compress = |more: &[&str]| run_with(&[&["block", "compress"], more].concat(), b"abc");
    for (args, says) in [
        (&["--format", "zlip"][..], "deflate-raw"),
        (&["--format", "zlib", "--level", "10"], "0..=9"),
        (&["--format", "zlib", "--level", "-1"], "0..=9"),
        (&["--format", "snappy", "--level", "1"], "snappy"),
        (&["--format", "zlib", "--level", "six"], "six"),
        (&["--format", "zlib", "--provider", "qat"], "libdeflate"),
        (
            &["--format", "zstd", "--provider", "libdeflate"],
            "libdeflate",
        ),
        (&["--class", "Lz4Compressor"], "LZ4Compressor"),
        (
            &["--class", "DeflateCompressor", "--option", "level=3"],
            "has none",
        ),
        (
            &[
                "--class",
                "ZstdCompressor",
                "--option",
                "compression_level=23",
            ],
            "22",
        ),
        (
            &["--class", "ZstdCompressor", "--option", "compression_level"],
            "KEY=VALUE",
        ),
        (&["--class", "ZstdCompressor", "--level", "3"], "--level"),
        (
            &["--class", "ZstdCompressor", "--format", "zstd"],
            "--format",
        ),
        (
            &["--format", "zstd", "--option", "compression_level=3"],
            "--class",
        ),
        (&["--format", "zlib", "--max-len", "3"], "--max-len"),
        (&[], "--format"),
    ] {
        let output = compress(args);
        let kind = text(&output.stderr).split(':').next().unwrap().to_owned();
        // A provider that cannot serve the format is there all the same.
        let expected = if says == "libdeflate" && args[1] == "zstd" {
            "Unsupported"
        } else {
            "InvalidArgument"
        };
        assert_eq!(kind, expected, "{args:?}");
        assert_fails(&output, 2, expected, says);
    }
    let args = [
        "block",
        "decompress",
        "--format",
        "zlib",
        "--max-len",
        "1 KB",
    ];
    assert_fails(&run_with(&args, b""), 2, "InvalidArgument", "as in 64KiB");
}

#[test]
fn a_reader_that_has_gone_is_met_with_silence() {
    // More than a pipe holds.
    let unit = compress("zlib", &vec![0; 8 << 20]);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), unit).unwrap();
    let mut child = command(&["block", "decompress", "--format", "zlib"])
        .stdin(std::fs::File::open(file.path()).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let output = command(&["block", "compress", "--format", "zlib"])
        .stdin(Stdio::null())
        .stdout(std::fs::File::create("/dev/full").unwrap())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_fails(&output, 1, "Io", "cannot write to standard output");
}

#[cfg(target_os = "linux")]
#[test]
fn what_does_not_fit_into_memory_is_an_error() {
    let fails = |args: &[&str], input: std::fs::File, says| {
        let output = limited(64 << 10, args).stdin(input).output().unwrap();
        assert_fails(&output, 1, "OutOfMemory", says);
    };
    let open = |file: &tempfile::NamedTempFile| std::fs::File::open(file.path()).unwrap();

    let unit = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(unit.path(), compress("zlib", &vec![0; 17 << 20])).unwrap();
    let args = [
        "block",
        "decompress",
        "--format",
        "zlib",
        "--max-len",
        "3GiB",
    ];
    let says = "standard input: there is no memory for ";
    fails(&args, open(&unit), says);

    // Its content fits, its unit besides does not; then not even its content does.
    let content = tempfile::NamedTempFile::new().unwrap();
    let args = ["block", "compress", "--format", "none"];
    content.as_file().set_len(30 << 20).unwrap();
    fails(&args, open(&content), says);
    content.as_file().set_len(256 << 20).unwrap();
    let says = "standard input is longer than the memory";
    fails(&args, open(&content), says);
}

#[test]
fn every_effort_comes_back_in_every_format() {
    let content = b"machine-0007 temperature 21.5 ok\n".repeat(2_000);
    let unit = |format, more: &[&str]| {
        let args = ["block", "compress", "--format", format];
        stdout(run_with(&[&args[..], more].concat(), &content))
    };
    for format in FORMATS {
        for effort in ["ratio", "balanced", "speed"] {
            let unit = unit(format, &["--effort", effort]);
            assert_eq!(
                stdout(decompress(format, &unit)),
                content,
                "{format} {effort}"
            );
        }
    }
    // Software alone, so that which level serves is known: 4 at a loss of 10 %, 2 at one of 20 %.
    let zlib = |more: &[&str]| {
        unit(
            "zlib",
            &[more, &["--provider", "software.deflate"]].concat(),
        )
    };
    assert_eq!(zlib(&["--effort", "speed"]), zlib(&["--level", "4"]));
    assert_eq!(
        zlib(&["--effort", "speed", "--max-loss", "20"]),
        zlib(&["--level", "2"])
    );
}

#[test]
fn an_effort_that_cannot_be_is_a_usage_error() {
    for (more, says) in [
        (&["--effort", "fast"][..], "ratio, balanced, speed"),
        (&["--effort", "speed", "--max-loss", "101"], "0..=100"),
        (&["--effort", "ratio", "--max-loss", "5"], "--effort speed"),
        (&["--max-loss", "5"], "--effort"),
    ] {
        let args = ["block", "compress", "--format", "zlib"];
        let output = run_with(&[&args[..], more].concat(), b"");
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        let line = text(&output.stderr);
        assert!(
            line.starts_with("InvalidArgument: ") && line.contains(says),
            "{line}"
        );
    }
}

//! Help, and what is the same for every subcommand.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{assert_fails, command, run, stdout, text};

fn help(args: &[&str]) -> String {
    text(&stdout(run(args)))
}

#[test]
fn help_says_what_there_is() {
    insta::assert_snapshot!("help", help(&["--help"]));
    insta::assert_snapshot!("help_list", help(&["list", "--help"]));
    insta::assert_snapshot!("help_doctor", help(&["doctor", "--help"]));
    insta::assert_snapshot!("help_bench", help(&["bench", "--help"]));
    for command in [
        "calibrate",
        "pack",
        "unpack",
        "verify",
        "inspect",
        "recompress",
        "clean",
    ] {
        insta::assert_snapshot!(format!("help_{command}"), help(&[command, "--help"]));
    }
    insta::assert_snapshot!(
        "help_block_compress",
        help(&["block", "compress", "--help"])
    );
    insta::assert_snapshot!(
        "help_block_decompress",
        help(&["block", "decompress", "--help"])
    );
}

#[test]
fn the_version_is_printed() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(help(&["--version"]), format!("compressor {version}\n"));
}

#[test]
fn no_subcommand_is_a_usage_error_that_shows_help() {
    for args in [&[][..], &["block"]] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        assert!(text(&output.stderr).contains("Usage: compressor"));
    }
}

#[test]
fn arguments_that_do_not_exist_are_refused_in_one_line() {
    assert_fails(&run(&["lisst"]), 2, "InvalidArgument", "lisst");
    assert_fails(&run(&["list", "--jsn"]), 2, "InvalidArgument", "--jsn");
    assert_fails(&run(&["list", "more"]), 2, "InvalidArgument", "more");
}

#[test]
fn variables_that_cannot_be_are_refused() {
    for (name, value) in [
        ("COMPRESSOR_LOG", "loud=very"),
        ("COMPRESSOR_CONFIG", "no-such-file.toml"),
        ("COMPRESSOR_SOFTWARE_ONLY", "perhaps"),
        ("COMPRESSOR_EFFORT", "fast"),
        ("COMPRESSOR_BATCH_THREADS", "2000"),
        ("COMPRESSOR_PREFERENCE", "nobody"),
    ] {
        let format = ["block", "compress", "--format", "zlib"];
        let output = command(&format).env(name, value).output().unwrap();
        assert_fails(
            &output,
            2,
            "InvalidArgument",
            value.trim_start_matches("loud="),
        );
    }
}

#[test]
fn logging_goes_to_standard_error() {
    let output = command(&["list"])
        .env("COMPRESSOR_LOG", "trace")
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(text(&output.stdout).starts_with("Providers"));
}

//! `rocksdb-workload` that is stopped.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "a test may panic"
)]

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

#[test]
fn a_signal_ends_it_in_order_with_what_was_finished_and_no_database_left() {
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_rocksdb-workload"))
            // More than anybody waits for.
            .args(["--json", "--rounds", "1000", "--rows", "100000", "--dir"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while fs::read_dir(folder.path()).unwrap().count() == 0 {
            assert!(child.try_wait().unwrap().is_none() && Instant::now() < until);
            sleep(Duration::from_millis(10));
        }
        let sent = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        let runs: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(runs.is_array());
        let says = String::from_utf8(output.stderr).unwrap();
        assert!(says.contains("error: stopped by signal"), "{says}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

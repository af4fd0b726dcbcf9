//! A process that is killed loses nothing that it acknowledged.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test may panic"
)]

mod common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use compressor::Direction;
use rocksdb::{DB, DBCompressionType, Options};

use common::{check_rows, key, keys, options, ours, value};

/// Names the database to the process that is to be killed.
const CHILD: &str = "COMPRESSOR_ROCKSDB_CHILD";

/// Stands before the number of rows that are in the log.
const WRITTEN: &str = "rows written: ";

fn small() -> Options {
    let mut options = options(DBCompressionType::Zlib);
    options.set_write_buffer_size(128 << 10);
    options.set_target_file_size_base(128 << 10);
    options
}

/// The child's part: writes until it is killed. Does nothing when the tests run.
#[test]
fn child() {
    let Some(path) = std::env::var_os(CHILD) else {
        return;
    };
    let mut options = small();
    ours(&mut options);
    let db = DB::open(&options, Path::new(&path)).unwrap();
    let mut out = std::io::stdout();
    for row in 0.. {
        db.put(key(row), value(row)).unwrap();
        if row % 100 == 99 {
            writeln!(out, "{WRITTEN}{}", row + 1).unwrap();
        }
    }
}

/// Starts the child, kills it once it wrote so many rows; returns how many it said it wrote.
fn killed_after(path: &Path, rows: u32) -> u32 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut written = 0;
    let mut alive = true;
    // What it had said when it was killed is still in the pipe.
    for line in lines {
        if let Some((_, count)) = line.unwrap().split_once(WRITTEN) {
            written = count.parse().unwrap();
        }
        if alive && written >= rows {
            child.kill().unwrap();
            alive = false;
        }
    }
    assert!(!child.wait().unwrap().success());
    written
}

#[test]
fn what_was_written_before_a_kill_is_there_after() {
    let folder = tempfile::tempdir().unwrap();
    for (name, share) in [("early", 8), ("later", 2), ("late", 1)] {
        let path = folder.path().join(name);
        let written = killed_after(&path, keys() / share);
        assert!(written >= keys() / share);

        let mut options = small();
        let handle = ours(&mut options);
        let db = DB::open(&options, &path).unwrap();
        let mut rows = written;
        // It may have written more than it could say.
        while db.get(key(rows)).unwrap().is_some() {
            rows += 1;
        }
        check_rows(&db, rows);
        // What was in the log alone is flushed when the database opens.
        let (accelerated, _) = handle.report(&options).ops(Direction::Compress);
        assert!(accelerated > 0);
        drop(db);
        check_rows(&DB::open(&small(), &path).unwrap(), rows);
    }
}

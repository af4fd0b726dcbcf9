//! Pairs that go to Cassandra's own classes and come from them: `jvm/ChunkFiles.java`.
//!
//! Needs a JDK, which compiles that file when it starts, and the libraries that
//! `conformance-tests/jvm/build.sh` gathers. Where they are missing it is skipped with the reason;
//! with `REQUIRE_OUTSIDE=all` that is a failure, unless `ALLOW_OUTSIDE_MISSING` has `cassandra:`.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use chunk_file::{Inspected, Pair};

use crate::support::{CLASSES, made, mixed, open, params, random, read_all};

/// Packages that Cassandra reaches into, as its own start script opens them.
const OPENED: &[&str] = &[
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.module",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.util.jar",
    "java.base/sun.nio.ch",
    "jdk.management/com.sun.management.internal",
];

/// Cassandra's reader and writer in another process.
struct Cassandra {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Cassandra {
    /// Starts it by that command; `Err` says what is missing.
    fn start(java: &str) -> Result<Self, String> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let libraries = package.join("../target/jvm-oracle/lib");
        if !libraries.is_dir() {
            return Err(format!(
                "{} is missing; run conformance-tests/jvm/build.sh",
                libraries.display()
            ));
        }
        // A file, so that nobody has to read what is printed there while it runs.
        let mut said = tempfile::tempfile().unwrap();
        let mut java = Command::new(java);
        for package in OPENED {
            java.arg("--add-opens")
                .arg(format!("{package}=ALL-UNNAMED"));
            java.arg("--add-exports")
                .arg(format!("{package}=ALL-UNNAMED"));
        }
        java.args(["-ea", "-cp"])
            .arg(libraries.join("*"))
            .arg(package.join("jvm/ChunkFiles.java"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(said.try_clone().unwrap());
        let mut process = java.spawn().map_err(|error| format!("java: {error}"))?;
        let mut this = Self {
            requests: process.stdin.take().unwrap(),
            answers: BufReader::new(process.stdout.take().unwrap()),
            process,
        };
        if this.answer() == "ready" {
            return Ok(this);
        }
        // Without a compiler, say, or without Cassandra among the libraries.
        let mut why = String::new();
        said.rewind().unwrap();
        said.read_to_string(&mut why).unwrap();
        let why = why.lines().take(3).collect::<Vec<_>>().join("; ");
        Err(format!("java does not run it: {why}"))
    }

    /// The next line; nothing if the process has ended.
    fn answer(&mut self) -> String {
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        answer.trim_end().into()
    }

    fn ask(&mut self, fields: &[&str]) {
        writeln!(self.requests, "{}", fields.join("\t")).unwrap();
        assert_eq!(self.answer(), "ok", "{fields:?}");
    }

    fn read(&mut self, pair: &Pair, mmap: bool) -> Vec<u8> {
        let output = pair.data().with_extension("content");
        self.ask(&[
            "read",
            &base(pair),
            output.to_str().unwrap(),
            &mmap.to_string(),
        ]);
        fs::read(output).unwrap()
    }

    fn write(&mut self, pair: &Pair, content: &[u8], sync: bool, options: &[(&str, &str)]) {
        let input: PathBuf = pair.data().with_extension("content");
        fs::write(&input, content).unwrap();
        let options: Vec<_> = options.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let (base, sync) = (base(pair), sync.to_string());
        let mut fields = vec!["write", &base, input.to_str().unwrap(), &sync];
        fields.extend(options.iter().map(String::as_str));
        self.ask(&fields);
    }
}

impl Drop for Cassandra {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn base(pair: &Pair) -> String {
    pair.data()
        .to_str()
        .unwrap()
        .strip_suffix("-Data.db")
        .unwrap()
        .into()
}

/// Chunk length, ratio and content: lengths around chunks, raw chunks, filled-up ones, none.
fn cases() -> Vec<(u32, &'static str, Vec<u8>)> {
    let mut cases = Vec::new();
    for (kb, ratio) in [(4, "0"), (4, "1.1"), (16, "1"), (64, "2"), (256, "1.1")] {
        let chunk = kb as usize * 1024;
        let content = mixed(3 * chunk + 1);
        for len in [0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 3 * chunk + 1] {
            cases.push((kb, ratio, content[..len].to_vec()));
        }
    }
    // All raw, with a last chunk that is filled up to the max compressed length.
    cases.push((4, "1", random(4096 + 4090)));
    cases.push((4, "4", random(2 * 4096 + 1020)));
    cases
}

/// Whether the test may be skipped for what is missing.
fn may_be_missing() -> bool {
    let required = env::var("REQUIRE_OUTSIDE").is_ok_and(|which| which == "all");
    let allowed = env::var("ALLOW_OUTSIDE_MISSING").unwrap_or_default();
    !required || allowed.contains("cassandra:")
}

#[test]
fn without_a_java_that_compiles_there_is_a_reason() {
    // Where the libraries are missing too, that is the reason.
    for (java, why) in [("no-such-java", "No such file"), ("false", "does not run")] {
        let missing = Cassandra::start(java).map(drop).unwrap_err();
        let reasons = [why, "conformance-tests/jvm/build.sh"];
        assert!(reasons.iter().any(|why| missing.contains(why)), "{missing}");
    }
}

#[test]
fn cassandra_reads_what_we_write_and_we_what_it_writes() {
    let mut cassandra = match Cassandra::start("java") {
        Ok(cassandra) => cassandra,
        Err(missing) => {
            assert!(may_be_missing(), "{missing}");
            eprintln!("Cassandra's reader and writer: skipped: {missing}");
            return;
        }
    };
    let (mut pairs, mut raw, mut padded) = (0, 0, 0);
    for class in CLASSES {
        for (kb, ratio, content) in cases() {
            let params = params(class, kb, ratio);
            let what = format!(
                "{class:?}, {kb} KiB, ratio {ratio}, {} bytes",
                content.len()
            );

            let (dir, ours) = made(&params, &content);
            for mmap in [false, true] {
                assert!(
                    cassandra.read(&ours, mmap) == content,
                    "ours: {what}, mmap {mmap}"
                );
            }

            let kb = kb.to_string();
            let mut options = class.to_vec();
            options.extend([
                ("chunk_length_in_kb", kb.as_str()),
                ("min_compress_ratio", ratio),
            ]);
            for (name, sync) in [("nb-2-big", false), ("nb-3-big", true)] {
                let theirs = Pair::new(dir.path(), name);
                cassandra.write(&theirs, &content, sync, &options);
                let reader = open(&theirs);
                assert!(
                    read_all(&reader).unwrap() == content,
                    "theirs: {what}, sync {sync}"
                );
                assert_eq!(reader.verify(|_| ()).bad, [], "theirs: {what}, sync {sync}");
                let (theirs, ours) = (reader.info().clone(), open(&ours).info().clone());
                assert_eq!(theirs.class(), ours.class(), "{what}");
                assert_eq!(
                    theirs.max_compressed_len(),
                    ours.max_compressed_len(),
                    "{what}"
                );
                if !sync {
                    assert_eq!(theirs.chunk_count(), ours.chunk_count(), "{what}");
                }
                raw += Inspected::new(&theirs).raw_chunks;
                padded += theirs
                    .chunks()
                    .filter(|c| c.raw && c.stored_len > c.content_len)
                    .count();
                pairs += 1;
            }
        }
    }
    eprintln!("{pairs} pairs of Cassandra's, {raw} raw chunks in them, {padded} filled up");
    assert!(raw > 0 && padded > 0);
}

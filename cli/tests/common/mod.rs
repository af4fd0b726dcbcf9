//! Running the command.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The command with these arguments, without what the environment would set.
pub fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compressor"));
    command.args(args);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("COMPRESSOR_") {
            command.env_remove(name);
        }
    }
    command
}

/// The command with these arguments in a process that gets so much memory.
pub fn limited(kib: u32, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {kib} && exec \"$0\" \"$@\"");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_compressor")]);
    command.args(args).stdin(Stdio::null());
    command
}

/// Runs it with nothing on standard input.
pub fn run(args: &[&str]) -> Output {
    run_with(args, b"")
}

/// Runs it with this on standard input.
pub fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut command = command(args);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // From another thread, for the child may write before it has read everything. It may also end
    // without reading any, so an error is none of the test's business.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Checks that it ended with this status, one line on standard error that starts with `kind` and
/// has `says` in it, and nothing on standard output.
#[track_caller]
pub fn assert_fails(output: &Output, status: i32, kind: &str, says: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert!(stderr.starts_with(&format!("{kind}: ")), "{stderr}");
    assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
    assert!(stderr.contains(says), "{stderr}");
    assert!(output.stdout.is_empty(), "{}", text(&output.stdout));
}

/// Checks that it succeeded without a word on standard error; what it printed.
#[track_caller]
pub fn stdout(output: Output) -> Vec<u8> {
    let stderr = text(&output.stderr);
    assert!(output.status.success(), "{:?}: {stderr}", output.status);
    assert_eq!(stderr, "");
    output.stdout
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

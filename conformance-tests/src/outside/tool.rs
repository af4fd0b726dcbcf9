//! The C libraries through their own commands, a process per call.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use compressor_api::{Dictionary, Direction, Format};
use tempfile::NamedTempFile;

use super::lz4_frame::{self, Blocks};
use super::{Detected, How, Outside, Side, Trouble};

/// How long one call may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much more than the content a command may write before it is cut off, in bytes.
const EXCESS: u64 = 1 << 20;

/// Variables that would change what the commands do.
const VARIABLES: [&str; 6] = [
    "GZIP",
    "LZ4_CLEVEL",
    "LZ4_NBWORKERS",
    "PIGZ",
    "ZSTD_CLEVEL",
    "ZSTD_NBTHREADS",
];

/// One command.
#[derive(Debug)]
struct Tool {
    command: &'static Known,
    version: String,
    sides: Vec<Side>,
}

/// What there is to know of a command.
#[derive(Debug)]
struct Known {
    name: &'static str,
    sides: fn() -> Vec<Side>,
    arguments: fn(Direction, &How<'_>) -> Vec<String>,
}

const KNOWN: [Known; 4] = [
    Known {
        name: "lz4",
        // 1 and 2 are fast, 3 to 12 high compression.
        sides: || vec![Side::new(Format::Lz4Block, &[1, -7, 3, 9, 12])],
        arguments: lz4,
    },
    Known {
        name: "zstd",
        sides: || {
            let side = Side::new(Format::Zstd, &[3, -100, -1, 1, 9, 19, 22]);
            vec![side.with_checksums_and_dictionaries()]
        },
        arguments: zstd,
    },
    Known {
        name: "gzip",
        sides: || vec![Side::new(Format::Gzip, &[6, 1, 9])],
        arguments: gzip,
    },
    Known {
        name: "pigz",
        // 11 is Zopfli, seconds for every block.
        sides: || {
            let side = |format| Side::new(format, &[6, 0, 1, 9]);
            vec![side(Format::Gzip), side(Format::Zlib)]
        },
        arguments: gzip,
    },
];

fn lz4(direction: Direction, how: &How<'_>) -> Vec<String> {
    match direction {
        Direction::Compress => {
            let level = match how.level {
                level @ ..0 => format!("--fast={}", -i64::from(level)),
                level => format!("-{level}"),
            };
            // Blocks of 4 MiB, so that there is only one.
            strings(&["-z", "-c", "-q", "-B7", &level])
        }
        Direction::Decompress => strings(&["-d", "-c", "-q"]),
    }
}

fn zstd(direction: Direction, how: &How<'_>) -> Vec<String> {
    match direction {
        Direction::Compress => {
            let check = if how.checksum {
                "--check"
            } else {
                "--no-check"
            };
            let level = match how.level {
                level @ ..0 => format!("--fast={}", -i64::from(level)),
                level => format!("-{level}"),
            };
            strings(&["-z", "-c", "-q", "--ultra", check, &level])
        }
        Direction::Decompress => strings(&["-d", "-c", "-q"]),
    }
}

fn gzip(direction: Direction, how: &How<'_>) -> Vec<String> {
    let mut arguments = match direction {
        Direction::Compress => strings(&["-c", "-n", &format!("-{}", how.level)]),
        Direction::Decompress => strings(&["-d", "-c"]),
    };
    if how.format == Format::Zlib {
        arguments.push("-z".into());
    }
    arguments
}

fn strings(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|one| (*one).to_owned()).collect()
}

/// The commands on the `PATH`.
pub(crate) fn detect() -> Vec<Detected> {
    KNOWN
        .iter()
        .map(|command| match version(command.name) {
            Ok(version) => Detected::Found(Box::new(Tool {
                command,
                version,
                sides: (command.sides)(),
            })),
            Err(why) => Detected::Missing {
                name: command.name,
                why,
            },
        })
        .collect()
}

fn version(name: &str) -> Result<String, String> {
    let output = Command::new(name)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => format!("no command {name} on the PATH"),
            _ => format!("{name} --version: {error}"),
        })?;
    // pigz and some builds of lz4 say it on their standard error.
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    said.split_whitespace()
        .map(|word| word.trim_start_matches('v').trim_end_matches(','))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
        .ok_or_else(|| format!("{name} --version names no version"))
}

impl Outside for Tool {
    fn name(&self) -> &'static str {
        self.command.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn sides(&self) -> &[Side] {
        &self.sides
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn compress(&mut self, how: &How<'_>, content: &[u8]) -> Result<Vec<u8>, Trouble> {
        if how.format != Format::Lz4Block {
            return self.call(Direction::Compress, how, content, content.len());
        }
        if content.len() > lz4_frame::MAX_CONTENT {
            return Err(Trouble::NotTried("a frame's block holds 4 MiB".into()));
        }
        let frame = self.call(Direction::Compress, how, content, content.len())?;
        match lz4_frame::blocks(&frame) {
            Some(Blocks::One(block)) => Ok(block),
            Some(Blocks::Empty) => Err(Trouble::NotTried("empty frames have no block".into())),
            Some(Blocks::Stored) => Err(Trouble::NotTried(
                "blocks that would not shrink are stored in frames".into(),
            )),
            Some(Blocks::Many) => Err(Trouble::Broken("more than one block".into())),
            None => Err(Trouble::Broken("not a frame".into())),
        }
    }

    fn decompress(
        &mut self,
        how: &How<'_>,
        unit: &[u8],
        content_len: usize,
    ) -> Result<Vec<u8>, Trouble> {
        if how.format != Format::Lz4Block {
            return self.call(Direction::Decompress, how, unit, content_len);
        }
        // The frame format has a block be no longer than its content may be.
        let frame = lz4_frame::frame(unit)
            .filter(|_| unit.len().max(content_len) <= lz4_frame::MAX_CONTENT)
            .ok_or_else(|| Trouble::NotTried("a frame's block holds 4 MiB".into()))?;
        self.call(Direction::Decompress, how, &frame, content_len)
    }
}

impl Tool {
    fn call(
        &self,
        direction: Direction,
        how: &How<'_>,
        input: &[u8],
        content_len: usize,
    ) -> Result<Vec<u8>, Trouble> {
        let mut arguments = (self.command.arguments)(direction, how);
        let dictionary = how.dictionary.map(file).transpose();
        let dictionary = dictionary.map_err(|error| Trouble::Broken(error.to_string()))?;
        if let Some(file) = &dictionary {
            arguments.push("-D".into());
            arguments.push(file.path().display().to_string());
        }
        let limit = content_len as u64 + EXCESS;
        let output = filter(self.command.name, &arguments, input, limit)?;
        match output.length_limit_reached {
            true => Err(Trouble::Refused("more than the content is long".into())),
            false => Ok(output.bytes),
        }
    }
}

fn file(dictionary: &Dictionary) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    file.write_all(dictionary.bytes())?;
    Ok(file)
}

struct Output {
    bytes: Vec<u8>,
    length_limit_reached: bool,
}

/// Runs a command from input to output, up to `limit` bytes of that.
fn filter(name: &str, arguments: &[String], input: &[u8], limit: u64) -> Result<Output, Trouble> {
    let broken = |error: io::Error| Trouble::Broken(format!("{name}: {error}"));
    let mut command = Command::new(name);
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    let mut child = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(broken)?;
    let (Some(mut stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(Trouble::Broken("no pipes".into()));
    };
    let input = input.to_vec();
    // A command that has seen enough closes its input; its status says what it thinks of it.
    thread::spawn(move || stdin.write_all(&input).is_ok());
    let complaint = thread::spawn(move || read(stderr, EXCESS));
    let (done, read_all) = mpsc::channel();
    thread::spawn(move || done.send(read(stdout, limit)).is_ok());

    let Ok(output) = read_all.recv_timeout(PATIENCE) else {
        // It may be gone in this moment, which is as good.
        let _ = child.kill();
        let _ = child.wait();
        let seconds = PATIENCE.as_secs();
        return Err(Trouble::Broken(format!("not done within {seconds} s")));
    };
    let bytes = output.map_err(broken)?;
    let length_limit_reached = bytes.len() as u64 >= limit;
    let status = child.wait().map_err(broken)?;
    let complaint = complaint.join().ok().and_then(Result::ok);
    let complaint = complaint.unwrap_or_default();
    let complaint = String::from_utf8_lossy(&complaint);
    match status.code() {
        Some(0) => Ok(Output {
            bytes,
            length_limit_reached,
        }),
        Some(code) => Err(Trouble::Refused(format!(
            "exit {code}: {}",
            complaint.trim().lines().next().unwrap_or_default()
        ))),
        None if length_limit_reached => Err(Trouble::Refused("cut off".into())),
        None => Err(Trouble::Broken(status.to_string())),
    }
}

fn read(from: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, input: &[u8], limit: u64) -> Result<Vec<u8>, Trouble> {
        let arguments = ["-c".to_owned(), script.to_owned()];
        filter("sh", &arguments, input, limit).map(|output| output.bytes)
    }

    #[test]
    fn a_command_that_is_not_there_is_missing_by_name() {
        let why = version("no-such-command").unwrap_err();
        assert!(why.contains("no-such-command"), "{why}");
    }

    #[test]
    fn output_of_any_length_comes_back() {
        let long = vec![7; 300_000];
        assert_eq!(shell("cat", &long, 1 << 20), Ok(long));
        assert_eq!(shell("cat", &[], 1 << 20), Ok(Vec::new()));
    }

    #[test]
    fn a_status_is_a_refusal_and_a_signal_is_not() {
        let refused = shell("echo no good >&2; exit 3", &[], 10);
        assert_eq!(refused, Err(Trouble::Refused("exit 3: no good".into())));
        let crashed = shell("kill -SEGV $$", &[], 10);
        assert!(matches!(crashed, Err(Trouble::Broken(_))), "{crashed:?}");
    }

    #[test]
    fn endless_output_is_cut_off() {
        let endless = shell("while :; do echo y; done", &[], 1_000);
        assert!(
            matches!(&endless, Err(Trouble::Refused(_))) || endless.is_ok_and(|o| o.len() == 1_000)
        );
    }
}

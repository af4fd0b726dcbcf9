//! What answers behind a pipe: Python's modules, the JVM's libraries and Cassandra's classes.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use compressor_api::{Direction, Format, cassandra};

use super::pipe::{Pipe, Request};
use super::{Detected, How, Outside, Side, Trouble};
use crate::hex;

/// The variable that names the Python to ask.
pub const PYTHON: &str = "COMPRESSOR_PYTHON";

/// The variable that names the directory where `jvm/build.sh` put the JVM oracle.
pub const JVM_ORACLE: &str = "COMPRESSOR_JVM_ORACLE";

const PYTHON_SCRIPT: &str = include_str!("../../outside/oracle.py");

/// The workspace's target directory, where a build has the oracles.
const TARGET: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");

/// One implementation behind a pipe, which it may share with others.
#[derive(Debug)]
struct Oracle {
    known: &'static Known,
    version: String,
    sides: Vec<Side>,
    pipe: Arc<Mutex<Pipe>>,
}

/// What there is to know of an implementation.
#[derive(Debug)]
struct Known {
    name: &'static str,
    /// Its name on the pipe,
    codec: &'static str,
    /// and for `lz4-sized`, where that is another one.
    codec_sized: &'static str,
    sides: fn() -> Vec<Side>,
    options: fn(&How<'_>) -> Vec<(&'static str, String)>,
    /// Whether it writes no unit at all for empty content.
    nothing_for_empty: bool,
}

impl Known {
    const fn new(name: &'static str, codec: &'static str, sides: fn() -> Vec<Side>) -> Self {
        Self {
            name,
            codec,
            codec_sized: codec,
            sides,
            options: library_options,
            nothing_for_empty: false,
        }
    }

    const fn with_options(mut self, options: fn(&How<'_>) -> Vec<(&'static str, String)>) -> Self {
        self.options = options;
        self
    }
}

const LZ4_LEVELS: &[i32] = &[0, -7, 1, 3, 9, 12];
const ZLIB_LEVELS: &[i32] = &[6, 0, 1, 9];
const ZSTD_LEVELS: &[i32] = &[3, -131_072, -7, 1, 9, 19, 22];

static IN_PYTHON: [Known; 4] = [
    Known::new("python-zlib", "zlib", || {
        let side = |format| Side::new(format, ZLIB_LEVELS).with_windows();
        [Format::Zlib, Format::DeflateRaw, Format::Gzip]
            .map(side)
            .into()
    }),
    Known {
        codec_sized: "lz4.block sized",
        ..Known::new("python-lz4", "lz4.block", || {
            let side = |format| Side::new(format, LZ4_LEVELS);
            [Format::Lz4Block, Format::Lz4Sized].map(side).into()
        })
    },
    Known::new("python-zstandard", "zstandard", zstd_side),
    Known::new("python-snappy", "snappy", snappy_side),
];

static IN_THE_JVM: [Known; 10] = [
    Known::new("java.util.zip", "java.util.zip", || {
        let side = |format| Side::new(format, ZLIB_LEVELS);
        [Format::Zlib, Format::DeflateRaw, Format::Gzip]
            .map(side)
            .into()
    }),
    Known::new("lz4-java", "lz4-java", || lz4_java(Format::Lz4Block)),
    Known::new("lz4-java-safe", "lz4-java-safe", || {
        lz4_java(Format::Lz4Block)
    }),
    Known::new("zstd-jni", "zstd-jni", zstd_side),
    Known::new("snappy-java", "snappy-java", snappy_side),
    Known::new(
        "cassandra:LZ4Compressor",
        "org.apache.cassandra.io.compress.LZ4Compressor",
        || lz4_java(Format::Lz4Sized),
    )
    .with_options(|how| match how.level {
        level @ 1.. => vec![
            ("lz4_compressor_type", "high".into()),
            ("lz4_high_compressor_level", level.to_string()),
        ],
        _ => Vec::new(),
    }),
    Known::new(
        "cassandra:ZstdCompressor",
        "org.apache.cassandra.io.compress.ZstdCompressor",
        || vec![Side::new(Format::Zstd, ZSTD_LEVELS)],
    )
    .with_options(|how| vec![("compression_level", how.level.to_string())]),
    Known {
        nothing_for_empty: true,
        ..Known::new(
            "cassandra:DeflateCompressor",
            "org.apache.cassandra.io.compress.DeflateCompressor",
            || vec![Side::new(Format::Zlib, &[6])],
        )
        .with_options(no_options)
    },
    Known::new(
        "cassandra:SnappyCompressor",
        "org.apache.cassandra.io.compress.SnappyCompressor",
        snappy_side,
    )
    .with_options(no_options),
    Known::new(
        "cassandra:NoopCompressor",
        "org.apache.cassandra.io.compress.NoopCompressor",
        || vec![Side::new(Format::None, &[0])],
    )
    .with_options(no_options),
];

fn zstd_side() -> Vec<Side> {
    vec![Side::new(Format::Zstd, ZSTD_LEVELS).with_checksums_and_dictionaries()]
}

fn snappy_side() -> Vec<Side> {
    vec![Side::new(Format::Snappy, &[0])]
}

/// lz4-java takes high levels up to 17, as Cassandra does.
fn lz4_java(format: Format) -> Vec<Side> {
    vec![Side::new(format, &[0, 1, 9, 12, 17])]
}

fn library_options(how: &How<'_>) -> Vec<(&'static str, String)> {
    let mut options = vec![
        ("format", how.format.to_string()),
        ("level", how.level.to_string()),
        ("checksum", how.checksum.to_string()),
    ];
    if let Some(window_log) = how.window_log {
        options.push(("window", window_log.to_string()));
    }
    if let Some(dictionary) = how.dictionary {
        options.push(("dictionary", hex::encode(dictionary.bytes())));
    }
    options
}

fn no_options(_: &How<'_>) -> Vec<(&'static str, String)> {
    Vec::new()
}

/// The implementations in Python, then those in the JVM.
pub(crate) fn detect() -> Vec<Detected> {
    let mut all = behind(&IN_PYTHON, &listed(python()));
    all.extend(behind(&IN_THE_JVM, &listed(jvm())));
    all
}

/// A pipe and the codecs that it lists: name, version, and why it cannot be used.
type Listed = (Arc<Mutex<Pipe>>, Vec<[String; 3]>);

fn listed(pipe: Result<Pipe, String>) -> Result<Listed, String> {
    let mut pipe = pipe?;
    let list = pipe.list().map_err(|trouble| trouble.to_string())?;
    Ok((Arc::new(Mutex::new(pipe)), list))
}

fn behind(all: &'static [Known], listed: &Result<Listed, String>) -> Vec<Detected> {
    all.iter()
        .map(|known| match find(known.codec, listed) {
            Ok((pipe, version)) => Detected::Found(Box::new(Oracle {
                known,
                version,
                sides: (known.sides)(),
                pipe,
            })),
            Err(why) => Detected::Missing {
                name: known.name,
                why,
            },
        })
        .collect()
}

/// The pipe with this codec, and the codec's version.
fn find(
    codec: &str,
    listed: &Result<Listed, String>,
) -> Result<(Arc<Mutex<Pipe>>, String), String> {
    let (pipe, list) = listed.as_ref().map_err(Clone::clone)?;
    match list.iter().find(|[name, ..]| name == codec) {
        Some([_, version, why]) if why.is_empty() => Ok((Arc::clone(pipe), version.clone())),
        Some([_, _, why]) => Err(why.clone()),
        None => Err(format!("{codec} is not listed")),
    }
}

fn python() -> Result<Pipe, String> {
    let in_target = Path::new(TARGET).join("venv/bin/python3");
    let program = env::var_os(PYTHON).unwrap_or_else(|| {
        let program = if in_target.exists() {
            in_target
        } else {
            "python3".into()
        };
        program.into()
    });
    Pipe::start(Command::new(&program).arg("-c").arg(PYTHON_SCRIPT))
        .map_err(|error| format!("{}: {error}", program.display()))
}

fn jvm() -> Result<Pipe, String> {
    let directory =
        env::var_os(JVM_ORACLE).map_or_else(|| Path::new(TARGET).join("jvm-oracle"), PathBuf::from);
    let classes = directory.join("classes");
    if !classes.join("Oracle.class").is_file() {
        return Err(format!(
            "no JVM oracle in {}: run jvm/build.sh, or name its directory in {JVM_ORACLE}",
            directory.display()
        ));
    }
    let mut class_path = OsString::from(&classes);
    class_path.push(if cfg!(windows) { ";" } else { ":" });
    class_path.push(directory.join("lib"));
    class_path.push("/*");
    // Small and quick to start; it shares the host with the tests.
    let mut java = Command::new("java");
    java.args([
        "-Xmx512m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
    ]);
    Pipe::start(java.arg(class_path).arg("Oracle")).map_err(|error| format!("java: {error}"))
}

impl Oracle {
    fn ask(
        &self,
        direction: Direction,
        how: &How<'_>,
        payload: &[u8],
        content_len: usize,
    ) -> Result<Vec<u8>, Trouble> {
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        pipe.ask(&Request {
            codec: match how.format {
                Format::Lz4Sized => self.known.codec_sized,
                _ => self.known.codec,
            },
            options: &(self.known.options)(how),
            direction,
            content_len,
            payload,
        })
    }
}

impl Outside for Oracle {
    fn name(&self) -> &'static str {
        self.known.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn sides(&self) -> &[Side] {
        &self.sides
    }

    fn is_slow(&self) -> bool {
        false
    }

    fn compress(&mut self, how: &How<'_>, content: &[u8]) -> Result<Vec<u8>, Trouble> {
        let unit = self.ask(Direction::Compress, how, content, content.len())?;
        if self.known.nothing_for_empty && content.is_empty() && unit.is_empty() {
            return Err(Trouble::NotTried("writes no unit for empty content".into()));
        }
        Ok(unit)
    }

    fn decompress(
        &mut self,
        how: &How<'_>,
        unit: &[u8],
        content_len: usize,
    ) -> Result<Vec<u8>, Trouble> {
        self.ask(Direction::Decompress, how, unit, content_len)
    }
}

/// Cassandra's own classes with any options, as a table's schema would create them.
#[derive(Debug)]
pub struct Cassandra {
    pipe: Pipe,
}

impl Cassandra {
    /// Starts a JVM with them.
    ///
    /// # Errors
    ///
    /// Why they are not to be had.
    pub fn start() -> Result<Self, String> {
        let mut pipe = jvm()?;
        let list = pipe.list().map_err(|trouble| trouble.to_string())?;
        for [codec, _, why] in list {
            if codec.starts_with(cassandra::PACKAGE) && !why.is_empty() {
                return Err(format!("{codec}: {why}"));
            }
        }
        Ok(Self { pipe })
    }

    /// One unit by the class of this qualified name.
    ///
    /// # Errors
    ///
    /// [`Trouble::Refused`] if the class, its `create` or the schema's check of options refuses.
    pub fn compress(
        &mut self,
        class: &str,
        options: &[(&'static str, String)],
        content: &[u8],
    ) -> Result<Vec<u8>, Trouble> {
        self.pipe.ask(&Request {
            codec: class,
            options,
            direction: Direction::Compress,
            content_len: content.len(),
            payload: content,
        })
    }

    /// The content of one unit.
    ///
    /// # Errors
    ///
    /// As [`compress`](Self::compress), and if the unit is refused.
    pub fn decompress(
        &mut self,
        class: &str,
        options: &[(&'static str, String)],
        unit: &[u8],
        content_len: usize,
    ) -> Result<Vec<u8>, Trouble> {
        self.pipe.ask(&Request {
            codec: class,
            options,
            direction: Direction::Decompress,
            content_len,
            payload: unit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pipe_says_of_a_codec_is_the_reason() {
        let missing = behind(&IN_PYTHON, &Err("no such program".into()));
        assert_eq!(missing.len(), IN_PYTHON.len());
        for one in missing {
            assert!(
                one.to_string().ends_with("skipped: no such program"),
                "{one}"
            );
        }
    }

    #[test]
    fn every_format_has_an_implementation_outside() {
        let sides: Vec<Side> = IN_PYTHON
            .iter()
            .chain(&IN_THE_JVM)
            .flat_map(|known| (known.sides)())
            .collect();
        for format in Format::ALL {
            assert!(sides.iter().any(|side| side.format == format), "{format}");
        }
    }

    #[test]
    fn cassandras_class_for_a_level_is_what_the_options_mean() {
        for known in &IN_THE_JVM {
            let Some(class) = known.codec.strip_prefix(cassandra::PACKAGE) else {
                continue;
            };
            for side in (known.sides)() {
                for level in side.levels {
                    let how = How {
                        format: side.format,
                        level,
                        window_log: None,
                        checksum: true,
                        dictionary: None,
                    };
                    let options = (known.options)(&how);
                    let options = options.iter().map(|(key, value)| (*key, value.as_str()));
                    let spec = cassandra::spec(&class[1..], options).unwrap();
                    assert_eq!(spec.format(), side.format);
                    assert_eq!(spec.level(), level.min(spec.format().levels().max()));
                }
            }
        }
    }
}

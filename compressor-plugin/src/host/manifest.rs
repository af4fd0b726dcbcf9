//! The manifest: what a plugin says about itself, in a file beside the library, so that listing it
//! runs none of its code.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use compressor_api::{ParamKind, ParamSpec, ProviderEntry};
use serde::{Deserialize, Serialize};

use super::description::{Description, Draft, DraftParam};
use super::error::Refusal;
use super::file;
use crate::abi::{
    ABI_MAJOR, CP_PARAM_BOOL, CP_PARAM_BYTES, CP_PARAM_CHOICE, CP_PARAM_DURATION, CP_PARAM_INT,
    CP_PARAM_TEXT,
};
use crate::codes;

/// The greatest length of a manifest, in bytes: a thousand times that of one with two parameters.
const MAX_LEN: u64 = 1 << 20;

/// The most characters of the parser's message that are passed on.
const MAX_QUOTED: usize = 100;

/// The manifest of a provider, as it belongs beside its library: `libNAME.toml` for `libNAME.so`, be
/// that a file or a link to one. Beside a link it is looked for first, then where the link leads.
///
/// ```toml
/// abi = 1                              # the major version
/// id = "example.device"
/// description = "One line for people"
/// formats = ["zlib", "deflate-raw"]
/// priority = 0                         # 0, if left out
///
/// [[params]]                           # none, if left out
/// name = "max_in_flight"
/// kind = "int"                         # bool, int, bytes, duration, choice or text
/// min = 1                              # numbers only; a duration's are in nanoseconds
/// max = 64
/// default = "16"                       # as an operator would write it
/// doc = "One line for people"
///
/// [[params]]
/// name = "polling"
/// kind = "choice"
/// choices = ["busy", "periodical"]
/// default = "busy"
/// doc = "One line for people"
/// ```
///
/// It must say what the library says, or the plugin is refused when it is loaded. Nobody but root and
/// the user of the process may write to it or to its directory, and it has at most 1 MiB.
#[must_use]
pub fn manifest(entry: &ProviderEntry) -> String {
    let manifest = Manifest {
        abi: ABI_MAJOR,
        id: entry.id.as_str().into(),
        description: entry.description.into(),
        formats: {
            let mut formats = entry.formats.to_vec();
            formats.sort_unstable();
            formats.iter().map(|format| format.name().into()).collect()
        },
        priority: i32::from(entry.priority),
        params: entry.params.iter().map(ManifestParam::new).collect(),
    };
    // Strings, numbers and lists of them: nothing that TOML cannot write.
    toml::to_string(&manifest).unwrap_or_default()
}

/// A manifest that was read.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) description: Description,
}

/// Reads the manifest of a library, beside the path by which it was asked for, or else beside the
/// `real` one, without links; `None` if there is none.
///
/// A `libNAME.so` is often a link to a `libNAME.so.1.2.3`, and `libNAME.toml` lies beside the link.
pub(super) fn of(asked_for: &Path, real: &Path) -> Result<Option<Found>, Refusal> {
    match beside(asked_for)? {
        None if asked_for != real => beside(real),
        found => Ok(found),
    }
}

fn beside(library: &Path) -> Result<Option<Found>, Refusal> {
    let path = library.with_extension("toml");
    // A link that leads nowhere is a manifest that is missing, not one that was never meant to be.
    if let Err(error) = fs::symlink_metadata(&path)
        && error.kind() == io::ErrorKind::NotFound
    {
        return Ok(None);
    }
    let checked = file::open(&path).map_err(|refusal| match refusal {
        refusal @ Refusal::Insecure { .. } => refusal,
        refusal => wrong(refusal.to_string()),
    })?;
    let mut text = Vec::new();
    let mut start = checked.file.take(MAX_LEN + 1);
    start
        .read_to_end(&mut text)
        .map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if start.limit() == 0 {
        return Err(wrong(format!("has more than {MAX_LEN} bytes")));
    }
    let text = str::from_utf8(&text).map_err(|_| wrong("is not UTF-8".into()))?;
    let description = parse(text)?;
    Ok(Some(Found { path, description }))
}

fn parse(text: &str) -> Result<Description, Refusal> {
    let manifest: Manifest = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(0, |span| {
            let before = text.get(..span.start).unwrap_or_default();
            before.matches('\n').count() + 1
        });
        // It quotes what stands there, however long that is.
        let message = error.message().replace('\n', " ");
        let message = match message.char_indices().nth(MAX_QUOTED) {
            Some((end, _)) => format!("{}...", message.get(..end).unwrap_or_default()),
            None => message,
        };
        wrong(format!("is wrong in line {line}: {message}"))
    })?;
    if manifest.abi != ABI_MAJOR {
        return Err(Refusal::OtherMajor {
            plugin: manifest.abi,
        });
    }
    let formats = manifest
        .formats
        .iter()
        .map(|name| name.parse())
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| wrong(format!("has an {error}")))?;
    let draft = Draft {
        id: manifest.id,
        description: manifest.description,
        formats,
        priority: manifest.priority,
        params: manifest
            .params
            .into_iter()
            .map(ManifestParam::into_draft)
            .collect(),
    };
    Description::new(draft).map_err(|violation| wrong(violation.0))
}

fn wrong(why: String) -> Refusal {
    Refusal::Manifest { why }
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    abi: u16,
    id: String,
    description: String,
    formats: Vec<String>,
    #[serde(default)]
    priority: i32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    params: Vec<ManifestParam>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ManifestParam {
    name: String,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    min: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    choices: Vec<String>,
    default: String,
    doc: String,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Bool,
    Int,
    Bytes,
    Duration,
    Choice,
    Text,
}

impl ManifestParam {
    fn new(spec: &ParamSpec) -> Self {
        let (kind, range, choices) = match spec.kind {
            ParamKind::Bool => (Kind::Bool, None, &[][..]),
            ParamKind::Int { min, max } => (Kind::Int, Some((min, max)), &[][..]),
            ParamKind::Bytes { min, max } => (
                Kind::Bytes,
                Some((codes::bytes(min), codes::bytes(max))),
                &[][..],
            ),
            ParamKind::Duration { min, max } => (
                Kind::Duration,
                Some((codes::nanos(min), codes::nanos(max))),
                &[][..],
            ),
            ParamKind::Choice(words) => (Kind::Choice, None, words),
            // A kind that is added later is written down here with it.
            _ => (Kind::Text, None, &[][..]),
        };
        Self {
            name: spec.name.into(),
            kind,
            min: range.map(|(min, _)| min),
            max: range.map(|(_, max)| max),
            choices: choices.iter().map(|word| (*word).into()).collect(),
            default: spec.default.into(),
            doc: spec.doc.into(),
        }
    }

    fn into_draft(self) -> DraftParam {
        DraftParam {
            name: self.name,
            doc: self.doc,
            default: self.default,
            kind: match self.kind {
                Kind::Bool => CP_PARAM_BOOL,
                Kind::Int => CP_PARAM_INT,
                Kind::Bytes => CP_PARAM_BYTES,
                Kind::Duration => CP_PARAM_DURATION,
                Kind::Choice => CP_PARAM_CHOICE,
                Kind::Text => CP_PARAM_TEXT,
            },
            min: self.min.unwrap_or(0),
            max: self.max.unwrap_or(i64::MAX),
            choices: self.choices,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use compressor_api::{
        CompressorFactory, Format, Open, OpenError, Params, ProviderClass, ProviderId,
    };

    use super::*;

    const LEAST: &str = "abi = 1\nid = \"x\"\ndescription = \"\"\nformats = [\"zlib\"]\n";

    struct Nothing;

    impl Open for Nothing {
        fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
            Err(OpenError::Absent { why: String::new() })
        }
    }

    const fn param(name: &'static str, kind: ParamKind, default: &'static str) -> ParamSpec {
        ParamSpec {
            name,
            kind,
            default,
            doc: "A \"quoted\" word",
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        static ENTRY: ProviderEntry = ProviderEntry::new(
            ProviderId::new("example.device"),
            ProviderClass::Accelerator,
            "One line, and \u{e9}",
            &[Format::Gzip, Format::Zlib],
            &Nothing,
        )
        .with_priority(-12)
        .with_params(&[
            param("a", ParamKind::Bool, "false"),
            param(
                "b",
                ParamKind::Int {
                    min: i64::MIN,
                    max: -1,
                },
                "-5",
            ),
            param(
                "c",
                ParamKind::Bytes {
                    min: 0,
                    max: 1 << 40,
                },
                "64KiB",
            ),
            param(
                "d",
                ParamKind::Duration {
                    min: Duration::from_nanos(1),
                    max: Duration::from_secs(60),
                },
                "250ms",
            ),
            param("e", ParamKind::Choice(&["one", "two"]), "two"),
            param("f", ParamKind::Text, "any"),
        ]);
        let text = manifest(&ENTRY);
        let read = parse(&text).unwrap().entry(&Nothing);
        assert_eq!((read.id, read.description), (ENTRY.id, ENTRY.description));
        assert_eq!(read.formats, [Format::Zlib, Format::Gzip]);
        assert_eq!((read.priority, read.params), (ENTRY.priority, ENTRY.params));
        assert_eq!(manifest(&read), text);
    }

    #[test]
    fn what_can_be_left_out_has_a_default() {
        let read = parse(LEAST).unwrap().entry(&Nothing);
        assert_eq!((read.priority, read.params), (0, &[][..]));
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        let with = |more: &str| format!("{LEAST}{more}");
        for (text, says) in [
            ("".into(), "missing field `abi`"),
            ("abi = 1\nid".into(), "is wrong in line 2"),
            (with("colour = 3"), "line 5: unknown field `colour`"),
            (with("priority = \"high\""), "line 5: invalid type"),
            (with("priority = 40000"), "has the priority 40000"),
            (LEAST.replace("zlib", "zlip"), "unknown format \"zlip\""),
            (LEAST.replace("\"zlib\"", ""), "lists no format"),
            (LEAST.replace("\"x\"", "\"X\""), "is named \"X\""),
            (
                LEAST.replace("\"\"", "\"\\u001b[2J\""),
                "U+001B in its description",
            ),
            (
                with("[[params]]\nname = \"p\"\nkind = \"size\"\ndefault = \"\"\ndoc = \"\""),
                "line 7: unknown variant `size`",
            ),
            (
                with(
                    "[[params]]\nname = \"p\"\nkind = \"int\"\nmax = 3\ndefault = \"4\"\ndoc = \"\"",
                ),
                "parameter p cannot be \"4\"",
            ),
        ] {
            let refusal = parse(&text).unwrap_err().to_string();
            assert!(refusal.contains(says), "{refusal:?} does not say {says:?}");
            assert!(!refusal.contains('\n'), "{refusal}");
        }
        let other = parse(&LEAST.replace("abi = 1", "abi = 2")).unwrap_err();
        assert_eq!(other, Refusal::OtherMajor { plugin: 2 });
    }
}

//! Units with known outcomes, kept as data: `vectors/decode.tsv`.

use std::ops::RangeInclusive;

use compressor_api::{ErrorKind, Format};

use crate::hex;

/// The frozen vectors, in the layout that the file itself describes.
const DECODE: &str = include_str!("../vectors/decode.tsv");

/// A unit, the length of the buffer it is decompressed into, and what must come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vector {
    /// Line of the file, from 1.
    pub line: usize,
    pub format: Format,
    pub unit: Vec<u8>,
    pub room: usize,
    /// `decompress_exact` as well as `decompress`.
    pub exact: bool,
    /// Each of these is right.
    pub outcomes: Vec<Expected>,
}

/// What may come of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Content(Vec<u8>),
    Error(ErrorKind),
}

/// The vectors, by the order of the file.
///
/// # Errors
///
/// The line that is not one; never for the file as it is, which the tests read.
pub(crate) fn decode() -> Result<Vec<Vector>, String> {
    (1..)
        .zip(DECODE.lines())
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            vector(number, line).ok_or_else(|| format!("vectors/decode.tsv:{number}: {line}"))
        })
        .collect()
}

fn vector(number: usize, line: &str) -> Option<Vector> {
    const FIELDS: RangeInclusive<usize> = 5..=6;
    let fields: Vec<&str> = line.split('\t').collect();
    if !FIELDS.contains(&fields.len()) {
        return None;
    }
    let [format, unit, room, call, outcomes, ..] = *fields.as_slice() else {
        return None;
    };
    Some(Vector {
        line: number,
        format: format.parse().ok()?,
        unit: hex::decode(unit)?,
        room: room.parse().ok()?,
        exact: match call {
            "exact" => true,
            "any" => false,
            _ => return None,
        },
        outcomes: outcomes
            .split(" or ")
            .map(expected)
            .collect::<Option<_>>()?,
    })
}

fn expected(outcome: &str) -> Option<Expected> {
    if let Some(content) = outcome.strip_prefix("hex:") {
        return hex::decode(content).map(Expected::Content);
    }
    if let Some(text) = outcome.strip_prefix("text:") {
        return Some(Expected::Content(text.into()));
    }
    if let Some(run) = outcome.strip_prefix("run:") {
        let (byte, count) = run.split_once('*')?;
        let [byte] = *hex::decode(byte)? else {
            return None;
        };
        return Some(Expected::Content(vec![byte; count.parse().ok()?]));
    }
    let kind = ErrorKind::ALL
        .into_iter()
        .find(|kind| kind.name() == outcome);
    kind.map(Expected::Error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain::{self, Reading};

    #[test]
    fn the_file_is_read_to_its_end() {
        let vectors = decode().unwrap();
        assert!(vectors.len() >= 40);
        for format in Format::ALL
            .into_iter()
            .filter(|format| *format != Format::None)
        {
            let mut of_format = vectors.iter().filter(|vector| vector.format == format);
            assert!(
                of_format.any(|vector| vector.outcomes.len() == 1),
                "{format}"
            );
        }
    }

    #[test]
    fn the_plain_readers_agree() {
        for vector in decode().unwrap() {
            let contents: Vec<&Vec<u8>> = vector
                .outcomes
                .iter()
                .filter_map(|outcome| match outcome {
                    Expected::Content(content) => Some(content),
                    Expected::Error(_) => None,
                })
                .collect();
            match plain::read(vector.format, &vector.unit, vector.room) {
                Reading::Unit(read) | Reading::Lax(read) => {
                    let fits = !vector.exact || read.bytes.len() == vector.room;
                    assert_eq!(contents.contains(&&read.bytes), fits, "{vector:?}");
                }
                Reading::Unknown => {}
                Reading::TooLong => {
                    let small = [Expected::Error(ErrorKind::OutputTooSmall)];
                    assert_eq!(vector.outcomes, small, "{vector:?}");
                }
                _ => assert_eq!(contents.len(), 0, "{vector:?}"),
            }
        }
    }

    #[test]
    fn lines_that_are_none_are_refused() {
        for line in [
            "zlib\t00\t1\tany",
            "zlib\t0\t1\tany\tCorruptInput",
            "zlip\t00\t1\tany\tCorruptInput",
            "zlib\t00\t1\tsome\tCorruptInput",
            "zlib\t00\t1\tany\tCorrupt",
        ] {
            assert_eq!(vector(1, line), None, "{line}");
        }
    }
}

//! The kinds of data that can be generated.

use std::fmt;
use std::str::FromStr;

/// A kind of generated data. Parses from, and prints as, its [`name`](Self::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Kind {
    /// Sensor readings as a time-series store lays them out, about 130 bytes a row.
    ///
    /// A partition is one sensor of one machine and holds some hundred rows in order of time. A row
    /// has a timestamp, a value that drifts, the raw count behind it, a quality code, a sequence
    /// number, a message id, a station id, a firmware version, a unit and a short note.
    Rows,
    /// Rows of about 6 KB: a machine's inspection record.
    ///
    /// Identifiers, numbers, short strings, a JSON document of measurements, a report in prose, a
    /// spectrum and a signature. A 4 KiB block holds less than one row, so little of it repeats
    /// inside the block.
    WideRows,
    /// JSON log lines of a few services, in order of time, about 310 bytes a line.
    ///
    /// The lines of some requests in flight are interleaved, and each carries its request's trace
    /// id.
    Logs,
    /// English-like prose: a small vocabulary under Zipf's law, in sentences and paragraphs.
    Text,
    /// Bytes that cannot be compressed: what encrypted, or already compressed, data looks like.
    Random,
}

impl Kind {
    /// Every kind, in the order in which reports show them.
    pub const ALL: [Self; 5] = [
        Self::Rows,
        Self::WideRows,
        Self::Logs,
        Self::Text,
        Self::Random,
    ];

    /// The name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::WideRows => "wide-rows",
            Self::Logs => "logs",
            Self::Text => "text",
            Self::Random => "random",
        }
    }

    /// What it is, in one line for `--help` and tables.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Rows => "sensor readings of a time-series store, about 130 bytes a row",
            Self::WideRows => "rows of about 6 KB: ids, numbers, short strings, JSON and prose",
            Self::Logs => "JSON log lines of several services, with trace ids and latencies",
            Self::Text => "English-like prose",
            Self::Random => "incompressible bytes",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(name: &str) -> Result<Self, UnknownKind> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownKind {
                name: name.to_owned(),
            })
    }
}

/// No kind has this name. Says which names there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKind {
    name: String,
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown data set `{}`, use one of: {}",
            self.name,
            Kind::ALL.map(Kind::name).join(", ")
        )
    }
}

impl std::error::Error for UnknownKind {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
    }

    #[test]
    fn unknown_name_lists_the_known_ones() {
        let error = "row".parse::<Kind>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown data set `row`, use one of: rows, wide-rows, logs, text, random"
        );
    }

    #[test]
    fn descriptions_are_one_line() {
        for kind in Kind::ALL {
            assert!(
                (1..=80).contains(&kind.description().len()) && !kind.description().contains('\n'),
                "{kind}"
            );
        }
    }
}

//! How the command ends when it does not succeed.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind as ClapKind;
use compressor::{Error, ErrorKind, SelectError, SetupError, SpecError};

/// Bad data, or a failed check.
const DATA: u8 = 1;
/// Not what the command takes.
const USAGE: u8 = 2;

/// Why the command did not do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    /// An error: one line, and the exit status.
    Error {
        /// Starts with the kind.
        line: String,
        /// The exit status.
        status: u8,
    },
    /// Whoever read standard output has had enough: no error, and nobody to tell.
    Closed,
    /// Help or version was asked for, or is due; clap prints it.
    Help(clap::Error),
}

impl Failure {
    /// What was asked for cannot be: exit status 2.
    pub fn usage(message: impl Display) -> Self {
        Self::Error {
            line: format!("{}: {message}", ErrorKind::InvalidArgument),
            status: USAGE,
        }
    }

    /// What was asked for failed: exit status 1.
    pub fn data(kind: ErrorKind, message: impl Display) -> Self {
        Self::Error {
            line: format!("{kind}: {message}"),
            status: DATA,
        }
    }

    /// A plugin cannot be used: exit status 2 if its path, owner, mode, name or manifest is why, 1 if
    /// it is the plugin itself. `compressor-conformance` ends alike.
    pub fn plugin(kind: ErrorKind, message: impl Display) -> Self {
        match kind {
            ErrorKind::InvalidArgument => Self::usage(message),
            kind => Self::data(kind, message),
        }
    }

    /// An operation failed on what comes from `place`: exit status 1.
    pub fn operation(place: &str, error: Error) -> Self {
        let text = error.to_string();
        // The kind goes to the front of the line, once.
        let what = text.strip_prefix(error.kind().name()).unwrap_or(&text);
        Self::data(error.kind(), format_args!("{place}{what}"))
    }

    /// The system says no: exit status 1.
    pub fn io(message: impl Display) -> Self {
        Self::Error {
            line: format!("Io: {message}"),
            status: DATA,
        }
    }

    /// A check failed; the line starts with the kind of what was found: exit status 1.
    pub fn check(line: impl Display) -> Self {
        Self::Error {
            line: line.to_string(),
            status: DATA,
        }
    }

    /// Standard input cannot be read: exit status 1.
    pub fn input(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::OutOfMemory => Self::data(
                ErrorKind::OutOfMemory,
                "standard input is longer than the memory that there is",
            ),
            _ => Self::io(format_args!("cannot read standard input: {error}")),
        }
    }

    /// Standard output cannot be written: exit status 1, unless its reader is gone.
    pub fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::io(format_args!("cannot write to standard output: {error}")),
        }
    }

    /// Says it, and gives the exit status.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Error { line, status } => {
                // Where standard error is closed too, the exit status is all there is.
                let _ = writeln!(io::stderr(), "{}", printable(&line));
                ExitCode::from(status)
            }
            Self::Closed => ExitCode::SUCCESS,
            Self::Help(help) => {
                // Where help cannot be printed, its exit status still says what happened.
                let _ = help.print();
                ExitCode::from(if help.use_stderr() { USAGE } else { 0 })
            }
        }
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        match error.kind() {
            ClapKind::DisplayHelp
            | ClapKind::DisplayVersion
            | ClapKind::DisplayHelpOnMissingArgumentOrSubcommand => Self::Help(error),
            _ => Self::usage(one_line(&error.to_string())),
        }
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Self::usage(error)
    }
}

impl From<SetupError> for Failure {
    fn from(error: SetupError) -> Self {
        Self::usage(error)
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        let kind = error.kind();
        let status = match kind {
            ErrorKind::InvalidArgument | ErrorKind::Unsupported => USAGE,
            _ => DATA,
        };
        Self::Error {
            line: format!("{kind}: {error}"),
            status,
        }
    }
}

impl From<chunk_file::ParamsError> for Failure {
    fn from(error: chunk_file::ParamsError) -> Self {
        Self::usage(error)
    }
}

impl From<chunk_file::Error> for Failure {
    fn from(error: chunk_file::Error) -> Self {
        use chunk_file::Error::{Busy, Exists, Params, Unavailable};
        let status = match &error {
            // What was asked for cannot be.
            Busy { .. } | Exists { .. } | Params(_) | Unavailable { .. } => USAGE,
            // Damage, or a system, device or thread that failed.
            _ => DATA,
        };
        Self::Error {
            line: error.to_string(),
            status,
        }
    }
}

/// The text in one line: line ends and other control characters, as names of files may have, are
/// escaped.
pub fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// What clap says, without its usage and its advice, in one line.
fn one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"))
        .filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use compressor::ProviderId;

    fn line(failure: Failure) -> String {
        match failure {
            Failure::Error { line, .. } => line,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_clap_says_becomes_one_line() {
        let text = "error: the following required arguments were not provided:\n  \
                    --format <FORMAT>\n\nUsage: compressor block\n\nFor more information, try '--help'.\n";
        assert_eq!(
            one_line(text),
            "the following required arguments were not provided: --format <FORMAT>"
        );
    }

    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        assert_eq!(
            printable("a\nb\r\tc\u{1b}[0m \\ \"é\""),
            "a\\nb\\r\\tc\\u{1b}[0m \\ \"é\""
        );
    }

    #[test]
    fn the_kind_of_an_operation_is_said_once() {
        let error = Error::with_native(ErrorKind::CorruptInput, ProviderId::new("p"), -3);
        assert_eq!(
            line(Failure::operation("standard input", error)),
            "CorruptInput: standard input: the input is not exactly one intact unit of the format \
             (p, native code -3)"
        );
    }

    #[test]
    fn a_reader_that_is_gone_is_no_error() {
        let gone = io::Error::from(io::ErrorKind::BrokenPipe);
        assert!(matches!(Failure::output(gone), Failure::Closed));
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert!(line(Failure::output(full)).starts_with("Io: cannot write"));
    }
}

//! How the command ends when it cannot do what it was asked to.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::error::ErrorKind;
use compressor::ErrorKind as Blame;
use compressor_plugin::PluginError;

/// Something failed.
const FAILED: u8 = 1;
/// Not what the command takes.
const USAGE: u8 = 2;

/// Why there is no result.
#[derive(Debug)]
pub enum Failure {
    /// An error: one line, and the exit status.
    Error {
        /// Starts with the kind.
        line: String,
        /// The exit status.
        status: u8,
    },
    /// Whoever read standard output has had enough.
    Closed,
    /// Help or version was asked for; clap prints it.
    Help(clap::Error),
}

impl Failure {
    /// What was asked for cannot be: exit status 2.
    pub fn usage(message: impl Display) -> Self {
        Self::Error {
            line: format!("InvalidArgument: {message}"),
            status: USAGE,
        }
    }

    /// A plugin cannot be used: exit status 2 if its path, owner, mode, name or manifest is why, 1 if
    /// it is the plugin itself. `compressor` ends alike.
    pub fn plugin(error: &PluginError) -> Self {
        match error.kind() {
            Blame::InvalidArgument => Self::usage(error),
            kind => Self::Error {
                line: format!("{kind}: {error}"),
                status: FAILED,
            },
        }
    }

    /// A provider cannot be opened: exit status 1, because that is what it is proved to do.
    pub fn refused(message: impl Display) -> Self {
        Self::Error {
            line: format!("Refused: {message}"),
            status: FAILED,
        }
    }

    /// A result cannot be written to its file.
    pub fn file(path: &Path, error: io::Error) -> Self {
        Self::Error {
            line: format!("Io: cannot write {}: {error}", path.display()),
            status: FAILED,
        }
    }

    /// Standard output cannot be written, unless its reader is gone.
    pub fn output(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Error {
                line: format!("Io: cannot write to standard output: {error}"),
                status: FAILED,
            },
        }
    }

    /// Says it, and gives the exit status.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Error { line, status } => {
                // Where standard error is closed too, the exit status is all there is.
                let _ = writeln!(io::stderr(), "{line}");
                ExitCode::from(status)
            }
            // Not a success: what was found may have been a failure.
            Self::Closed => ExitCode::from(FAILED),
            Self::Help(help) => {
                let _ = help.print();
                ExitCode::SUCCESS
            }
        }
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Self::Help(error),
            _ => {
                let text = error.to_string();
                let line = text.lines().next().unwrap_or_default();
                Self::usage(line.strip_prefix("error: ").unwrap_or(line))
            }
        }
    }
}

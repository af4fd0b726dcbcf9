//! Why the command fails, and with which status.

use std::fmt;
use std::process::ExitCode;

/// Why the command fails.
#[derive(Debug)]
pub enum Failure {
    /// Wrong usage, or help that was asked for.
    Usage(clap::Error),
    /// One line for standard error.
    Run(String),
    /// This signal came.
    Stopped(usize),
}

impl Failure {
    /// Of anything that says what it is.
    pub fn of(error: impl fmt::Display) -> Self {
        Self::Run(error.to_string())
    }

    /// Standard output cannot be written.
    pub fn output(error: std::io::Error) -> Self {
        Self::Run(format!("cannot write the result: {error}"))
    }

    /// Says it, and gives the exit status: 1, 2 for wrong usage, 128 and the signal for a signal.
    pub fn report(self) -> ExitCode {
        match self {
            Self::Usage(error) => {
                // To standard output if it was asked for; nothing is left to do if that fails.
                let _ = error.print();
                u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
            }
            Self::Stopped(signal) => {
                eprintln!("error: stopped by signal {signal}");
                u8::try_from(128 + signal).map_or(ExitCode::FAILURE, ExitCode::from)
            }
            Self::Run(line) => {
                eprintln!("error: {line}");
                ExitCode::FAILURE
            }
        }
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Usage(error)
    }
}

impl From<rocksdb::Error> for Failure {
    fn from(error: rocksdb::Error) -> Self {
        Self::of(error)
    }
}

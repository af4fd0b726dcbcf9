use std::fmt;
use std::path::PathBuf;

use compressor_api::SelectError;

/// Why there is no [`Calibration`](crate::Calibration). None of these keeps an engine from working:
/// without one it chooses as it always does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CalibrationError {
    /// The sample cannot be read.
    Sample {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The sample has no content.
    EmptySample {
        /// What it is called.
        name: String,
    },
    /// The format cannot be served at all.
    Select(SelectError),
    /// The file cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The file is not one that a calibration wrote.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It was measured elsewhere, or something changed since.
    Stale {
        /// The file, where it was read from one.
        path: Option<PathBuf>,
        /// What differs.
        what: String,
    },
    /// The file cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
}

impl fmt::Display for CalibrationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sample { path, why } => {
                write!(f, "cannot read the sample {}: {why}", path.display())
            }
            Self::EmptySample { name } => {
                write!(f, "the sample {name} is empty, there is nothing to measure")
            }
            Self::Select(error) => error.fmt(f),
            Self::Read { path, why } => {
                write!(f, "cannot read the calibration {}: {why}", path.display())
            }
            Self::Corrupt { path, why } => {
                write!(f, "{} is no calibration: {why}", path.display())
            }
            Self::Stale { path: None, what } => write!(f, "the calibration is stale: {what}"),
            Self::Stale {
                path: Some(path),
                what,
            } => write!(f, "the calibration {} is stale: {what}", path.display()),
            Self::Write { path, why } => {
                write!(f, "cannot write the calibration {}: {why}", path.display())
            }
        }
    }
}

impl std::error::Error for CalibrationError {}

impl From<SelectError> for CalibrationError {
    fn from(error: SelectError) -> Self {
        Self::Select(error)
    }
}

//! Why a measurement ended without a number.

use std::fmt;
use std::io;

use compressor_api::{Direction, Error, ErrorKind};

/// Why a measurement ended without a number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeasureError {
    /// There is no data.
    Empty,
    /// A contender does not take blocks of this length.
    TooLong {
        /// The contender's name.
        contender: String,
        /// The length in bytes.
        len: usize,
    },
    /// There is no memory for what measuring takes: buffers, units, lists of blocks.
    NoMemory {
        /// How many bytes were wanted at once.
        len: usize,
    },
    /// The system has no thread to give.
    NoThread {
        /// How many were wanted.
        threads: usize,
        /// What the system says.
        kind: io::ErrorKind,
    },
    /// A contender has no session to give.
    NoSession {
        /// The contender's name.
        contender: String,
        /// Which way.
        direction: Direction,
        /// What it says.
        error: Error,
    },
    /// An operation failed.
    Failed {
        /// The contender's name.
        contender: String,
        /// Which way.
        direction: Direction,
        /// How many blocks of the data come before it.
        block: usize,
        /// What the contender says.
        error: Error,
    },
    /// An operation succeeded, with other bytes than were compressed.
    Mismatch {
        /// Who compressed.
        writer: String,
        /// Who decompressed.
        reader: String,
        /// How many blocks of the data come before it.
        block: usize,
        /// The first byte of the block that differs.
        at: usize,
    },
}

impl MeasureError {
    /// Who is to blame: the operation's own kind;
    /// [`Device`](ErrorKind::Device) for wrong bytes, as in a self-test.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::Empty => ErrorKind::InvalidArgument,
            Self::TooLong { .. } => ErrorKind::Unsupported,
            Self::NoMemory { .. } | Self::NoThread { .. } => ErrorKind::OutOfMemory,
            Self::NoSession { error, .. } | Self::Failed { error, .. } => error.kind(),
            Self::Mismatch { .. } => ErrorKind::Device,
        }
    }
}

/// Without the kind, but for the operation's own error, which starts with it.
impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no data to measure"),
            Self::TooLong { contender, len } => {
                write!(f, "{contender} does not take blocks of {len} bytes")
            }
            Self::NoMemory { len } => write!(f, "there is no memory for {len} bytes"),
            Self::NoThread { threads, kind } => {
                write!(f, "the system does not give {threads} threads: {kind}")
            }
            Self::NoSession {
                contender,
                direction,
                error,
            } => {
                write!(f, "{contender} has no session to {direction} with: {error}")
            }
            Self::Failed {
                contender,
                direction,
                block,
                error,
            } => {
                write!(f, "{contender} cannot {direction} block {block}: {error}")
            }
            Self::Mismatch {
                writer,
                reader,
                block,
                at,
            } => write!(
                f,
                "block {block}, compressed by {writer}, comes back from {reader} with another byte {at}"
            ),
        }
    }
}

impl std::error::Error for MeasureError {}

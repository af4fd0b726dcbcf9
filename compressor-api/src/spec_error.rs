use std::fmt;

use crate::{Effort, ErrorKind, Format, LevelRange};

/// Why a [`Spec`](crate::Spec) cannot be made from what the caller gave.
///
/// Met when configuring, never per operation: so it carries text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecError {
    /// No format has this name.
    UnknownFormat {
        /// The name given.
        name: String,
    },
    /// The level is outside the format's scale.
    LevelOutOfRange {
        /// The format asked for.
        format: Format,
        /// The level given.
        level: i32,
    },
    /// No effort has this name.
    UnknownEffort {
        /// The name given.
        name: String,
    },
    /// A loss above 100 %.
    LossOutOfRange {
        /// The loss given, in percent.
        percent: u8,
    },
    /// The format has no such window, or no choice of one.
    WindowOutOfRange {
        /// The format asked for.
        format: Format,
        /// Base-2 logarithm of the window given.
        window_log: u8,
    },
    /// The format takes no dictionary.
    NoDictionary {
        /// The format asked for.
        format: Format,
    },
    /// The bytes are no usable dictionary.
    BadDictionary {
        /// What is wrong with them.
        why: &'static str,
    },
    /// The format always has a checksum, or never.
    ChecksumFixed {
        /// The format asked for.
        format: Format,
    },
    /// No compressor class has this name.
    UnknownClass {
        /// The class name given.
        name: String,
        /// The names that are known.
        valid: &'static [&'static str],
    },
    /// The class has no such option.
    UnknownOption {
        /// The compressor class.
        class: &'static str,
        /// The option given.
        option: String,
        /// The options of the class.
        valid: &'static [&'static str],
    },
    /// The option exists, the value does not fit it.
    BadValue {
        /// The compressor class.
        class: &'static str,
        /// The option given.
        option: &'static str,
        /// The value given.
        value: String,
        /// What would fit.
        valid: String,
    },
    /// The format has no compressor class in Cassandra.
    NoClass {
        /// The format asked for.
        format: Format,
    },
}

impl SpecError {
    /// Always [`ErrorKind::InvalidArgument`]: the caller is to blame.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidArgument
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownFormat { name } => {
                let names = Format::ALL.map(Format::name);
                write!(
                    f,
                    "unknown format {name:?}; the formats are {}",
                    names.join(", ")
                )
            }
            Self::LevelOutOfRange { format, level } => {
                let levels: LevelRange = format.levels();
                write!(f, "level {level} is not one of {format}'s: {levels}")
            }
            Self::UnknownEffort { name } => {
                let names = Effort::ALL.map(Effort::name);
                write!(
                    f,
                    "unknown effort {name:?}; the efforts are {}",
                    names.join(", ")
                )
            }
            Self::LossOutOfRange { percent } => {
                write!(f, "a loss of {percent} % is not one from 0 to 100 %")
            }
            Self::WindowOutOfRange { format, window_log } => match format.window_logs() {
                Some((min, max)) => write!(
                    f,
                    "a window of 2^{window_log} bytes is not one of {format}'s: 2^{min} to 2^{max}"
                ),
                None => write!(f, "{format} has no choice of window"),
            },
            Self::NoDictionary { format } => write!(f, "{format} takes no dictionary"),
            Self::BadDictionary { why } => write!(f, "not a usable dictionary: {why}"),
            Self::ChecksumFixed { format } => {
                write!(
                    f,
                    "{format} has no choice of checksum; zstd is the only format that has"
                )
            }
            Self::UnknownClass { name, valid } => {
                write!(
                    f,
                    "unknown compressor class {name:?}; the classes are {}",
                    valid.join(", ")
                )
            }
            Self::UnknownOption {
                class,
                option,
                valid: [],
            } => {
                write!(f, "unknown option {option:?}; {class} has none")
            }
            Self::UnknownOption {
                class,
                option,
                valid,
            } => {
                write!(
                    f,
                    "unknown option {option:?}; {class} has {}",
                    valid.join(", ")
                )
            }
            Self::BadValue {
                class,
                option,
                value,
                valid,
            } => {
                write!(
                    f,
                    "{class} cannot take {value:?} for {option}; it takes {valid}"
                )
            }
            Self::NoClass { format } => {
                write!(f, "Cassandra has no compressor class that writes {format}")
            }
        }
    }
}

impl std::error::Error for SpecError {}

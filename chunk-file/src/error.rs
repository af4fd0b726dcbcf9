use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use compressor::ErrorKind;

use crate::params::ParamsError;

/// What went wrong with a chunk file, and where.
///
/// Cheap to clone: one bad chunk is the answer to many requests.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system said no.
    Io {
        /// The file or directory.
        path: Arc<Path>,
        /// What was being done, as in "write".
        doing: &'static str,
        /// What it said.
        error: Arc<io::Error>,
    },
    /// The pair cannot be what it says; refused when opened, nothing was read from its chunks.
    Refused {
        /// The file that is wrong.
        path: Arc<Path>,
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// A chunk is not what was written.
    Corrupt {
        /// The data file.
        path: Arc<Path>,
        /// Which chunk, from 0.
        chunk: u64,
        /// Where it begins in the data file.
        offset: u64,
        /// How it shows.
        damage: Damage,
    },
    /// A chunk could not be compressed or decompressed, for a reason that lies not in its bytes.
    Codec {
        /// The data file.
        path: Arc<Path>,
        /// Which chunk, from 0.
        chunk: u64,
        /// Where it begins in the data file.
        offset: u64,
        /// What the compressor said.
        error: compressor::Error,
    },
    /// No compressor can be had for the spec.
    Unavailable {
        /// The file whose spec it is.
        path: Arc<Path>,
        /// Why.
        why: Arc<str>,
    },
    /// A request goes beyond the data, or ends before it begins.
    OutOfRange {
        /// The data file.
        path: Arc<Path>,
        /// First byte asked for.
        start: u64,
        /// One past the last byte asked for.
        end: u64,
        /// How much data there is.
        data_len: u64,
    },
    /// There is a pair of this name; also where its data file is a link that leads nowhere.
    Exists {
        /// The file that is in the way.
        path: Arc<Path>,
    },
    /// Another writer, which lives, is making a pair of this name. What one that died left half
    /// made is in nobody's way.
    Busy {
        /// The file that it holds.
        path: Arc<Path>,
    },
    /// More data than the layout can count: 2³¹ − 1 chunks.
    TooLong {
        /// The data file.
        path: Arc<Path>,
    },
    /// Memory could not be had.
    OutOfMemory {
        /// The data file it was for.
        path: Arc<Path>,
        /// How many bytes were asked for.
        bytes: u64,
    },
    /// The parameters cannot be used.
    Params(ParamsError),
    /// The writer failed before, or one of its threads died; it can only be dropped.
    Broken {
        /// The data file.
        path: Arc<Path>,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, doing: &'static str, error: io::Error) -> Self {
        let (path, error) = (Arc::from(path), Arc::new(error));
        Self::Io { path, doing, error }
    }

    pub(crate) fn refused(path: &Path, flaw: Flaw) -> Self {
        Self::Refused {
            path: Arc::from(path),
            flaw,
        }
    }

    /// The word that its message starts with: a kind of the compressors' errors, or `Io`.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::Io { .. } => "Io",
            Self::Refused { .. } | Self::Corrupt { .. } => ErrorKind::CorruptInput.name(),
            Self::Codec { error, .. } => error.kind().name(),
            Self::Unavailable { .. } => ErrorKind::Unsupported.name(),
            Self::OutOfRange { .. }
            | Self::Exists { .. }
            | Self::Busy { .. }
            | Self::TooLong { .. } => ErrorKind::InvalidArgument.name(),
            Self::OutOfMemory { .. } => ErrorKind::OutOfMemory.name(),
            Self::Params(_) => ErrorKind::InvalidArgument.name(),
            Self::Broken { .. } => ErrorKind::Poisoned.name(),
        }
    }

    /// Whether the bytes on disk are to blame.
    #[must_use]
    pub const fn is_corruption(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Corrupt { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.kind_name())?;
        match self {
            Self::Io { path, doing, error } => {
                write!(f, "{}: cannot {doing}: {error}", path.display())
            }
            Self::Refused { path, flaw } => write!(f, "{}: {flaw}", path.display()),
            Self::Corrupt {
                path,
                chunk,
                offset,
                damage,
            } => write!(
                f,
                "{}: chunk {chunk} at offset {offset}: {damage}",
                path.display()
            ),
            Self::Codec {
                path,
                chunk,
                offset,
                error,
            } => write!(
                f,
                "{}: chunk {chunk} at offset {offset}: {error}",
                path.display()
            ),
            Self::Unavailable { path, why } => write!(f, "{}: {why}", path.display()),
            Self::OutOfRange {
                path,
                start,
                end,
                data_len,
            } => write!(f, "{}: bytes {start}..{end} of {data_len}", path.display()),
            Self::Exists { path } => write!(
                f,
                "{}: exists and is not replaced; remove the pair, or use another name",
                path.display()
            ),
            Self::Busy { path } => write!(
                f,
                "{}: another writer is making this pair; wait until it has ended, or use another \
                 name",
                path.display()
            ),
            Self::TooLong { path } => write!(f, "{}: more than 2147483647 chunks", path.display()),
            Self::OutOfMemory { path, bytes } => {
                write!(f, "{}: no memory for {bytes} bytes", path.display())
            }
            Self::Params(error) => error.fmt(f),
            Self::Broken { path } => write!(f, "{}: the writer failed before", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error.as_ref()),
            Self::Codec { error, .. } => Some(error),
            Self::Params(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ParamsError> for Error {
    fn from(error: ParamsError) -> Self {
        Self::Params(error)
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Io { error, .. } => error.kind(),
            Error::Refused { .. } | Error::Corrupt { .. } => io::ErrorKind::InvalidData,
            Error::Exists { .. } | Error::Busy { .. } => io::ErrorKind::AlreadyExists,
            Error::OutOfRange { .. } | Error::Params(_) => io::ErrorKind::InvalidInput,
            Error::OutOfMemory { .. } => io::ErrorKind::OutOfMemory,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// What is wrong with a pair that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flaw {
    /// The metadata ends too early.
    Cut,
    /// The metadata goes on after the last offset, by so many bytes.
    Surplus(u64),
    /// A string is not modified UTF-8.
    Text,
    /// So many options; no compressor has that many.
    OptionCount(i32),
    /// The class or its options are none of ours.
    Class(compressor::SpecError),
    /// The class is one of ours, the caller's compressor is for another format.
    OtherFormat {
        /// The file's.
        file: compressor::Format,
        /// The compressor's.
        compressor: compressor::Format,
    },
    /// A chunk length that is no power of two from 1 to [`MAX_CHUNK_LEN`](crate::MAX_CHUNK_LEN).
    ChunkLen(i32),
    /// A max compressed length that is neither from 1 to the chunk length nor 2³¹ − 1.
    MaxCompressedLen(i32),
    /// A negative data length.
    DataLen(i64),
    /// Not the number of chunks that the data length makes, and those beyond it are not empty.
    ChunkCount {
        /// What the metadata says.
        found: i32,
        /// What it must be.
        expected: u64,
    },
    /// An offset that cannot be: the first is not 0, it does not increase by as much as a chunk
    /// takes, or it increases by more than a chunk can take.
    Offset {
        /// Which chunk, from 0.
        chunk: u64,
        /// Where the metadata says that it begins.
        offset: u64,
    },
    /// The last chunk begins or ends beyond the data file.
    BeyondFile {
        /// Where the last chunk begins.
        offset: u64,
        /// How long the data file is.
        file_len: u64,
    },
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut => f.write_str("the metadata is cut"),
            Self::Surplus(bytes) => write!(f, "{bytes} bytes after the last chunk offset"),
            Self::Text => f.write_str("a string is not modified UTF-8"),
            Self::OptionCount(count) => write!(f, "{count} compressor options"),
            Self::Class(error) => error.fmt(f),
            Self::OtherFormat { file, compressor } => {
                write!(f, "the file is {file}, the compressor is for {compressor}")
            }
            Self::ChunkLen(len) => write!(
                f,
                "chunk length {len} is no power of two from 1 to {}",
                crate::MAX_CHUNK_LEN
            ),
            Self::MaxCompressedLen(len) => write!(
                f,
                "max compressed length {len} is neither from 1 to the chunk length nor 2147483647"
            ),
            Self::DataLen(len) => write!(f, "data length {len}"),
            Self::ChunkCount { found, expected } => {
                write!(f, "{found} chunks where the data length makes {expected}")
            }
            Self::Offset { chunk, offset } => {
                write!(f, "chunk {chunk} cannot begin at offset {offset}")
            }
            Self::BeyondFile { offset, file_len } => write!(
                f,
                "the last chunk, at offset {offset}, does not fit the data file of {file_len} bytes"
            ),
        }
    }
}

/// How a chunk shows that it is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// The CRC32 is another.
    Crc {
        /// What the file says.
        stored: u32,
        /// What its bytes make.
        computed: u32,
    },
    /// It does not decompress to its content.
    Decode(compressor::Error),
    /// It is stored raw, at a length that no raw chunk has here.
    RawLen {
        /// How long it is.
        stored: u64,
        /// How long it must be.
        expected: u64,
    },
    /// It is stored raw and filled up, not with zeros.
    Padding,
    /// So few bytes cannot hold so much content.
    TooMuchContent {
        /// How long it is as stored.
        stored: u64,
        /// How long its content should be.
        content: u64,
    },
    /// The data file ends within it.
    Cut,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crc { stored, computed } => {
                write!(f, "CRC32 is {computed:08x}, the file says {stored:08x}")
            }
            Self::Decode(error) => error.fmt(f),
            Self::RawLen { stored, expected } => {
                write!(f, "raw and {stored} bytes long where {expected} are due")
            }
            Self::Padding => f.write_str("raw and not filled up with zeros"),
            Self::TooMuchContent { stored, content } => {
                write!(f, "{stored} bytes cannot hold {content}")
            }
            Self::Cut => f.write_str("the data file ends within it"),
        }
    }
}

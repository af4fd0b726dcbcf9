use std::fmt;

use compressor_api::{Dictionary, Format};

/// An implementation that was looked for.
#[derive(Debug)]
pub enum Detected {
    /// It is here.
    Found(Box<dyn Outside>),
    /// It is not.
    Missing {
        /// Its name.
        name: &'static str,
        /// What was tried, and what came of it.
        why: String,
    },
}

impl Detected {
    /// The implementation's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Found(outside) => outside.name(),
            Self::Missing { name, .. } => name,
        }
    }
}

impl fmt::Display for Detected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Found(outside) => write!(f, "{} {}", outside.name(), outside.version()),
            Self::Missing { name, why } => write!(f, "{name}: skipped: {why}"),
        }
    }
}

/// An encoder and decoder from elsewhere.
pub trait Outside: Send + fmt::Debug {
    /// The name in reports; without blanks, never changes.
    fn name(&self) -> &'static str;

    /// Its version, as it says itself.
    fn version(&self) -> &str;

    /// What it does, an entry per format.
    fn sides(&self) -> &[Side];

    /// Whether every call starts a process, so that calls are to be counted.
    fn is_slow(&self) -> bool;

    /// One unit that holds `content`.
    ///
    /// # Errors
    ///
    /// [`Trouble`].
    fn compress(&mut self, how: &How<'_>, content: &[u8]) -> Result<Vec<u8>, Trouble>;

    /// The content of one unit, of which the caller says that it is `content_len` bytes.
    ///
    /// # Errors
    ///
    /// [`Trouble`].
    fn decompress(
        &mut self,
        how: &How<'_>,
        unit: &[u8],
        content_len: usize,
    ) -> Result<Vec<u8>, Trouble>;
}

/// What an implementation does with one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The format.
    pub format: Format,
    /// The levels to try, on the implementation's own scale; the first is its default.
    pub levels: Vec<i32>,
    /// Whether the window can be asked for.
    pub windows: bool,
    /// Whether the checksum can be left out.
    pub checksums: bool,
    /// Whether dictionaries are taken.
    pub dictionaries: bool,
}

impl Side {
    pub(crate) fn new(format: Format, levels: &[i32]) -> Self {
        Self {
            format,
            levels: levels.to_vec(),
            windows: false,
            checksums: false,
            dictionaries: false,
        }
    }

    pub(crate) const fn with_windows(mut self) -> Self {
        self.windows = true;
        self
    }

    pub(crate) const fn with_checksums_and_dictionaries(mut self) -> Self {
        self.checksums = true;
        self.dictionaries = true;
        self
    }
}

/// How one unit is written, or was.
#[derive(Clone, Copy, Debug)]
pub struct How<'a> {
    /// The format.
    pub format: Format,
    /// The level, on the implementation's own scale.
    pub level: i32,
    /// The base-2 logarithm of the window; the format's largest if there is none.
    pub window_log: Option<u8>,
    /// Whether a checksum is written, where there is a choice.
    pub checksum: bool,
    /// The dictionary.
    pub dictionary: Option<&'a Dictionary>,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The bytes or the options were refused.
    Refused(String),
    /// This cannot be asked of the implementation; the reason goes into the report.
    NotTried(String),
    /// The implementation itself failed: it crashed, or did not answer in time.
    Broken(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "refused: {why}"),
            Self::NotTried(why) => write!(f, "not tried: {why}"),
            Self::Broken(why) => write!(f, "broke: {why}"),
        }
    }
}

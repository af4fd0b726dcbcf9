use std::fmt;
use std::path::{Path, PathBuf};

use compressor_api::{ErrorKind, OpenError};

use crate::abi::ABI_MAJOR;
use crate::text::is_unprintable;

/// Why a plugin was refused: which file, and what is wrong with it.
///
/// Prints as one line. A refused plugin has registered nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginError {
    path: PathBuf,
    refusal: Refusal,
}

impl PluginError {
    pub(super) fn new(path: impl Into<PathBuf>, refusal: Refusal) -> Self {
        Self {
            path: path.into(),
            refusal,
        }
    }

    /// The file or directory, as it was asked for.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        &self.refusal
    }

    /// Who is to blame: the caller for a path that leads nowhere, and for an owner, mode, name or
    /// manifest that cannot be ([`InvalidArgument`](ErrorKind::InvalidArgument)), the plugin for the
    /// rest ([`Device`](ErrorKind::Device)).
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.clone().into_open_error() {
            OpenError::Misconfigured { .. } => ErrorKind::InvalidArgument,
            _ if matches!(self.refusal, Refusal::NotThere { .. }) => ErrorKind::InvalidArgument,
            _ => ErrorKind::Device,
        }
    }

    pub(super) fn into_refusal(self) -> Refusal {
        self.refusal
    }

    /// The same as the state of a provider that was listed before its library was loaded.
    pub(super) fn into_open_error(self) -> OpenError {
        let why = self.to_string();
        match self.refusal {
            Refusal::NotThere { .. } | Refusal::Loader { .. } => OpenError::Absent { why },
            Refusal::RelativePath
            | Refusal::Directory { .. }
            | Refusal::NotAFile
            | Refusal::Insecure { .. }
            | Refusal::Replaced
            | Refusal::DuplicateId { .. }
            | Refusal::Manifest { .. } => OpenError::Misconfigured { why },
            Refusal::NotALibrary
            | Refusal::OtherMachine { .. }
            | Refusal::Damaged { .. }
            | Refusal::NoSymbol
            | Refusal::OtherMajor { .. }
            | Refusal::NoTable
            | Refusal::NotATable
            | Refusal::Magic { .. }
            | Refusal::TooSmall { .. }
            | Refusal::NullEntry { .. }
            | Refusal::Contradiction { .. } => OpenError::Broken { why },
        }
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.refusal {
            // The path is said once.
            Refusal::Insecure { what, why } if *what == self.path => {
                f.write_str(&at(&self.path, why))
            }
            refusal => f.write_str(&at(&self.path, refusal)),
        }
    }
}

impl std::error::Error for PluginError {}

/// Where something is, and what: in one line, whatever is in a name or a message.
pub(super) fn at(path: &Path, what: impl fmt::Display) -> String {
    printable(&format!("{}: {what}", path.display()))
}

/// The text in one line: what would end a line, or steer a terminal, is escaped.
pub(super) fn printable(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// What is wrong with a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The path does not start at the root, so that what it names depends on where one stands.
    RelativePath,
    /// There is no such file or directory, or it cannot be read.
    NotThere {
        /// What the system says.
        why: String,
    },
    /// A directory that cannot be searched for plugins: relative, not there, not to be read.
    Directory {
        /// What is wrong with it.
        why: String,
    },
    /// Not a regular file.
    NotAFile,
    /// Somebody who is neither root nor the user of this process could have written it.
    Insecure {
        /// The file or directory that is open to others.
        what: PathBuf,
        /// Owner or mode.
        why: String,
    },
    /// Its headers are not those of a shared library.
    NotALibrary,
    /// A shared library for other machines than this.
    OtherMachine {
        /// In what it differs, in the numbers of ELF.
        why: String,
    },
    /// A shared library that is not all there, or that needs one which is not. Loading it could end
    /// the process.
    Damaged {
        /// What is wrong with it.
        why: String,
    },
    /// The loader refused it: a library that it depends on is missing, a symbol cannot be found.
    Loader {
        /// What the loader says.
        message: String,
    },
    /// Exports no symbol of a plugin.
    NoSymbol,
    /// Was built for another major version of the ABI.
    OtherMajor {
        /// The plugin's version.
        plugin: u16,
    },
    /// Does not want to work with this host: returned no table.
    NoTable,
    /// Returned an address that no table can have.
    NotATable,
    /// Returned something other than a plugin's table.
    Magic {
        /// What stands in the place of the magic number.
        found: u64,
    },
    /// The table is shorter than the first one that was published.
    TooSmall {
        /// Its size, in bytes.
        found: u32,
        /// The size of the first one, in bytes.
        least: usize,
    },
    /// A function that is not optional is missing from the table.
    NullEntry {
        /// Its name.
        entry: &'static str,
    },
    /// What the table says cannot be.
    Contradiction {
        /// What, in words.
        what: String,
    },
    /// Another plugin of this name is already known.
    DuplicateId {
        /// The name.
        id: String,
        /// The other plugin.
        other: PathBuf,
    },
    /// Another file has taken the place of the one that was listed.
    Replaced,
    /// The manifest beside the library cannot be read, or says other things than the library.
    Manifest {
        /// What is wrong with it.
        why: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RelativePath => f.write_str("a plugin is named by its absolute path"),
            Self::NotThere { why } => write!(f, "cannot be read: {why}"),
            Self::Directory { why } => write!(f, "cannot be searched for plugins: {why}"),
            Self::NotAFile => f.write_str("is not a regular file"),
            Self::Insecure { what, why } => write!(f, "{} {why}", what.display()),
            Self::NotALibrary => f.write_str("is not a shared library"),
            Self::OtherMachine { why } => write!(f, "is a library for another machine: {why}"),
            Self::Damaged { why } => write!(f, "cannot be loaded: {why}"),
            Self::Loader { message } => write!(f, "cannot be loaded: {message}"),
            Self::NoSymbol => write!(
                f,
                "is a library but no plugin: it exports no compressor_plugin_v{ABI_MAJOR}"
            ),
            Self::OtherMajor { plugin } => write!(
                f,
                "was built for version {plugin} of the plugin ABI; this host speaks version \
                 {ABI_MAJOR}"
            ),
            Self::NoTable => f.write_str("refuses this host: it returned no table"),
            Self::NotATable => f.write_str("returned an address that no table can have"),
            Self::Magic { found } => {
                write!(
                    f,
                    "returned no plugin's table: its magic number is {found:#018x}"
                )
            }
            Self::TooSmall { found, least } => write!(
                f,
                "states a table of {found} bytes; the first version had {least}"
            ),
            Self::NullEntry { entry } => write!(f, "has no function {entry} in its table"),
            Self::Contradiction { what } => f.write_str(what),
            Self::DuplicateId { id, other } => {
                write!(f, "is named {id}, as is {}", other.display())
            }
            Self::Replaced => {
                f.write_str("was replaced since it was listed; the process must start again")
            }
            Self::Manifest { why } => write!(f, "its manifest {why}"),
        }
    }
}

/// Something came back from a plugin that cannot be: in words, one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Violation(pub(super) String);

impl Violation {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Violation> for Refusal {
    fn from(Violation(what): Violation) -> Self {
        Self::Contradiction { what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_whatever_is_in_names_and_messages() {
        let message = "a\u{1b}[2Jb\r\n\u{2028}c\u{202e} \\ \"\u{e9}\"".into();
        let error = PluginError::new("/two\nlines/x.so", Refusal::Loader { message });
        let line = "/two\\nlines/x.so: cannot be loaded: a\\u{1b}[2Jb\\r\\n\\u{2028}c\\u{202e} \\ \"\u{e9}\"";
        assert_eq!(error.to_string(), line);
        assert_eq!(error.into_open_error().why(), line);
    }

    #[test]
    fn a_path_is_said_once() {
        let insecure = |what: &str| Refusal::Insecure {
            what: what.into(),
            why: "has mode 0777".into(),
        };
        let of_itself = PluginError::new("/a/x.so", insecure("/a/x.so"));
        assert_eq!(of_itself.to_string(), "/a/x.so: has mode 0777");
        let of_another = PluginError::new("/a/x.so", insecure("/a"));
        assert_eq!(of_another.to_string(), "/a/x.so: /a has mode 0777");
    }
}

//! Plugins in directories.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use compressor_api::ProviderEntry;

use super::error::{PluginError, Refusal};
use super::known::list_one;

/// The variable that names directories with plugins, separated as in `PATH`.
pub const SEARCH_PATH: &str = "COMPRESSOR_PLUGIN_PATH";

/// The directories that [`SEARCH_PATH`] names in the environment of this process; empty items are
/// left out.
///
/// Not for a program that has more rights than its user: whoever starts it sets the environment.
#[must_use]
pub fn search_path() -> Vec<PathBuf> {
    split(&std::env::var_os(SEARCH_PATH).unwrap_or_default())
}

fn split(value: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(value)
        .filter(|directory| !directory.as_os_str().is_empty())
        .collect()
}

/// Lists the plugins in `directories`: every `*.so`, by name, and each file once.
///
/// A plugin with a [`manifest`](crate::manifest()) beside it is listed without running any of its
/// code; its library is loaded when the provider is first opened. Any other is loaded here. Each
/// library that is listed, loaded or not, holds one file descriptor until the process ends.
///
/// One that is refused does not keep the others out: its error stands in its place; one that turns out
/// wrong when it is first opened, though nobody named it or set its parameters, is logged and
/// [`Broken`](compressor_api::OpenError::Broken), and software serves. A directory
/// that is not there, or whose path is relative, is an error too.
#[must_use]
pub fn list<P: AsRef<Path>>(
    directories: impl IntoIterator<Item = P>,
) -> Vec<Result<&'static ProviderEntry, PluginError>> {
    let mut listed: Vec<Result<&'static ProviderEntry, PluginError>> = Vec::new();
    for directory in directories {
        match libraries(directory.as_ref()) {
            Err(error) => listed.push(Err(error)),
            Ok(paths) => {
                for path in paths {
                    let found = list_one(&path);
                    let twice = found.as_ref().is_ok_and(|entry| {
                        listed
                            .iter()
                            .flatten()
                            .any(|known| std::ptr::eq(*known, *entry))
                    });
                    if !twice {
                        listed.push(found);
                    }
                }
            }
        }
    }
    listed
}

fn libraries(directory: &Path) -> Result<Vec<PathBuf>, PluginError> {
    let refuse = |refusal| PluginError::new(directory, refusal);
    if !directory.is_absolute() {
        let why = "it is not named by an absolute path".into();
        return Err(refuse(Refusal::Directory { why }));
    }
    let unreadable = |error: std::io::Error| {
        let why = error.to_string();
        refuse(Refusal::Directory { why })
    };
    let mut paths = Vec::new();
    for file in fs::read_dir(directory).map_err(unreadable)? {
        let path = file.map_err(unreadable)?.path();
        if path.extension() == Some(OsStr::new("so")) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_path_is_split_and_empty_items_are_left_out() {
        assert!(split(OsStr::new("")).is_empty());
        assert_eq!(
            split(OsStr::new(":/usr/lib/compressor::/opt/x:")),
            [Path::new("/usr/lib/compressor"), Path::new("/opt/x")]
        );
    }
}

//! The files of the system that is looked at.

use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

/// More than any file of sysfs has, and of `/proc/cpuinfo` the first processor.
const MOST_TEXT: u64 = 64 << 10;

/// The longest list of installed packages that is read.
const MOST_PACKAGES: u64 = 64 << 20;

/// A system by its files. Whatever cannot be read counts as not there.
#[derive(Debug)]
pub struct Host {
    root: PathBuf,
}

impl Host {
    /// The system whose root directory this is.
    pub fn at(root: &Path) -> Self {
        Self { root: root.into() }
    }

    /// The beginning of a file, without white space around it.
    pub fn text(&self, path: &str) -> Option<String> {
        self.read(path, MOST_TEXT)
    }

    /// The list of packages that dpkg keeps.
    pub fn dpkg_status(&self) -> Option<String> {
        self.read("/var/lib/dpkg/status", MOST_PACKAGES)
    }

    /// The names in a directory, sorted.
    pub fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The last part of what a symbolic link leads to.
    pub fn link(&self, path: &str) -> Option<String> {
        let target = fs::read_link(self.path(path)).ok()?;
        Some(target.file_name()?.to_string_lossy().into_owned())
    }

    /// Owner and mode of a file.
    pub fn metadata(&self, path: &str) -> Option<Metadata> {
        fs::metadata(self.path(path)).ok()
    }

    /// Whether there is such a file or directory.
    pub fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    fn read(&self, path: &str, most: u64) -> Option<String> {
        let path = self.path(path);
        // Anything else may have no end, or nobody at the other one.
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(path).ok()?;
        file.take(most).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_under_the_root() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/sys")).unwrap();
        fs::write(root.path().join("proc/limits"), "  text \n").unwrap();
        let host = Host::at(root.path());
        assert_eq!(host.text("/proc/limits").unwrap(), "text");
        assert_eq!(host.names("/proc"), ["limits", "sys"]);
        assert!(host.exists("/proc/sys") && !host.exists("/proc/self"));
        assert_eq!(host.text("/proc/sys"), None);
        assert_eq!(host.names("/sys"), [""; 0]);
    }

    #[test]
    fn long_files_are_read_in_part() {
        let root = tempfile::tempdir().unwrap();
        let long = "x".repeat(2 * MOST_TEXT as usize);
        fs::write(root.path().join("long"), long).unwrap();
        let read = Host::at(root.path()).text("long").unwrap();
        assert_eq!(read.len() as u64, MOST_TEXT);
    }
}

//! The files of the system that is looked at.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// More than any file of sysfs has, and of `/proc/cpuinfo` the first processor.
const MOST_TEXT: u64 = 64 << 10;

/// The longest list of installed packages that is read.
const MOST_PACKAGES: u64 = 64 << 20;

/// Symbolic links on the way to a file: as many as Linux follows (`MAXSYMLINKS`).
const MOST_LINKS: u32 = 40;

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
        let entries = self.path(path).and_then(|path| fs::read_dir(path).ok());
        let entries = entries.into_iter().flatten();
        let mut names: Vec<String> = entries
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// The last part of what a symbolic link leads to.
    pub fn link(&self, path: &str) -> Option<String> {
        let (parent, name) = path.rsplit_once('/')?;
        let target = fs::read_link(self.path(parent)?.join(name)).ok()?;
        Some(target.file_name()?.to_string_lossy().into_owned())
    }

    /// Owner and mode of a file.
    pub fn metadata(&self, path: &str) -> Option<Metadata> {
        fs::metadata(self.path(path)?).ok()
    }

    /// Whether there is such a file or directory.
    pub fn exists(&self, path: &str) -> bool {
        self.path(path).is_some_and(|path| path.exists())
    }

    fn read(&self, path: &str, most: u64) -> Option<String> {
        let path = self.path(path)?;
        // Anything else may have no end, or nobody at the other one.
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(path).ok()?;
        file.take(most).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// Where a path of that system is in this one, without symbolic links below the root: they mean
    /// paths of that system, and this one would follow them to its own files. `None` for too many of
    /// them.
    fn path(&self, path: &str) -> Option<PathBuf> {
        if self.root == Path::new("/") {
            return Some(path.into());
        }
        let mut found = self.root.clone();
        let mut links = 0;
        // What is still to go, the next part last.
        let mut parts: Vec<OsString> = Vec::new();
        push_parts(&mut parts, Path::new(path));
        while let Some(part) = parts.pop() {
            if part == ".." {
                if found != self.root {
                    found.pop();
                }
                continue;
            }
            found.push(&part);
            let Ok(target) = fs::read_link(&found) else {
                continue;
            };
            links += 1;
            if links > MOST_LINKS {
                return None;
            }
            if target.is_absolute() {
                found.clone_from(&self.root);
            } else {
                found.pop();
            }
            push_parts(&mut parts, &target);
        }
        Some(found)
    }
}

/// Puts the parts of a path where the first comes off first.
fn push_parts(parts: &mut Vec<OsString>, path: &Path) {
    let own = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.into()),
        Component::ParentDir => Some("..".into()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    parts.extend(own);
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
    fn symbolic_links_stay_under_the_root() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("file"), "outside").unwrap();
        fs::create_dir_all(root.path().join("usr/lib")).unwrap();
        fs::write(root.path().join("usr/lib/file"), "inside").unwrap();
        let link = |target: &Path, name| symlink(target, root.path().join(name)).unwrap();
        link(Path::new("/usr/lib"), "lib");
        link(Path::new("usr/lib"), "lib64");
        link(Path::new("/lib/../../../lib64/./file"), "far");
        link(&outside.path().join("file"), "out");
        link(Path::new("/round"), "round");
        let up = "../".repeat(20);
        let there = outside.path().strip_prefix("/").unwrap().join("file");
        link(&Path::new(&up).join(there), "up");

        let host = Host::at(root.path());
        for path in ["/lib/file", "/lib64/file", "/far", "/../usr/lib/file"] {
            assert_eq!(host.text(path).as_deref(), Some("inside"), "{path}");
        }
        for path in ["/out", "/up", "/round", "/round/file"] {
            assert_eq!(host.text(path), None, "{path}");
            assert!(
                !host.exists(path) && host.metadata(path).is_none(),
                "{path}"
            );
        }
        assert_eq!(host.names("/lib"), ["file"]);
        assert_eq!(host.link("/lib64").as_deref(), Some("lib"));
        assert_eq!(host.link("/out").as_deref(), Some("file"));
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

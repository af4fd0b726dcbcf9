//! Whether the libraries that a library needs are all there, and nobody else's, as far as it says
//! where they lie: by their paths, or in directories that it names.
//!
//! The loader maps those as it maps the library itself: one that was cut short would end the process,
//! a FIFO would hold it up, and what others could have written would run as if it were the plugin's.
//! What it looks for in the directories of the system, and in those of `LD_LIBRARY_PATH`, is its own
//! to find.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{self, Path, PathBuf};

use super::elf::{self, Needs};
use super::error::Refusal;
use super::file;

/// How many libraries are looked at: more than any plugin needs, and an end to what links in circles.
const MAX_LIBRARIES: usize = 256;

/// A library, and where the loader looks for what it needs.
struct Needy {
    names: Vec<PathBuf>,
    /// For names that are no paths.
    directories: Vec<PathBuf>,
    /// What its own libraries are looked for in besides: its `DT_RPATH`, and that of whatever led to
    /// it.
    inherited: Vec<PathBuf>,
}

/// Looks at what the library at `path` needs, at what those need, and so on.
///
/// # Errors
///
/// [`Refusal::Damaged`] and [`Refusal::Insecure`]. What is missing, or nobody's library, the loader
/// says itself.
pub(super) fn check(file: &File, path: &Path) -> Result<(), Refusal> {
    let mut seen = vec![path.to_path_buf()];
    let mut pending = VecDeque::from([Needy::new(&elf::needs(file)?, path, &[])]);
    while let Some(needy) = pending.pop_front() {
        for candidates in needy.candidates() {
            for candidate in candidates {
                if seen.contains(&candidate) || seen.len() >= MAX_LIBRARIES {
                    break;
                }
                let Some(file) = open(&candidate)? else {
                    continue;
                };
                seen.push(candidate.clone());
                match elf::needs(&file) {
                    Ok(needs) => {
                        pending.push_back(Needy::new(&needs, &candidate, &needy.inherited));
                    }
                    // The loader passes over it.
                    Err(Refusal::OtherMachine { .. }) => continue,
                    Err(Refusal::Damaged { why }) => return Err(damaged(&candidate, &why)),
                    Err(_) => {}
                }
                break;
            }
        }
    }
    Ok(())
}

/// A library that the loader would find, held to what a plugin is held to; `None` if there is none.
///
/// The directory in which it is looked for counts as well as the one in which it really lies: who may
/// write there can put another one in its place before the loader comes.
fn open(candidate: &Path) -> Result<Option<File>, Refusal> {
    if let Some(directory) = candidate.parent()
        && let Ok(found) = fs::metadata(directory)
    {
        file::secure(directory, &found)?;
    }
    match file::open(candidate) {
        Ok(checked) => Ok(Some(checked.file)),
        Err(refusal @ Refusal::Insecure { .. }) => Err(refusal),
        Err(refusal @ Refusal::NotAFile) => Err(damaged(candidate, &refusal.to_string())),
        Err(_) => Ok(None),
    }
}

fn damaged(needed: &Path, why: &str) -> Refusal {
    Refusal::Damaged {
        why: format!("it needs {}: {why}", needed.display()),
    }
}

impl Needy {
    /// The library at `path`, which one with `inherited` needs.
    fn new(needs: &Needs, path: &Path, inherited: &[PathBuf]) -> Self {
        let origin = path.parent().unwrap_or(path).as_os_str().as_bytes();
        let expand = |search_path: &[u8]| -> Vec<PathBuf> {
            // Nothing at all is no directory; nothing between two colons is where one stands.
            search_path
                .split(|byte| *byte == b':')
                .filter(|_| !search_path.is_empty())
                .filter_map(|directory| expanded(directory, origin))
                .collect()
        };
        // The older search path counts only without the newer one, which is for this library alone.
        let (directories, inherited) = match &needs.run_path {
            Some(run_path) => (expand(run_path), inherited.to_vec()),
            None => {
                let mut all = expand(&needs.inherited_path);
                all.extend_from_slice(inherited);
                (all.clone(), all)
            }
        };
        let names = needs.names.iter();
        Self {
            names: names
                .filter_map(|name| match name.contains(&b'/') {
                    true => expanded(name, origin),
                    false => Some(PathBuf::from(OsStr::from_bytes(name))),
                })
                .collect(),
            directories,
            inherited,
        }
    }

    /// Where the loader looks for each library that it needs.
    fn candidates(&self) -> impl Iterator<Item = Vec<PathBuf>> {
        self.names.iter().map(|name| match name.is_absolute() {
            true => vec![name.clone()],
            false => { self.directories.iter() }
                .map(|directory| directory.join(name))
                .collect(),
        })
    }
}

/// A path in which `$ORIGIN` stands for a directory, from where this process stands; `None` for other
/// variables.
fn expanded(path: &[u8], origin: &[u8]) -> Option<PathBuf> {
    let mut expanded = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((byte, after)) = rest.split_first() {
        if *byte == b'$' {
            rest = after
                .strip_prefix(b"ORIGIN")
                .or_else(|| after.strip_prefix(b"{ORIGIN}"))?;
            expanded.extend_from_slice(origin);
        } else {
            expanded.push(*byte);
            rest = after;
        }
    }
    if expanded.is_empty() {
        expanded.push(b'.');
    }
    path::absolute(OsString::from_vec(expanded)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(name: &[u8], run_path: Option<&[u8]>, inherited_path: &[u8]) -> Needs {
        Needs {
            names: vec![name.into()],
            run_path: run_path.map(Vec::from),
            inherited_path: inherited_path.into(),
        }
    }

    fn looked_for(needs: &Needs, inherited: &[PathBuf]) -> Vec<PathBuf> {
        let needy = Needy::new(needs, Path::new("/opt/a/libx.so"), inherited);
        needy.candidates().flatten().collect()
    }

    #[test]
    fn libraries_are_looked_for_where_a_library_says() {
        let here = std::env::current_dir().unwrap();
        let search_path = b"$ORIGIN:${ORIGIN}/../b:$LIB:${ORIGIN:rel:.::/c$ORIGIN";
        let expected = [
            "/opt/a/l.so".into(),
            "/opt/a/../b/l.so".into(),
            here.join("rel/l.so"),
            here.join("l.so"),
            here.join("l.so"),
            "/c/opt/a/l.so".into(),
        ];
        assert_eq!(
            looked_for(&needs(b"l.so", Some(search_path), b""), &[]),
            expected
        );
        assert_eq!(
            looked_for(&needs(b"l.so", None, search_path), &[]),
            expected
        );
        for (name, found) in [
            (&b"/d/l.so"[..], PathBuf::from("/d/l.so")),
            (b"$ORIGIN/l.so", "/opt/a/l.so".into()),
            (b"d/l.so", here.join("d/l.so")),
        ] {
            assert_eq!(looked_for(&needs(name, Some(b"/c"), b""), &[]), [found]);
        }
        assert!(looked_for(&needs(b"l.so", None, b""), &[]).is_empty());
    }

    #[test]
    fn the_older_search_path_is_inherited_and_the_newer_one_is_not() {
        let above = [PathBuf::from("/above")];
        let own = needs(b"l.so", None, b"/own");
        let found = ["/own/l.so", "/above/l.so"].map(PathBuf::from);
        assert_eq!(looked_for(&own, &above), found);
        let newer = needs(b"l.so", Some(b"/new"), b"/own");
        assert_eq!(looked_for(&newer, &above), [Path::new("/new/l.so")]);
        let inherited = |needs| Needy::new(needs, Path::new("/x.so"), &above).inherited;
        assert_eq!(inherited(&own), ["/own", "/above"].map(PathBuf::from));
        assert_eq!(inherited(&newer), above);
    }
}

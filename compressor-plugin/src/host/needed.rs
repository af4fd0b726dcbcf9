//! Whether the libraries that a library needs are all there, as far as it says where they lie: by
//! their paths, or in directories that it names.
//!
//! The loader maps those as it maps the library itself: one that was cut short would end the process.
//! What it looks for in the directories of the system, and in those of `LD_LIBRARY_PATH`, is its own
//! to find.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::elf::{self, Needs};
use super::error::Refusal;

/// How many libraries are looked at: more than any plugin needs, and an end to what links in circles.
const MAX_LIBRARIES: usize = 256;

/// Looks at what the library at `path` needs, at what those need, and so on.
///
/// # Errors
///
/// [`Refusal::Damaged`]. What is missing, or nobody's library, the loader says itself.
pub(super) fn check(file: &File, path: &Path) -> Result<(), Refusal> {
    let mut seen = vec![path.to_path_buf()];
    let mut pending = vec![(elf::needs(file)?, path.to_path_buf())];
    while let Some((needs, path)) = pending.pop() {
        for name in &needs.names {
            for candidate in candidates(name, &needs, &path) {
                if seen.contains(&candidate) || seen.len() >= MAX_LIBRARIES {
                    break;
                }
                if !fs::metadata(&candidate).is_ok_and(|found| found.is_file()) {
                    continue;
                }
                seen.push(candidate.clone());
                let Ok(file) = File::open(&candidate) else {
                    continue;
                };
                match elf::needs(&file) {
                    Ok(needs) => pending.push((needs, candidate)),
                    // The loader passes over it.
                    Err(Refusal::OtherMachine { .. }) => continue,
                    Err(Refusal::Damaged { why }) => {
                        let why = format!("it needs {}: {why}", candidate.display());
                        return Err(Refusal::Damaged { why });
                    }
                    Err(_) => {}
                }
                break;
            }
        }
    }
    Ok(())
}

/// Where the loader looks for `name`, which the library at `path` needs.
fn candidates(name: &[u8], needs: &Needs, path: &Path) -> Vec<PathBuf> {
    let origin = path.parent().unwrap_or(path).as_os_str().as_bytes();
    if name.contains(&b'/') {
        return expanded(name, origin).into_iter().collect();
    }
    needs
        .search_path
        .split(|byte| *byte == b':')
        .filter_map(|directory| expanded(directory, origin))
        .map(|directory| directory.join(OsStr::from_bytes(name)))
        .collect()
}

/// An absolute path in which `$ORIGIN` stands for a directory; `None` for other variables, and for
/// what depends on where one stands.
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
    let expanded = PathBuf::from(OsString::from_vec(expanded));
    expanded.is_absolute().then_some(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_looked_for_where_a_library_says() {
        let looked_for = |name: &[u8], search_path: &[u8]| {
            let needs = Needs {
                names: Vec::new(),
                search_path: search_path.into(),
            };
            candidates(name, &needs, Path::new("/opt/a/libx.so"))
        };
        let expected = ["/opt/a/l.so", "/opt/a/../b/l.so", "/c/opt/a/l.so"].map(PathBuf::from);
        let search_path = b"$ORIGIN:${ORIGIN}/../b:$LIB:${ORIGIN:rel::/c$ORIGIN";
        assert_eq!(looked_for(b"l.so", search_path), expected);
        assert!(looked_for(b"l.so", b"").is_empty());
        assert_eq!(looked_for(b"/d/l.so", b"/c"), [Path::new("/d/l.so")]);
        assert_eq!(looked_for(b"$ORIGIN/l.so", b""), [Path::new("/opt/a/l.so")]);
        assert!(looked_for(b"d/l.so", b"/c").is_empty());
    }
}

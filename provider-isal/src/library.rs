//! Finds ISA-L and loads it.

use std::fmt;
use std::path::Path;

use compressor_api::OpenError;

use crate::bindings::Igzip;
use crate::version::{self, Trust, Version};

/// What the system's loader is asked for, in order: the soname.
pub(crate) const NAMES: &[&str] = &["libisal.so.2"];

/// ISA-L, loaded: unloaded when the last session is gone.
pub(crate) struct Library {
    pub(crate) igzip: Igzip,
    pub(crate) trust: Trust,
    file: String,
    version: Version,
}

/// Why a library was not taken.
#[derive(Debug)]
enum Refusal {
    /// The loader has none, or none that it can load.
    NotLoaded(String),
    /// It was loaded, and is not to be used.
    NotUsable(String),
}

impl Library {
    /// Which one it is.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// The first of `names` that the system's loader finds.
    ///
    /// # Errors
    ///
    /// [`OpenError::Absent`] if there is none, [`OpenError::Broken`] if it cannot be used.
    pub(crate) fn by_name(names: &[&str]) -> Result<Self, OpenError> {
        let mut tried = Vec::new();
        for name in names {
            match Self::load(name) {
                Ok(library) => return Ok(library),
                Err(Refusal::NotLoaded(why)) => tried.push(format!("{name} ({why})")),
                Err(Refusal::NotUsable(why)) => return Err(OpenError::Broken { why }),
            }
        }
        let tried = tried.join(", ");
        Err(OpenError::Absent {
            why: format!(
                "tried {tried}; the package with it is libisal2 on Debian and Ubuntu, isa-l on \
                 Fedora"
            ),
        })
    }

    /// The library in the file of this path.
    ///
    /// # Errors
    ///
    /// [`OpenError::Misconfigured`]: somebody asked for this file, and it will not do.
    pub(crate) fn by_path(path: &str) -> Result<Self, OpenError> {
        if !Path::new(path).is_absolute() {
            // A loader searches for what has no slash, and takes the rest from wherever the
            // process was started.
            return Err(OpenError::Misconfigured {
                why: format!("library_path {path:?} is not absolute"),
            });
        }
        Self::load(path).map_err(|refusal| match refusal {
            Refusal::NotLoaded(why) => OpenError::Misconfigured {
                why: format!("library_path {path:?} cannot be loaded: {why}"),
            },
            Refusal::NotUsable(why) => OpenError::Misconfigured {
                why: format!("library_path {path:?}: {why}"),
            },
        })
    }

    fn load(name: &str) -> Result<Self, Refusal> {
        if !cfg!(all(target_os = "linux", target_pointer_width = "64")) {
            return Err(Refusal::NotLoaded("only on 64-bit Linux".into()));
        }
        // SAFETY: ISA-L runs nothing when it is loaded or unloaded. For any other library, whoever
        // put it where ISA-L is looked for, or named it, answers for what it runs.
        let loaded = unsafe { libloading::Library::new(name) };
        let loaded = loaded.map_err(|error| Refusal::NotLoaded(innermost(&error)))?;
        // SAFETY: the functions take a pointer and return an int or nothing in every version. What
        // the pointer leads to is known with the version, and none is called before that.
        let igzip = unsafe { Igzip::from_library(loaded) };
        let igzip = igzip.map_err(|error| {
            Refusal::NotUsable(format!("{name} is no ISA-L: {}", innermost(&error)))
        })?;

        let address = igzip.isal_inflate_stateless as usize;
        let maps = std::fs::read("/proc/self/maps").map_err(|error| {
            Refusal::NotUsable(format!(
                "the version of {name} is unknown: /proc/self/maps: {error}"
            ))
        })?;
        let maps = String::from_utf8_lossy(&maps);
        let file = version::mapped_file(&maps, address).unwrap_or(name);
        let version = Version::of_file(file).ok_or_else(|| {
            Refusal::NotUsable(format!(
                "the version of {file} is unknown: its name is not libisal.so.2.0.MINOR"
            ))
        })?;
        let trust = version
            .trust(std::env::consts::ARCH)
            .map_err(|why| Refusal::NotUsable(format!("{file}: {why}")))?;
        Ok(Self {
            igzip,
            trust,
            file: file.into(),
            version,
        })
    }
}

#[cfg(test)]
impl Library {
    /// This machine's; without one a test says that it is skipped, or fails where `REQUIRE_ISAL` is
    /// set.
    pub(crate) fn of_this_machine() -> Option<Self> {
        use std::io::Write;

        match Self::by_name(NAMES) {
            Ok(library) => Some(library),
            Err(error) => {
                assert!(std::env::var_os("REQUIRE_ISAL").is_none(), "{error}");
                // Not by a macro, whose output the test harness keeps for itself.
                let _ = writeln!(std::io::stderr(), "skipped, for want of ISA-L: {error}");
                None
            }
        }
    }
}

/// What the loader said: the error under libloading's own, which only names the call.
fn innermost(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => innermost(source),
        None => error.to_string(),
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ISA-L {} in {}", self.version, self.file)
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library")
            .field("file", &self.file)
            .field("version", &self.version)
            .field("trust", &self.trust)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_absent_by_all_its_names() {
        let error = Library::by_name(&["libisal-of-nobody.so.2", "libisal-of-nobody.so"]);
        let error = error.unwrap_err();
        assert_eq!(error.name(), "Absent");
        for part in [
            "libisal-of-nobody.so.2 (",
            "libisal-of-nobody.so (",
            "libisal2",
            "isa-l",
        ] {
            assert!(error.why().contains(part), "{error}");
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    fn a_library_that_is_no_isa_l_is_broken() {
        // Whoever runs this has this one.
        let error = Library::by_name(&["libc.so.6"]).unwrap_err();
        assert_eq!(error.name(), "Broken");
        assert!(error.why().contains("isal_"), "{error}");
    }
}

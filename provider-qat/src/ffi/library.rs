use std::fmt;

use qatzip_sys::{Functions, Loaded};

/// QATzip, loaded. It stays for the life of the process: it leaves functions of its own to be called
/// when threads end.
pub(crate) struct Library {
    pub(super) functions: Functions,
    file: String,
    stand_in: Option<String>,
}

/// Why a library was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The loader has none, or none that it can load.
    NotLoaded(String),
    /// It was loaded, and lacks what every version has.
    NotQatzip(String),
}

impl Library {
    /// The library of this name or path.
    pub(crate) fn load(file: &str) -> Result<Self, Refusal> {
        if !cfg!(all(target_os = "linux", target_pointer_width = "64")) {
            return Err(Refusal::NotLoaded("only on 64-bit Linux".into()));
        }
        // SAFETY: the soname vouches for the API, and whoever put the library where the loader
        // looks, or named it, answers for what it runs.
        let Loaded {
            functions,
            stand_in,
        } = unsafe { qatzip_sys::load(file) }
            .map_err(|error| Refusal::NotLoaded(innermost(&error)))?;
        if let Some(error) = missing(&functions) {
            return Err(Refusal::NotQatzip(innermost(error)));
        }
        Ok(Self {
            functions,
            file: file.into(),
            stand_in,
        })
    }

    /// What it calls itself, if it stands in for a device.
    pub(crate) fn stand_in(&self) -> Option<&str> {
        self.stand_in.as_deref()
    }

    /// As it was asked for.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Whether both are one library in this process, by whatever names they were asked for.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let address = |library: &Self| {
            let init = library.functions.qzInit.as_ref();
            init.ok().map(|init| *init as usize)
        };
        address(self) == address(other)
    }

    /// The API that it has, told by what it exports.
    pub(crate) const fn api(&self) -> &'static str {
        if self.functions.qzSetupSessionZstd.is_ok() {
            "2.6"
        } else {
            "2.5"
        }
    }
}

/// Why not everything is there that is used of every version.
fn missing(functions: &Functions) -> Option<&libloading::Error> {
    [
        functions.qzInit.as_ref().err(),
        functions.qzCompress.as_ref().err(),
        functions.qzDecompress.as_ref().err(),
        functions.qzTeardownSession.as_ref().err(),
        functions.qzSetupSessionDeflateExt.as_ref().err(),
        functions.qzGetDefaultsDeflateExt.as_ref().err(),
        functions.qzGetDeflateEndOfStream.as_ref().err(),
        functions.qzMaxCompressedLength.as_ref().err(),
    ]
    .into_iter()
    .find_map(|missing| missing)
}

/// What the loader said: the error under libloading's own, which only names the call.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => innermost(source),
        None => error.to_string(),
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library")
            .field("file", &self.file)
            .field("api", &self.api())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    fn another_library_is_not_taken_for_qatzip() {
        let Err(Refusal::NotQatzip(why)) = Library::load("libc.so.6") else {
            panic!("taken");
        };
        assert!(why.contains("qz"), "{why}");
    }
}

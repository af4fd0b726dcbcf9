//! QATzip, Intel's library for compression on QAT devices, loaded at run time.
//!
//! The declarations are generated from the header of API 2.5 (QATzip 1.3) and, for what API 2.6
//! (QATzip 2.0) adds, from `bindings/qatzip.h`; `regenerate.sh` makes them anew. Both versions have
//! the soname `libqatzip.so.3` and lay structs out alike, so that what a library can do is decided
//! symbol by symbol: a function that it lacks is an `Err` in [`Functions`], and never a crash.
//!
//! Functions are called through the fields of [`Functions`]. The methods of the same names, which
//! the generator adds, panic where a symbol is missing.

#[allow(
    clippy::all,
    clippy::expect_used,
    clippy::undocumented_unsafe_blocks,
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unused_qualifications,
    reason = "generated"
)]
mod bindings;
mod devices;

use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};

pub use bindings::*;
pub use devices::{Generation, MODELS, Model, VENDOR};

/// `comp_algorithm` for Deflate; the header has it as a macro with a cast, which is not generated.
pub const QZ_DEFLATE: u8 = 8;
/// `comp_algorithm` for LZ4 frames.
pub const QZ_LZ4: u8 = b'4';
/// `comp_algorithm` for LZ4s, from which Zstandard's sequences are made.
pub const QZ_LZ4S: u8 = b's';
/// `comp_algorithm` for raw LZ4 blocks, in API 2.6.
pub const QZ_LZ4_BLOCK: u8 = b'B';
/// `comp_algorithm` for Zstandard frames, in API 2.6.
pub const QZ_ZSTD: u8 = b'Z';

/// What QATzip itself needs, in the order in which it has to be loaded.
const NEEDED: [&str; 2] = ["libusdm.so.0", "libqat.so.4"];

/// A library that was loaded.
pub struct Loaded {
    /// Its functions.
    pub functions: Functions,
    /// What a stand-in for a device calls itself; `None` for Intel's own library.
    pub stand_in: Option<String>,
}

/// Loads QATzip from `file`: a name that the system's loader looks for, or an absolute path.
///
/// For a path, the libraries that QATzip needs are taken from the same folder if they are there,
/// which the loader would not do by itself.
///
/// The library stays for the life of the process, and each call returns a new table: QATzip leaves
/// functions of its own with the C library, to be called when threads end.
///
/// # Errors
///
/// What the loader says. A symbol that is missing is none.
///
/// # Safety
///
/// The file is QATzip of a version that is compatible with API 2.5, or a stand-in for it; nothing
/// else vouches for what it runs when it is loaded, or for the types of its functions.
pub unsafe fn load(file: &str) -> Result<Loaded, libloading::Error> {
    for needed in needed_beside(Path::new(file)) {
        // SAFETY: the caller vouches for QATzip, and this is what it would load itself. If it
        // cannot be loaded, loading QATzip says so.
        if let Ok(library) = unsafe { libloading::Library::new(&needed) } {
            std::mem::forget(library);
        }
    }
    // SAFETY: says the caller.
    let keep = unsafe { libloading::Library::new(file) }?;
    let stand_in = stand_in(&keep);
    // Loaded twice, so that dropping the table does not unload it.
    std::mem::forget(keep);
    Ok(Loaded {
        // SAFETY: says the caller.
        functions: unsafe { Functions::new(file) }?,
        stand_in,
    })
}

/// What a stand-in says in answer to `qat_sim_label`, which QATzip does not have.
fn stand_in(library: &libloading::Library) -> Option<String> {
    type Label = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: only `qat-sim` exports it, as a function of this type.
    let label = unsafe { library.get::<Label>(c"qat_sim_label") }.ok()?;
    // SAFETY: it takes nothing, and answers with text that lives as long as the library.
    let text = unsafe { CStr::from_ptr(label()) };
    Some(text.to_string_lossy().into_owned())
}

/// The files of [`NEEDED`] in the folder of a library that is named by its path.
fn needed_beside(file: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = file.parent().filter(|folder| folder.is_absolute());
    let folder = folder.map(Path::to_path_buf);
    NEEDED
        .into_iter()
        .filter_map(move |name| Some(folder.as_ref()?.join(name)))
        .filter(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As C has them.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn structs_are_as_large_as_in_c() {
        assert_eq!(size_of::<QzSession_T>(), 40);
        assert_eq!(size_of::<QzSessionParamsDeflateExt_T>(), 60);
        assert_eq!(size_of::<QzSessionParamsLZ4_T>(), 48);
        assert_eq!(size_of::<QzSessionParamsLZ4S_T>(), 72);
        assert_eq!(size_of::<QzSessionParamsZstd_T>(), 60);
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn what_a_library_lacks_is_absent_and_nothing_else_happens() {
        // SAFETY: whoever runs this has the C library loaded, and none of its functions is called.
        let loaded = unsafe { load("libc.so.6") }.unwrap();
        assert!(loaded.functions.qzInit.is_err());
        assert!(loaded.functions.qzSetupSessionZstd.is_err());
        assert_eq!(loaded.stand_in, None);
    }

    #[test]
    fn a_library_that_is_not_there_is_an_error() {
        // SAFETY: there is nothing to load.
        assert!(unsafe { load("libqatzip-of-nobody.so.3") }.is_err());
        // SAFETY: as above.
        assert!(unsafe { load("/nowhere/libqatzip.so.3") }.is_err());
    }

    #[test]
    fn only_a_path_has_needed_libraries_beside_it() {
        assert_eq!(needed_beside(Path::new("libqatzip.so.3")).count(), 0);
        assert_eq!(needed_beside(Path::new("lib/libqatzip.so.3")).count(), 0);
        assert_eq!(
            needed_beside(Path::new("/nowhere/libqatzip.so.3")).count(),
            0
        );
    }
}

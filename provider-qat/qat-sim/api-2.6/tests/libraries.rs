//! The shared libraries, as a provider loads them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests may stop at the first surprise"
)]

// So that Cargo builds them.
use qat_sim as _;
use qat_sim_2 as _;

fn load(file: &str) -> qatzip_sys::Functions {
    let test = std::env::current_exe().unwrap();
    let path = test.with_file_name(file);
    // SAFETY: it has the types of QATzip.
    let loaded = unsafe { qatzip_sys::load(path.to_str().unwrap()) }.unwrap();
    loaded.functions
}

#[test]
fn each_has_the_functions_of_its_version() {
    let (old, new) = (load("libqat_sim.so"), load("libqat_sim_2.so"));
    for (functions, is_new) in [(&old, false), (&new, true)] {
        assert!(functions.qzInit.is_ok());
        assert!(functions.qzSetLogLevel.is_ok());
        assert!(functions.qzSetupSessionLZ4.is_ok());
        assert!(functions.qzSetupSessionLZ4S.is_ok());
        assert!(functions.qzSetupSessionDeflateExt.is_ok());
        assert!(functions.qzCompress.is_ok());
        assert!(functions.qzDecompress.is_ok());
        assert!(functions.qzTeardownSession.is_ok());
        assert!(functions.qzGetDeflateEndOfStream.is_ok());
        assert!(functions.qzMaxCompressedLength.is_ok());
        assert!(functions.qzGetDefaultsLZ4.is_ok());
        assert!(functions.qzGetDefaultsLZ4S.is_ok());
        assert!(functions.qzGetDefaultsDeflateExt.is_ok());
        assert_eq!(functions.qzGetDefaultsLZ4Block.is_ok(), is_new);
        assert_eq!(functions.qzGetDefaultsZstd.is_ok(), is_new);
        assert_eq!(functions.qzSetupSessionLZ4Block.is_ok(), is_new);
        assert_eq!(functions.qzSetupSessionZstd.is_ok(), is_new);
    }
}

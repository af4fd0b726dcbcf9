//! A parameter that cannot be right; all of this needs no ISA-L on the machine.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::Arc;

use compressor_api::{
    CompressorFactory, Format, OpenError, Params, Policy, Registry, SelectError, Spec, Verdict,
};
use provider_isal::PROVIDER;

fn open(path: &str) -> Result<Arc<dyn CompressorFactory>, OpenError> {
    let params = Params::parse(PROVIDER.params, [("library_path", path)])?;
    PROVIDER.opener.open(&params)
}

#[test]
fn a_path_where_no_library_is_stops_start_up() {
    for (path, says) in [
        ("/no/such/libisal.so.2.0.30", "cannot be loaded"),
        ("libisal.so.2", "not absolute"),
        ("./libisal.so.2", "not absolute"),
        ("/", "cannot be loaded"),
        (
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
            "cannot be loaded",
        ),
    ] {
        let error = open(path).unwrap_err();
        assert_eq!(error.name(), "Misconfigured", "{error}");
        assert!(error.why().contains(path), "{error}");
        assert!(error.why().contains(says), "{error}");
    }
}

#[test]
fn nobody_else_serves_in_the_place_of_one_that_is_preferred() {
    let registry = Registry::builder()
        .provider(&compressor_deflate::PROVIDER)
        .provider(&PROVIDER)
        .param("isal", "library_path", "/no/such/libisal.so.2.0.30")
        .build()
        .unwrap();
    let policy = Policy::default().prefer("isal");
    let refused = registry.select(&Spec::new(Format::Zlib), &policy);
    let Err(SelectError::Refused {
        provider, verdict, ..
    }) = refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!(provider, PROVIDER.id);
    assert!(matches!(
        verdict,
        Verdict::NotOpened(OpenError::Misconfigured { .. })
    ));
}

//! The provider as a registry sees it, and what its compressors say of themselves.

use compressor_api::{ErrorKind, Format};
use compressor_snappy::PROVIDER;

use crate::guarded::{compress, unit};
use crate::{compressor, decompress, factory, providers};

#[test]
fn a_registry_opens_tests_and_chooses_it() {
    providers::is_opened_tested_and_chosen(&PROVIDER);
    providers::is_submitted(&PROVIDER);
}

#[test]
fn formats_of_others_are_unsupported() {
    assert_eq!(PROVIDER.formats, [Format::Snappy]);
    providers::serves_only(&*factory(), PROVIDER.formats);
}

#[test]
fn the_windows_really_used_are_told() {
    let effective = compressor().effective().clone();
    for (side, window) in [
        (effective.compress.unwrap(), 65_535),
        (effective.decompress.unwrap(), 4_294_967_295),
    ] {
        assert_eq!(side.provider, PROVIDER.id);
        assert_eq!((side.level, side.window), (0, window));
    }
}

#[test]
fn a_unit_declares_its_length() {
    let compressor = compressor();
    assert_eq!(compressor.decompressed_len(b"\x05\x10hello"), Ok(Some(5)));
    assert_eq!(compressor.decompressed_len(b"\0"), Ok(Some(0)));
    for lie in [&b""[..], b"\x80", b"\xff\xff\xff\xff\x07"] {
        let error = compressor.decompressed_len(lie).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CorruptInput);
        assert_eq!(error.provider(), PROVIDER.id);
    }
}

#[test]
fn the_empty_content_is_one_byte() {
    let compressor = compressor();
    assert_eq!(unit(&*compressor, b""), b"\0");
    let mut session = compressor.compress_session().unwrap();
    let exact = compress(&mut *session, b"", 1);
    assert_eq!(exact.as_deref(), Ok(&b"\0"[..]));
    let error = session.compress(&[], &mut []).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutputTooSmall);
    assert_eq!(decompress(b"\0", 0).as_deref(), Ok(&b""[..]));
}

#[test]
fn one_compressor_serves_threads_whose_sessions_move() {
    let lens = if cfg!(miri) {
        [1, 100, 1_100]
    } else {
        [100, 5_000, 70_000]
    };
    providers::sessions_move_among_threads(&compressor(), lens);
}

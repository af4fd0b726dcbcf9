//! The provider as a registry sees it, and what its compressors say of themselves.

use compressor_api::{ErrorKind, Format};
use compressor_lz4::PROVIDER;

use crate::content::Recipe;
use crate::guarded::{compress, unit};
use crate::{FORMATS, compressor, decompress, factory, providers};

#[test]
fn a_registry_opens_tests_and_chooses_it() {
    providers::is_opened_tested_and_chosen(&PROVIDER);
    providers::is_submitted(&PROVIDER);
}

#[test]
fn formats_of_others_are_unsupported() {
    assert_eq!(PROVIDER.formats, FORMATS);
    providers::serves_only(&*factory(), PROVIDER.formats);
}

#[test]
fn the_level_really_used_is_told() {
    for format in FORMATS {
        for (level, used) in [(-65_536, -65_536), (0, 0), (1, 2), (2, 2), (12, 12)] {
            let effective = compressor(format, level).effective().clone();
            for side in [effective.compress.unwrap(), effective.decompress.unwrap()] {
                assert_eq!(side.provider, PROVIDER.id);
                assert_eq!((side.level, side.window), (used, 65_535));
            }
        }
    }
    // Levels 1 and 2 are one.
    let recipe = Recipe {
        seed: 5,
        len: 20_000,
        repeat: 60,
    };
    let content = recipe.bytes();
    let of = |level| unit(&*compressor(Format::Lz4Block, level), &content);
    assert_eq!(of(1), of(2));
    assert_ne!(of(2), of(3));
    assert_ne!(of(0), of(1));
    assert_ne!(of(0), of(-1));
}

#[test]
fn only_the_sized_format_declares_a_length() {
    let sized = compressor(Format::Lz4Sized, 0);
    assert_eq!(sized.decompressed_len(b"\x05\0\0\0\x50hello"), Ok(Some(5)));
    assert_eq!(sized.decompressed_len(b"\0\0\0\0\0"), Ok(Some(0)));
    for lie in [&b""[..], b"\x05\0\0", b"\xff\xff\xff\x7f\0"] {
        let error = sized.decompressed_len(lie).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CorruptInput);
        assert_eq!(error.provider(), PROVIDER.id);
    }
    let block = compressor(Format::Lz4Block, 0);
    assert_eq!(block.decompressed_len(b"\x50hello"), Ok(None));
    assert_eq!(block.decompressed_len(b""), Ok(None));
}

#[test]
fn the_empty_content_is_one_token_at_every_level() {
    for level in [-5, 0, 1, 2, 3, 9, 10, 11, 12] {
        for (format, empty) in [
            (Format::Lz4Block, &b"\0"[..]),
            (Format::Lz4Sized, b"\0\0\0\0\0"),
        ] {
            let compressor = compressor(format, level);
            assert_eq!(unit(&*compressor, b""), empty);
            let mut session = compressor.compress_session().unwrap();
            assert_eq!(
                compress(&mut *session, b"", empty.len()).as_deref(),
                Ok(empty)
            );
            let less = compress(&mut *session, b"", empty.len() - 1);
            assert_eq!(less, Err(ErrorKind::OutputTooSmall));
            // No address at all in front of an empty slice.
            let error = session.compress(&[], &mut []).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutputTooSmall);
            assert_eq!(decompress(format, empty, 0).as_deref(), Ok(&b""[..]));
        }
    }
}

#[test]
fn one_compressor_serves_threads_whose_sessions_move() {
    for level in [0, 12] {
        let compressor = compressor(Format::Lz4Sized, level);
        providers::sessions_move_among_threads(&compressor, [100, 5_000, 70_000]);
    }
}

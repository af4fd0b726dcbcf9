//! The provider as a registry sees it, and sessions among threads.

use std::sync::Arc;

use compressor_api::{
    Direction, Error, ErrorKind, Format, Health, Policy, ProviderClass, Registry, Spec, Verdict,
};
use compressor_lz4::PROVIDER;

use crate::content::Recipe;
use crate::guarded::{self, compress, unit};
use crate::{FORMATS, compressor, decompress, factory};

#[test]
fn a_registry_opens_tests_and_chooses_it() {
    let registry = Registry::builder().provider(&PROVIDER).build().unwrap();
    let opened = registry.open("software.lz4").unwrap();
    assert_eq!(opened.self_test(), Ok(()));
    assert_eq!(opened.health(), Health::Ready);
    assert_eq!(PROVIDER.class, ProviderClass::Software);
    for format in FORMATS {
        assert!(PROVIDER.formats.contains(&format));
        let spec = Spec::new(format).with_level(9).unwrap();
        let selection = registry.select(&spec, &Policy::default()).unwrap();
        for direction in Direction::BOTH {
            let verdicts = selection
                .considered
                .iter()
                .filter(|c| c.direction == direction);
            assert!(verdicts.map(|c| &c.verdict).eq([&Verdict::Chosen]));
        }
        let unit = unit(&*selection.software, b"hello hello hello hello hello");
        let read = decompress(format, &unit, 29);
        assert_eq!(read.as_deref(), Ok(&b"hello hello hello hello hello"[..]));
    }
}

#[test]
fn it_is_submitted_for_programs_that_link_it() {
    let registry = Registry::builder().submitted().build().unwrap();
    assert!(registry.entries().any(|entry| entry.id == PROVIDER.id));
}

#[test]
fn formats_of_others_are_unsupported() {
    for format in Format::ALL {
        let spec = Spec::new(format);
        let made = factory().compressor(&spec).map(|made| made.spec().clone());
        let expected = if FORMATS.contains(&format) {
            Ok(spec)
        } else {
            Err(Error::new(ErrorKind::Unsupported, PROVIDER.id))
        };
        assert_eq!(made, expected);
    }
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
        let threads: Vec<_> = (0..4)
            .map(|seed| {
                let compressor = Arc::clone(&compressor);
                // Made and used once here, then moved.
                let mut session = compressor.compress_session().unwrap();
                let mut reader = compressor.decompress_session().unwrap();
                let first = compress(&mut *session, b"first", 64).unwrap();
                std::thread::spawn(move || {
                    assert_eq!(
                        guarded::decompress(&mut *reader, &first, 5).as_deref(),
                        Ok(&b"first"[..])
                    );
                    for len in [100, 5_000, 70_000] {
                        let recipe = Recipe {
                            seed,
                            len,
                            repeat: 70,
                        };
                        let content = recipe.bytes();
                        let bound = compressor.max_compressed_len(len).unwrap();
                        let unit = compress(&mut *session, &content, bound).unwrap();
                        assert_eq!(guarded::decompress(&mut *reader, &unit, len), Ok(content));
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    }
}

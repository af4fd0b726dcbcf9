//! The provider as a registry sees it, and sessions among threads.

use std::sync::Arc;

use compressor_api::{
    Direction, Error, ErrorKind, Format, Health, Policy, ProviderClass, Registry, Spec, Verdict,
};
use compressor_snappy::PROVIDER;

use crate::content::Recipe;
use crate::guarded::{self, compress, unit};
use crate::{compressor, decompress, factory};

#[test]
fn a_registry_opens_tests_and_chooses_it() {
    let registry = Registry::builder().provider(&PROVIDER).build().unwrap();
    let opened = registry.open("software.snappy").unwrap();
    assert_eq!(opened.self_test(), Ok(()));
    assert_eq!(opened.health(), Health::Ready);
    assert_eq!(PROVIDER.class, ProviderClass::Software);
    assert_eq!(PROVIDER.formats, [Format::Snappy]);

    let spec = Spec::new(Format::Snappy);
    let selection = registry.select(&spec, &Policy::default()).unwrap();
    for direction in Direction::BOTH {
        let considered = selection.considered.iter();
        let verdicts = considered.filter(|c| c.direction == direction);
        assert!(verdicts.map(|c| &c.verdict).eq([&Verdict::Chosen]));
    }
    let unit = unit(&*selection.software, b"hello hello hello hello hello");
    let read = decompress(&unit, 29);
    assert_eq!(read.as_deref(), Ok(&b"hello hello hello hello hello"[..]));
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
        let expected = if format == Format::Snappy {
            Ok(spec)
        } else {
            Err(Error::new(ErrorKind::Unsupported, PROVIDER.id))
        };
        assert_eq!(made, expected);
    }
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
    let compressor = compressor();
    let lens = if cfg!(miri) {
        [1, 100, 1_100]
    } else {
        [100, 5_000, 70_000]
    };
    let threads: Vec<_> = (0..4)
        .map(|seed| {
            let compressor = Arc::clone(&compressor);
            // Made and used once here, then moved.
            let mut session = compressor.compress_session().unwrap();
            let mut reader = compressor.decompress_session().unwrap();
            let first = compress(&mut *session, b"first", 64).unwrap();
            std::thread::spawn(move || {
                let read = guarded::decompress(&mut *reader, &first, 5);
                assert_eq!(read.as_deref(), Ok(&b"first"[..]));
                for len in lens {
                    let recipe = Recipe {
                        seed,
                        len,
                        repeat: 70,
                    };
                    let content = recipe.bytes();
                    let bound = compressor.max_compressed_len(len).unwrap();
                    let unit = compress(&mut *session, &content, bound).unwrap();
                    let read = guarded::decompress(&mut *reader, &unit, len);
                    assert_eq!(read, Ok(content));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

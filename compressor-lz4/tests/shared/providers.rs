//! What holds for the provider of any software codec.

use std::sync::Arc;

use compressor_api::{
    Compressor, CompressorFactory, Direction, Error, ErrorKind, Format, Health, Policy,
    ProviderClass, ProviderEntry, Registry, Spec, Verdict,
};

use crate::content::Recipe;
use crate::guarded::{compress, decompress};

/// A registry opens it, tests it with known answers, and chooses it for each of its formats.
pub fn is_opened_tested_and_chosen(entry: &'static ProviderEntry) {
    let registry = Registry::builder().provider(entry).build().unwrap();
    let opened = registry.open(entry.id.as_str()).unwrap();
    assert_eq!(opened.self_test(), Ok(()));
    assert_eq!(opened.health(), Health::Ready);
    assert_eq!(entry.class, ProviderClass::Software);
    for format in entry.formats {
        let spec = Spec::new(*format);
        let selection = registry.select(&spec, &Policy::default()).unwrap();
        for direction in Direction::BOTH {
            let considered = selection.considered.iter();
            let verdicts = considered.filter(|c| c.direction == direction);
            assert!(verdicts.map(|c| &c.verdict).eq([&Verdict::Chosen]));
        }
        sessions_move_among_threads(&selection.software, [100, 200, 300]);
    }
}

/// It is there for programs that link it and take what was submitted.
pub fn is_submitted(entry: &'static ProviderEntry) {
    let registry = Registry::builder().submitted().build().unwrap();
    assert!(registry.entries().any(|submitted| submitted.id == entry.id));
}

/// Its factory makes compressors for `formats`, and no other.
pub fn serves_only(factory: &dyn CompressorFactory, formats: &[Format]) {
    for format in Format::ALL {
        let spec = Spec::new(format);
        let made = factory.compressor(&spec).map(|made| made.spec().clone());
        let expected = if formats.contains(&format) {
            Ok(spec)
        } else {
            Err(Error::new(ErrorKind::Unsupported, factory.id()))
        };
        assert_eq!(made, expected);
    }
}

/// Threads share the compressor, and each works with sessions that were made and used elsewhere.
pub fn sessions_move_among_threads(compressor: &Arc<dyn Compressor>, lens: [usize; 3]) {
    std::thread::scope(|threads| {
        for seed in 0..4 {
            let mut writer = compressor.compress_session().unwrap();
            let mut reader = compressor.decompress_session().unwrap();
            let first = compress(&mut *writer, b"first", 64).unwrap();
            threads.spawn(move || {
                let read = decompress(&mut *reader, &first, 5);
                assert_eq!(read.as_deref(), Ok(&b"first"[..]));
                for len in lens {
                    let recipe = Recipe {
                        seed,
                        len,
                        repeat: 70,
                    };
                    let content = recipe.bytes();
                    let bound = compressor.max_compressed_len(len).unwrap();
                    let unit = compress(&mut *writer, &content, bound).unwrap();
                    assert!(decompress(&mut *reader, &unit, len) == Ok(content));
                }
            });
        }
    });
}

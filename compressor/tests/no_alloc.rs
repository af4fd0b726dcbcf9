//! No operation allocates once a session is warm, in Rust or in C: every format, both directions,
//! with the decorator and without.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod isal;

use std::sync::Arc;

use compressor::{
    CompressSession, Compressor, DecompressSession, Direction, Engine, Error, ErrorKind, Format,
    Policy, Spec, self_test,
};
use compressor_conformance::alloc::allocations;

compressor_conformance::count_mallocs!();

/// As short as the blocks of an engine are.
const BLOCK: usize = 4 << 10;

/// Enough for scratch to have grown to what it needs, and for the decorator to verify what it draws
/// first.
const WARM_UP: usize = 64;

/// More than the decorator lets pass between two operations that it verifies.
const ROUNDS: usize = 1_100;

/// The calls that an engine makes, in one session for each direction.
struct Sessions {
    compress: Box<dyn CompressSession>,
    decompress: Box<dyn DecompressSession>,
    content: Vec<u8>,
    unit: Vec<u8>,
    len: usize,
    back: Vec<u8>,
}

impl Sessions {
    fn new(compressor: &dyn Compressor) -> Self {
        let content: Vec<u8> = { self_test::CONTENT.iter().cycle() }
            .copied()
            .take(BLOCK)
            .collect();
        let mut unit = vec![0; compressor.max_compressed_len(BLOCK).unwrap()];
        let mut compress = compressor.compress_session().unwrap();
        let len = compress.compress(&content, &mut unit).unwrap();
        Self {
            compress,
            decompress: compressor.decompress_session().unwrap(),
            content,
            unit,
            len,
            back: vec![0; BLOCK],
        }
    }

    /// Compresses: with room for whatever comes out, and with too little.
    fn compress(&mut self) {
        let n = self.compress.compress(&self.content, &mut self.unit);
        self.len = n.unwrap();
        // Keeps the unit whole: what a call that fails leaves behind is not specified.
        let too_little = &mut self.back[..self.len / 2];
        let short = self.compress.compress(&self.content, too_little);
        assert_eq!(short.map_err(Error::kind), Err(ErrorKind::OutputTooSmall));
    }

    /// Decompresses: the unit, into too little, and one that is cut short.
    fn decompress(&mut self, format: Format) {
        let unit = &self.unit[..self.len];
        let n = self.decompress.decompress(unit, &mut self.back);
        assert_eq!(n, Ok(BLOCK));
        assert_eq!(self.back, self.content);
        let exact = self.decompress.decompress_exact(unit, &mut self.back);
        assert_eq!(exact, Ok(()));
        let short = self.decompress.decompress(unit, &mut self.back[1..]);
        assert_eq!(short.map_err(Error::kind), Err(ErrorKind::OutputTooSmall));
        let cut = &unit[..self.len / 2];
        let cut = self.decompress.decompress(cut, &mut self.back);
        // Stored content is never corrupt.
        if format != Format::None {
            assert_eq!(cut.map_err(Error::kind), Err(ErrorKind::CorruptInput));
        }
    }
}

fn assert_none(who: &str, format: Format, compressor: &dyn Compressor) {
    let mut sessions = Sessions::new(compressor);
    for _ in 0..WARM_UP {
        sessions.compress();
        sessions.decompress(format);
    }
    let (_, compressing) = allocations(|| (0..ROUNDS).for_each(|_| sessions.compress()));
    let (_, decompressing) = allocations(|| (0..ROUNDS).for_each(|_| sessions.decompress(format)));
    assert_eq!((compressing, decompressing), (0, 0), "{who}, {format}");
}

#[test]
fn allocations_of_rust_and_of_c_would_be_seen() {
    assert_eq!(allocations(|| drop(vec![1, 2, 3])).1, 1);
    // A session of zlib's lets C allocate.
    let engine = Engine::builder().policy(Policy::software_only()).build();
    let zlib = engine
        .unwrap()
        .compressor(&Spec::new(Format::Zlib))
        .unwrap();
    assert!(allocations(|| drop(zlib.compress_session().unwrap())).1 > 2);
}

#[test]
fn no_provider_alone() {
    let engine = Engine::new().unwrap();
    let registry = engine.registry();
    for entry in registry.entries() {
        let factory = match registry.open(entry.id.as_str()) {
            Ok(factory) => factory,
            Err(why) => {
                eprintln!("skipped: {}: {why}", entry.id);
                continue;
            }
        };
        let both_ways = |format: &Format| {
            let listed = factory.capabilities().iter();
            listed.filter(|c| c.format == *format).count() == 2
        };
        for format in Format::ALL.into_iter().filter(both_ways) {
            let compressor = factory.compressor(&Spec::new(format)).unwrap();
            assert_none(entry.id.as_str(), format, &*compressor);
        }
    }
}

#[test]
fn not_the_decorator_over_each_accelerator() {
    for provider in ["isal", "libdeflate"] {
        let policy = Policy::default().prefer(provider);
        let engine = Engine::builder().policy(policy).build().unwrap();
        if provider == "isal" && !isal::is_there(&engine) {
            continue;
        }
        for format in [Format::Zlib, Format::DeflateRaw, Format::Gzip] {
            let compressor = engine.compressor(&Spec::new(format)).unwrap();
            let effective = compressor.effective();
            let sides = [effective.compress, effective.decompress];
            let serving = sides.map(|side| side.unwrap().provider.as_str());
            // ISA-L does not read what has no checksum.
            let reads = match format {
                Format::DeflateRaw => "libdeflate",
                _ => provider,
            };
            assert_eq!(serving, [provider, reads], "{format}");
            assert_none(&format!("{provider} decorated"), format, &*compressor);
            let accelerated =
                { Direction::BOTH }.map(|way| compressor.counters().direction(way).accelerated.ops);
            assert!(
                accelerated.iter().all(|ops| *ops >= ROUNDS as u64),
                "{accelerated:?}"
            );
        }
    }
}

#[test]
fn not_the_decorator_over_software_alone() {
    let engine = Engine::builder().policy(Policy::software_only()).build();
    let engine = engine.unwrap();
    for format in Format::ALL {
        let compressor: Arc<dyn Compressor> = engine.compressor(&Spec::new(format)).unwrap();
        assert_none("software decorated", format, &*compressor);
    }
}

//! Zstandard through Intel's sequence producer, for which a library in C stands in. A program of its own:
//! a process looks for the producer once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]
#![cfg(target_os = "linux")]

mod sim;

use std::os::raw::c_int;
use std::process::Command;

use compressor_api::{CompressSession, Compressor, ErrorKind, Format, Spec};
use libloading::Library;
use sim::{Api, Sim, plugins};

/// What the stand-in can be told to do wrong, in its order; 0 is right.
const WRONG: [&str; 9] = [
    "fails",
    "says that there are more sequences than room",
    "finds none",
    "a distance of 0",
    "a distance beyond the start",
    "a match of 2 bytes",
    "a match of other bytes",
    "lengths beyond the end",
    "no last literals",
];

/// The library, loaded under the name that the provider asks the loader for.
struct StandIn(Library);

impl StandIn {
    /// `None` without a C compiler.
    fn load() -> Option<Self> {
        let compiler = plugins::cc()?;
        let file = plugins::directory("producer").join("stand-in.so");
        let built = Command::new(compiler)
            .args([
                "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC",
            ])
            .args([
                "-Wno-unused-parameter",
                "-Wl,-soname,libqatseqprod.so",
                "-o",
            ])
            .arg(&file)
            .arg(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/fixtures/producer.c"
            ))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "{said}");
        #[allow(unsafe_code, reason = "that is what is tested")]
        // SAFETY: built from the source beside this one.
        let library = unsafe { Library::new(file) }.unwrap();
        Some(Self(library))
    }

    #[allow(unsafe_code, reason = "the library has no other way to be told")]
    fn does(&self, what: usize) {
        // SAFETY: the type is that of the source.
        unsafe {
            let does = self
                .0
                .get::<unsafe extern "C" fn(c_int)>(b"stand_in_does\0");
            does.unwrap()(what as c_int);
        }
    }

    #[allow(unsafe_code, reason = "the library has no other way to tell")]
    fn count(&self, name: &[u8]) -> c_int {
        // SAFETY: the type is that of the source, for both names.
        unsafe { self.0.get::<unsafe extern "C" fn() -> c_int>(name).unwrap()() }
    }
}

/// Text in which a match comes soon and is long, and bytes in which none does.
fn contents() -> Vec<Vec<u8>> {
    let text = |len| {
        b"one two three "
            .iter()
            .cycle()
            .take(len)
            .copied()
            .collect()
    };
    let mut noise = 1_u32;
    let noise = (0..5_000).map(|_| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (noise >> 24) as u8
    });
    vec![text(1_024), text(4_096), text(65_536), noise.collect()]
}

fn compress(session: &mut dyn CompressSession, zstd: &dyn Compressor, content: &[u8]) -> Vec<u8> {
    let mut unit = vec![0; zstd.max_compressed_len(content.len()).unwrap()];
    let n = session.compress(content, &mut unit).unwrap();
    let software = compressor_zstd::factory().compressor(&Spec::new(Format::Zstd));
    let mut back = vec![0; content.len()];
    let mut reader = software.unwrap().decompress_session().unwrap();
    reader.decompress_exact(&unit[..n], &mut back).unwrap();
    assert!(back == content);
    // Exactly as much room is enough, and one byte less is not.
    let again = session.compress(content, &mut unit[..n]);
    assert_eq!(again, Ok(n));
    let short = session.compress(content, &mut unit[..n - 1]).unwrap_err();
    assert_eq!(short.kind(), ErrorKind::OutputTooSmall);
    unit.truncate(n);
    unit
}

#[test]
fn frames_are_made_of_the_producers_sequences_and_of_none_that_are_wrong() {
    let Some(stand_in) = StandIn::load() else {
        return;
    };
    let sim = Sim::new("producer", Api::V2_5, "");
    let factory = sim.factory();
    for level in [1, 3, 12] {
        let spec = Spec::new(Format::Zstd).with_level(level).unwrap();
        let zstd = factory.compressor(&spec).unwrap();
        let mut session = zstd.compress_session().unwrap();
        let (calls, device) = (stand_in.count(b"stand_in_calls\0"), sim.counters());
        for content in contents() {
            let unit = compress(&mut *session, &*zstd, &content);
            // With a checksum: its bit in the descriptor.
            assert_eq!(unit[4] & 4, 4);
        }
        // The producer found them all, and QATzip was not asked for its LZ4s.
        let expected = calls + 3 * contents().len() as c_int;
        assert_eq!(stand_in.count(b"stand_in_calls\0"), expected);
        assert_eq!(sim.counters().compressed, device.compressed);
    }

    let zstd = factory.compressor(&Spec::new(Format::Zstd)).unwrap();
    let mut session = zstd.compress_session().unwrap();
    let content = &contents()[1];
    let mut unit = vec![0; zstd.max_compressed_len(content.len()).unwrap()];
    for (at, what) in WRONG.iter().enumerate() {
        stand_in.does(at + 1);
        let error = session.compress(content, &mut unit).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device, "{what}");
        stand_in.does(0);
        compress(&mut *session, &*zstd, content);
    }
    drop(session);
    // What failed is kept for a while with its state, and everything else is given back.
    let states = stand_in.count(b"stand_in_states\0");
    assert_eq!(states, WRONG.len() as c_int);
}

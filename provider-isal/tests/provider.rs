//! What is particular to ISA-L: where it comes from, when it is chosen, its levels, windows and
//! limits.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, process};

use compressor_api::{
    Compressor, CompressorFactory, Direction, ErrorKind, Format, Health, OpenError, Policy,
    Registry, Spec, inspect, self_test,
};
use isal::{factory, open};
use proptest::prelude::*;
use provider_isal::PROVIDER;

mod isal;

const FORMATS: [Format; 3] = [Format::Zlib, Format::DeflateRaw, Format::Gzip];
/// Those that it reads as well.
const READ: [Format; 2] = [Format::Zlib, Format::Gzip];

fn isal(spec: &Spec) -> Arc<dyn Compressor> {
    factory().compressor(spec).unwrap()
}

fn compress(compressor: &dyn Compressor, content: &[u8]) -> Vec<u8> {
    let mut unit = vec![0; compressor.max_compressed_len(content.len()).unwrap()];
    let mut session = compressor.compress_session().unwrap();
    let n = session.compress(content, &mut unit).unwrap();
    unit.truncate(n);
    unit
}

fn decompress(compressor: &dyn Compressor, unit: &[u8], room: usize) -> Result<Vec<u8>, ErrorKind> {
    let mut content = vec![0; room];
    let mut session = compressor.decompress_session().unwrap();
    let n = session.decompress(unit, &mut content);
    content.truncate(n.map_err(|error| error.kind())?);
    Ok(content)
}

/// Never repeats anything, in a sequence that is the same every time.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// The file that ISA-L was loaded from.
fn loaded_file() -> PathBuf {
    let _loaded = factory();
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let line = maps
        .lines()
        .find(|line| line.contains("/libisal.so.2"))
        .unwrap();
    line[line.find('/').unwrap()..].into()
}

/// A copy of the library under another name, in a folder that is gone with it.
struct Copy(PathBuf);

impl Copy {
    fn named(name: &str) -> Self {
        let folder = format!("{}-{}", process::id(), name);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(name);
        fs::copy(loaded_file(), &file).unwrap();
        Self(file)
    }

    fn open(&self) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        open(&[("library_path", self.0.to_str().unwrap())])
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.parent().unwrap());
    }
}

#[test]
fn it_is_ready_when_it_is_open() {
    let factory = factory();
    if cfg!(target_arch = "aarch64") {
        assert_ne!(factory.health().name(), "Absent");
    } else {
        assert_eq!(factory.health(), Health::Ready);
    }
    assert_eq!(factory.self_test(), Ok(()));
    assert_eq!(factory.id(), PROVIDER.id);
}

#[test]
fn a_library_by_path_is_as_good() {
    let path = loaded_file();
    let factory = open(&[("library_path", path.to_str().unwrap())]).unwrap();
    assert_eq!(factory.self_test(), Ok(()));
}

#[test]
fn a_library_that_hides_its_version_is_refused() {
    let error = Copy::named("libisal.so").open().unwrap_err();
    assert_eq!(error.name(), "Misconfigured");
    assert!(
        error.why().contains("version") && error.why().contains("unknown"),
        "{error}"
    );
}

#[test]
fn a_version_known_to_be_bad_is_refused_by_its_number() {
    let error = Copy::named("libisal.so.2.0.29").open().unwrap_err();
    assert_eq!(error.name(), "Misconfigured");
    assert!(error.why().contains("ISA-L 2.29"), "{error}");
}

#[test]
fn each_library_is_its_own() {
    // Opened, used and closed beside the one that the other tests use.
    let copy = Copy::named("libisal.so.2.0.99");
    let other = copy.open().unwrap();
    let spec = Spec::new(Format::Zlib);
    let session = other.compressor(&spec).unwrap().compress_session();
    drop(other);
    // A session keeps its library.
    let mut unit = vec![0; 10_000];
    let n = session
        .unwrap()
        .compress(self_test::CONTENT, &mut unit)
        .unwrap();
    let back = decompress(&*isal(&spec), &unit[..n], 4_096);
    assert_eq!(back.as_deref(), Ok(self_test::CONTENT));
}

fn registry(libdeflate: bool) -> Registry {
    let mut builder = Registry::builder()
        .provider(&PROVIDER)
        .provider(&compressor_deflate::PROVIDER);
    if libdeflate {
        builder = builder.provider(&provider_libdeflate::PROVIDER);
    }
    builder.build().unwrap()
}

/// Who serves a direction.
fn chosen(registry: &Registry, spec: &Spec, policy: &Policy, direction: Direction) -> &'static str {
    let _present = factory();
    let selection = registry.select(spec, policy).unwrap();
    let accelerator = selection.accelerator(direction);
    accelerator.map_or("software.deflate", |chosen| chosen.provider.as_str())
}

#[test]
fn others_come_before_it_unless_it_is_asked_for() {
    for listed in factory().capabilities() {
        let spec = Spec::new(listed.format);
        let chosen = |libdeflate, policy: &Policy| {
            chosen(&registry(libdeflate), &spec, policy, listed.direction)
        };
        assert_eq!(chosen(true, &Policy::default()), "libdeflate");
        assert_eq!(chosen(false, &Policy::default()), "software.deflate");
        assert_eq!(chosen(true, &Policy::default().prefer("isal")), "isal");
        assert_eq!(chosen(false, &Policy::software_only()), "software.deflate");
    }
}

#[test]
fn it_serves_what_is_assigned_to_it() {
    for listed in factory().capabilities() {
        let (format, direction) = (listed.format, listed.direction);
        let policy = Policy::default().assign(format, Some(direction), "isal");
        for libdeflate in [true, false] {
            let registry = registry(libdeflate);
            let chosen = chosen(&registry, &Spec::new(format), &policy, direction);
            assert_eq!(chosen, "isal", "{format} {direction}");
        }
    }
}

/// Without a checksum nobody would see that a corrupt stream was read.
#[test]
fn raw_streams_are_written_and_left_to_others_to_read() {
    let spec = Spec::new(Format::DeflateRaw);
    let policy = Policy::default().prefer("isal");
    for (libdeflate, reader) in [(true, "libdeflate"), (false, "software.deflate")] {
        let of = |direction| chosen(&registry(libdeflate), &spec, &policy, direction);
        assert_eq!(of(Direction::Compress), "isal");
        assert_eq!(of(Direction::Decompress), reader);
    }

    let compressor = isal(&spec);
    assert_eq!(compressor.effective().decompress, None);
    let refused = compressor.decompress_session().err().unwrap();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    let unit = compress(&*compressor, self_test::CONTENT);
    let zlib = compressor_deflate::factory().compressor(&spec).unwrap();
    assert!(decompress(&*zlib, &unit, 4_096).as_deref() == Ok(self_test::CONTENT));

    // Stored blocks are not written either, so that nothing is left.
    let stored = spec.with_level(0).unwrap();
    let refused = factory().compressor(&stored).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
}

#[test]
fn stored_blocks_are_left_to_software() {
    let policy = Policy::default().prefer("isal");
    for format in READ {
        let spec = Spec::new(format).with_level(0).unwrap();
        let of = |direction| chosen(&registry(false), &spec, &policy, direction);
        assert_eq!(of(Direction::Compress), "software.deflate");
        assert_eq!(of(Direction::Decompress), "isal");

        let compressor = isal(&spec);
        assert_eq!(compressor.effective().compress, None);
        let refused = compressor.compress_session().err().unwrap();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        assert!(compressor.decompress_session().is_ok());
    }
}

#[test]
fn the_level_used_is_told() {
    for (zlib, isal_level) in [(1, 1), (2, 1), (3, 3), (6, 3), (9, 3)] {
        let spec = Spec::new(Format::Gzip).with_level(zlib).unwrap();
        let effective = isal(&spec).effective().compress.unwrap();
        assert_eq!(
            (effective.provider, effective.level),
            (PROVIDER.id, isal_level)
        );
    }
}

/// ISA-L looks up a literal and the match behind it at once, and says that the match begins before
/// the content if it begins with the literal, and `dst` ends before that. zlib never writes such a
/// match.
#[test]
fn content_too_long_is_never_called_corrupt() {
    let compressor = isal(&Spec::new(Format::Zlib));
    let mut session = compressor.decompress_session().unwrap();
    let mut dst = [0; 60];
    let letters: Vec<u8> = noise(60_000).iter().map(|byte| byte % 3).collect();
    for period in 5..60 {
        // Twice the same, then enough for ISA-L to find that lookups of several symbols pay.
        let first = &letters[period..2 * period];
        let content = [first, first, &letters].concat();
        let unit = compress(&*compressor, &content);
        for room in 0..=dst.len() {
            let failed = session.decompress(&unit, &mut dst[..room]).unwrap_err();
            let (kind, what) = (failed.kind(), (period, room));
            assert_eq!(kind, ErrorKind::OutputTooSmall, "{what:?}");
        }
    }
}

#[test]
fn matches_keep_to_the_window() {
    for format in FORMATS {
        for window_log in 9..=15 {
            for level in [1, 9] {
                let spec = Spec::new(format).with_level(level).unwrap();
                let spec = spec.with_window_log(window_log).unwrap();
                let compressor = isal(&spec);
                let shrinks = |distance: usize| {
                    let content = noise(distance).repeat(4);
                    compress(&*compressor, &content).len() < content.len() / 2
                };
                assert!(!shrinks((1 << window_log) + 1), "{format} 2^{window_log}");
                // At level 1 ISA-L finds what is farther only by chance: it remembers 8,192 places.
                let within = if level == 1 {
                    window_log.min(12)
                } else {
                    window_log
                };
                assert!(shrinks(1 << within), "{format} 2^{window_log}");
            }
        }
    }
}

#[test]
fn the_window_is_written_where_the_format_has_a_place_for_it() {
    for window_log in 9..=15 {
        let spec = Spec::new(Format::Zlib).with_window_log(window_log).unwrap();
        let unit = compress(&*isal(&spec), b"content");
        let header = inspect::header(Format::Zlib, &unit).unwrap();
        assert_eq!(header.window, Some(1 << window_log));
        let effective = isal(&spec).effective().compress.unwrap();
        assert_eq!(effective.window, 1 << window_log);
    }
}

#[test]
fn the_longest_content_is_taken_and_one_byte_more_is_not() {
    let longest = 64 << 20;
    let content = vec![7; longest + 1];
    for format in FORMATS {
        let spec = Spec::new(format).with_level(1).unwrap();
        let compressor = isal(&spec);
        let unit = compress(&*compressor, &content[..longest]);
        let mut session = compressor.compress_session().unwrap();
        let refused = session
            .compress(&content, &mut vec![0; longest])
            .unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        assert_eq!(compressor.max_compressed_len(longest + 1), None);

        let zlib = compressor_deflate::factory().compressor(&spec).unwrap();
        if !READ.contains(&format) {
            let back = decompress(&*zlib, &unit, longest);
            assert!(back.as_deref() == Ok(&content[..longest]));
            continue;
        }
        let back = |unit: &[u8], room| decompress(&*compressor, unit, room);
        assert!(back(&unit, longest).as_deref() == Ok(&content[..longest]));
        // Room does not limit, content does.
        assert!(back(&unit, longest + 9).as_deref() == Ok(&content[..longest]));
        let longer = compress(&*zlib, &content);
        assert_eq!(back(&longer, longest + 9), Err(ErrorKind::Unsupported));
        assert_eq!(back(&longer, longest), Err(ErrorKind::OutputTooSmall));

        // Stored blocks, and more of them than any content within the limit has.
        let listed =
            factory().capabilities().iter().copied().find(|listed| {
                listed.format == format && listed.direction == Direction::Decompress
            });
        let unit = vec![0; listed.unwrap().max_input + 1];
        assert_eq!(back(&unit, 9), Err(ErrorKind::Unsupported));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_reads_what_the_other_wrote(
        start in 0..4_000_usize,
        repeats in 1..18_usize,
        noise in proptest::collection::vec(any::<u8>(), 0..500),
        level in 1..=9,
        window_log in 9..=15_u8,
        which in 0..3_usize,
    ) {
        let spec = Spec::new(FORMATS[which]).with_level(level).unwrap();
        let spec = spec.with_window_log(window_log).unwrap();
        let content = [&self_test::CONTENT[start..], &noise].concat().repeat(repeats);
        let (isal, zlib) = (isal(&spec), compressor_deflate::factory().compressor(&spec).unwrap());
        for (writer, reader) in [(&isal, &zlib), (&zlib, &isal)] {
            if reader.effective().decompress.is_none() {
                continue;
            }
            let unit = compress(&**writer, &content);
            let back = decompress(&**reader, &unit, content.len() + 1);
            prop_assert!(back.as_ref() == Ok(&content));
        }
    }
}

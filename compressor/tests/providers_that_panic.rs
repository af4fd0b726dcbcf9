//! A provider that panics, wherever it is asked, keeps no engine from being calibrated.
#![cfg(feature = "deflate")]
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, LazyLock};

use compressor::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Direction,
    Effective, Effort, Efforts, Engine, Error, Format, Health, Open, OpenError, Params,
    ProviderClass, ProviderEntry, ProviderId, Sample, Spec,
};

/// Where a provider panics.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Nowhere,
    Version,
    Effective,
    Session,
    /// In an operation that no exchange of known answers asks for.
    Operation,
    /// When a compressor or session is dropped.
    Drop,
}

/// zlib by software, under another name. Its levels are two, as those of some libraries.
#[derive(Debug)]
struct Fake {
    id: ProviderId,
    at: At,
    inner: Arc<dyn CompressorFactory>,
    capabilities: [Capabilities; 2],
}

/// Sessions that were made to compress, of all fakes that panic nowhere.
static SESSIONS: AtomicUsize = AtomicUsize::new(0);

fn panics(at: At, here: At) {
    assert_ne!(at, here, "a test's panic");
}

impl CompressorFactory for Fake {
    fn id(&self) -> ProviderId {
        self.id
    }

    fn capabilities(&self) -> &[Capabilities] {
        &self.capabilities
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        let level = if spec.level() < 4 { 1 } else { 6 };
        let plain = Spec::new(spec.format()).with_level(level).unwrap();
        Ok(Arc::new(FakeCompressor {
            at: self.at,
            spec: spec.clone(),
            inner: self.inner.compressor(&plain)?,
        }))
    }

    fn version(&self) -> String {
        panics(self.at, At::Version);
        "1.0".into()
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug)]
struct FakeCompressor {
    at: At,
    spec: Spec,
    inner: Arc<dyn Compressor>,
}

impl Compressor for FakeCompressor {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        panics(self.at, At::Effective);
        self.inner.effective()
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        self.inner.max_compressed_len(src_len)
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.inner.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        panics(self.at, At::Session);
        if self.at == At::Nowhere {
            SESSIONS.fetch_add(1, SeqCst);
        }
        Ok(Box::new(FakeSession {
            at: self.at,
            inner: self.inner.compress_session()?,
        }))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        panics(self.at, At::Session);
        self.inner.decompress_session()
    }
}

impl Drop for FakeCompressor {
    fn drop(&mut self) {
        panics(self.at, At::Drop);
    }
}

struct FakeSession {
    at: At,
    inner: Box<dyn CompressSession>,
}

/// Longer than any known answer.
const LONG: usize = 200_000;

impl CompressSession for FakeSession {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        if src.len() > LONG {
            panics(self.at, At::Operation);
        }
        self.inner.compress(src, dst)
    }
}

impl Drop for FakeSession {
    fn drop(&mut self) {
        panics(self.at, At::Drop);
    }
}

struct Opens(ProviderId, At);

impl Open for Opens {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let efforts = Efforts::all(-2);
        Ok(Arc::new(Fake {
            id: self.0,
            at: self.1,
            inner: compressor_deflate::factory(),
            capabilities: Direction::BOTH
                .map(|way| Capabilities::new(Format::Zlib, way).with_efforts(efforts)),
        }))
    }
}

/// A provider that comes after all others, software included.
fn fake(name: &'static str, at: At) -> &'static ProviderEntry {
    let id = ProviderId::new(name);
    let opens = Box::leak(Box::new(Opens(id, at)));
    let (class, formats) = (ProviderClass::Accelerator, &[Format::Zlib]);
    let entry = ProviderEntry::new(id, class, "a test's", formats, opens);
    Box::leak(Box::new(entry.with_priority(-2)))
}

static SPEED: LazyLock<Spec> = LazyLock::new(|| Spec::new(Format::Zlib).with_effort(Effort::Speed));

/// Who was measured to compress for speed beside a fake, in any class.
fn measured(at: At) -> Vec<(String, Option<i32>)> {
    let engine = Engine::builder()
        .provider(fake("fake", at))
        .build()
        .unwrap();
    let calibration = engine
        .calibrate(&Sample::rows(), std::slice::from_ref(&SPEED))
        .unwrap();
    // Whoever is asked for its version again panics again.
    let followed = Engine::builder()
        .provider(fake("fake", at))
        .calibration(calibration.clone())
        .build()
        .unwrap();
    assert_eq!(followed.calibration_error(), None, "{at:?}");
    let compress = { calibration.choices().iter() }.find(|c| c.direction == Direction::Compress);
    let routes = compress.map(|choice| choice.routes.iter()).unwrap();
    let mut all: Vec<_> = routes
        .flat_map(|route| &route.candidates)
        .map(|one| (one.server.provider.clone(), one.server.at_level))
        .collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn a_panic_wherever_a_provider_is_asked_keeps_nobody_else_from_being_measured() {
    for at in [
        At::Version,
        At::Effective,
        At::Session,
        At::Operation,
        At::Drop,
    ] {
        let all = measured(at);
        let software = ("software.deflate".to_owned(), None);
        assert!(all.contains(&software), "{at:?}: {all:?}");
        // Nobody who panics in a drop was asked for more than that.
        if matches!(at, At::Effective | At::Session) {
            assert!(all.iter().all(|(id, _)| id != "fake"), "{at:?}: {all:?}");
        }
    }
}

#[test]
fn levels_that_are_the_same_are_measured_and_checked_once() {
    let before = SESSIONS.load(SeqCst);
    let all = measured(At::Nowhere);
    let own: Vec<_> = all.iter().filter(|(id, _)| id == "fake").collect();
    // At the spec's own level, and at the least of those that are one.
    let levels: Vec<_> = own.iter().map(|(_, at_level)| *at_level).collect();
    assert_eq!(levels, [None, Some(0)]);
    // Each of both has a session in its check, and one in each of four classes.
    let made = SESSIONS.load(SeqCst) - before;
    assert_eq!(made, 2 * (1 + 4));
}

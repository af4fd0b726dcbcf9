//! What an engine links, chooses and remembers.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use compressor::decorator::Reason;
use compressor::{
    Compressor, CompressorFactory, Config, Direction, Engine, Format, LINKED, Open, OpenError,
    Params, Policy, ProviderClass, ProviderEntry, ProviderId, SetupError, Spec,
};

/// A block that every format shrinks.
fn block() -> Vec<u8> {
    b"machine-0007 temperature 21.5 station 12 ok\n".repeat(100)
}

/// Writes and reads one block, and says which provider serves each direction.
fn serve(compressor: &dyn Compressor) -> [&'static str; 2] {
    let block = block();
    let mut unit = vec![0; compressor.max_compressed_len(block.len()).unwrap()];
    let n = compressor
        .compress_session()
        .unwrap()
        .compress(&block, &mut unit)
        .unwrap();
    let mut back = vec![0; block.len()];
    compressor
        .decompress_session()
        .unwrap()
        .decompress_exact(&unit[..n], &mut back)
        .unwrap();
    assert_eq!(back, block);
    let effective = compressor.effective();
    [effective.compress, effective.decompress].map(|side| side.unwrap().provider.as_str())
}

#[test]
fn every_feature_that_is_on_lists_its_provider_and_no_other_does() {
    let mut expected = vec!["software.none"];
    expected.extend(cfg!(feature = "deflate").then_some("software.deflate"));
    expected.extend(cfg!(feature = "isal").then_some("isal"));
    expected.extend(cfg!(feature = "libdeflate").then_some("libdeflate"));
    expected.extend(cfg!(feature = "lz4").then_some("software.lz4"));
    expected.extend(cfg!(feature = "qat").then_some("intel.qat"));
    expected.extend(cfg!(feature = "snappy").then_some("software.snappy"));
    expected.extend(cfg!(feature = "zstd").then_some("software.zstd"));
    expected.sort_unstable();
    let engine = Engine::new().unwrap();
    let mut listed: Vec<&str> = engine.registry().entries().map(|e| e.id.as_str()).collect();
    listed.sort_unstable();
    assert_eq!(listed, expected);
    assert_eq!(LINKED.len(), expected.len());
}

#[test]
fn every_linked_provider_opens_and_serves_what_it_lists() {
    let engine = Engine::new().unwrap();
    for entry in engine.registry().entries() {
        let factory = match engine.registry().open(entry.id.as_str()) {
            Ok(factory) => factory,
            Err(OpenError::Absent { why }) => {
                println!("{} is absent: {why}", entry.id);
                continue;
            }
            Err(error) => panic!("{}: {error}", entry.id),
        };
        for capabilities in factory.capabilities() {
            assert!(entry.formats.contains(&capabilities.format), "{}", entry.id);
        }
    }
}

#[test]
fn every_format_is_served_by_the_defaults() {
    let engine = Engine::new().unwrap();
    for format in Format::ALL {
        let accelerated = matches!(format, Format::Zlib | Format::DeflateRaw | Format::Gzip);
        let compressor = engine.compressor(&Spec::new(format)).unwrap();
        let served = serve(&*compressor);
        let counters = compressor.counters();
        if accelerated {
            assert_eq!(served, ["libdeflate"; 2]);
            assert_eq!(counters.compress.accelerated.ops, 1);
            assert_eq!(counters.decompress.accelerated.ops, 1);
        } else {
            assert!(
                served
                    .iter()
                    .all(|provider| provider.starts_with("software."))
            );
            assert_eq!(counters.compress.software_ops(Reason::Absent), 1);
        }
    }
}

#[test]
fn what_one_side_wrote_the_other_reads_without_the_accelerator() {
    let engine = Engine::new().unwrap();
    let software = Engine::builder()
        .policy(Policy::software_only())
        .build()
        .unwrap();
    for format in Format::ALL {
        let spec = Spec::new(format);
        let both = [&engine, &software].map(|engine| engine.compressor(&spec).unwrap());
        for (writer, reader) in [(0, 1), (1, 0)] {
            let (writer, reader) = (&both[writer], &both[reader]);
            let block = block();
            let mut unit = vec![0; writer.max_compressed_len(block.len()).unwrap()];
            let n = writer
                .compress_session()
                .unwrap()
                .compress(&block, &mut unit)
                .unwrap();
            let mut back = vec![0; block.len()];
            reader
                .decompress_session()
                .unwrap()
                .decompress_exact(&unit[..n], &mut back)
                .unwrap();
            assert_eq!(back, block, "{format}");
        }
    }
    let software = software.compressor(&Spec::new(Format::Zlib)).unwrap();
    assert_eq!(serve(&*software), ["software.deflate"; 2]);
    assert_eq!(
        software.unaccelerated(Direction::Compress),
        Some(Reason::Disabled)
    );
}

#[test]
fn a_level_that_only_software_serves_says_so() {
    let engine = Engine::new().unwrap();
    let spec = Spec::new(Format::Zlib).with_window_log(12).unwrap();
    let compressor = engine.compressor(&spec).unwrap();
    assert_eq!(
        compressor.unaccelerated(Direction::Compress),
        Some(Reason::Window)
    );
    assert_eq!(serve(&*compressor), ["software.deflate", "libdeflate"]);
}

#[test]
fn a_configuration_is_followed() {
    let mut config = Config::default();
    config.software_only = true;
    let engine = Engine::builder().config(&config).unwrap().build().unwrap();
    let compressor = engine.compressor(&Spec::new(Format::Zlib)).unwrap();
    assert_eq!(serve(&*compressor), ["software.deflate"; 2]);

    let mut config = Config::default();
    config.preference = vec!["no-such-provider".into()];
    let refused = Engine::builder().config(&config).unwrap().build();
    let error = refused.unwrap_err().to_string();
    assert!(
        error.contains("no-such-provider") && error.contains("libdeflate"),
        "{error}"
    );
}

#[cfg(feature = "isal")]
#[test]
fn a_parameter_that_cannot_be_stops_start_up_though_nobody_asked_for_the_provider() {
    for path in ["no/absolute/path.so", "/no/such/file.so"] {
        let mut config = Config::default();
        let params = [(
            "library_path".to_owned(),
            compressor::ParamText::Text(path.into()),
        )];
        config.providers.insert("isal".into(), params.into());
        let error = Engine::builder()
            .config(&config)
            .unwrap()
            .build()
            .unwrap_err();
        assert!(
            matches!(&error, SetupError::Misconfigured { .. }),
            "{error}"
        );
        assert!(error.to_string().contains(path), "{error}");
    }
}

/// A device that is plugged in later; libdeflate under another name.
struct Late;

static PLUGGED_IN: AtomicBool = AtomicBool::new(false);

static LATE: ProviderEntry = ProviderEntry::new(
    ProviderId::new("test.late"),
    ProviderClass::Accelerator,
    "Appears after start",
    &[Format::Snappy],
    &Late,
);

#[derive(Debug)]
struct Renamed(Arc<dyn CompressorFactory>);

impl CompressorFactory for Renamed {
    fn id(&self) -> ProviderId {
        LATE.id
    }

    fn capabilities(&self) -> &[compressor::Capabilities] {
        self.0.capabilities()
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, compressor::Error> {
        self.0.compressor(spec)
    }

    fn health(&self) -> compressor::Health {
        self.0.health()
    }

    fn self_test(&self) -> Result<(), compressor::Error> {
        self.0.self_test()
    }
}

impl Open for Late {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        if PLUGGED_IN.load(SeqCst) {
            Ok(Arc::new(Renamed(compressor_snappy::factory())))
        } else {
            Err(OpenError::Absent {
                why: "not plugged in".into(),
            })
        }
    }
}

#[test]
fn a_device_that_appears_later_is_taken_up_by_sessions_at_work() {
    let engine = Engine::builder().provider(&LATE).build().unwrap();
    let compressor = engine.compressor(&Spec::new(Format::Snappy)).unwrap();
    let mut session = compressor.compress_session().unwrap();
    let (block, mut unit) = (block(), vec![0; 65_536]);
    session.compress(&block, &mut unit).unwrap();

    engine.reprobe();
    session.compress(&block, &mut unit).unwrap();
    assert_eq!(compressor.counters().compress.accelerated.ops, 0);

    PLUGGED_IN.store(true, SeqCst);
    engine.reprobe();
    session.compress(&block, &mut unit).unwrap();
    assert_eq!(compressor.counters().compress.accelerated.ops, 1);
    assert_eq!(
        compressor.counters().compress.software_ops(Reason::Absent),
        2
    );
}

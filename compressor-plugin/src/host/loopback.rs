//! Both sides of the ABI in one process, without a loader between them: what Miri can run.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Dictionary,
    DictionarySupport, Direction, Effective, EffectiveSide, Effort, Efforts, Error, ErrorKind,
    Format, Health, Job, Loss, Open, OpenError, ParamKind, ParamSpec, Params, ProviderClass,
    ProviderEntry, ProviderId, Spec, stored,
};

use super::description::Description;
use super::factory;
use super::ffi::{self, HostTable, Table};
use crate::guest::{self, Exported};

/// The provider behind the entry point of `E`, as a host describes and opens it.
fn through_the_abi<E: Exported>(
    params: &[(&str, &str)],
) -> Result<(ProviderEntry, Arc<dyn CompressorFactory>), OpenError> {
    let host = HostTable::of(Path::new("/loopback"));
    // SAFETY: the entry point that the macro would export.
    let table = unsafe { ffi::enter(guest::enter::<E>, host) }.unwrap();
    let table: &'static Table = Box::leak(Box::new(table));
    let entry = Description::new(table.draft().unwrap())
        .unwrap()
        .entry(&NeverOpened);
    let params = Params::parse(entry.params, params.iter().copied()).unwrap();
    let factory = factory::open(Path::new("/loopback"), table, &entry, &params)?;
    Ok((entry, factory))
}

struct NeverOpened;

impl Open for NeverOpened {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        unreachable!("the test opens the table itself")
    }
}

macro_rules! exported {
    ($name:ident, $entry:expr) => {
        struct $name;

        impl Exported for $name {
            fn entry() -> &'static ProviderEntry {
                &$entry
            }

            fn table() -> &'static OnceLock<guest::Table> {
                static TABLE: OnceLock<guest::Table> = OnceLock::new();
                &TABLE
            }
        }
    };
}

exported!(Stored, STORED);
exported!(Probe, PROBE);
exported!(Unfit, UNFIT);

/// Under a name that a plugin may have.
static STORED: ProviderEntry = ProviderEntry::new(
    ProviderId::new("plugin.none"),
    ProviderClass::Accelerator,
    stored::PROVIDER.description,
    stored::PROVIDER.formats,
    stored::PROVIDER.opener,
)
.with_priority(7);

static PROBE: ProviderEntry = ProviderEntry::new(
    ProviderId::new("probe"),
    ProviderClass::Accelerator,
    "Shows what it is given",
    &Format::ALL,
    &OpenProbe,
)
.with_params(&[
    ParamSpec {
        name: "panic_in",
        kind: ParamKind::Choice(&["nowhere", "batch"]),
        default: "nowhere",
        doc: "",
    },
    ParamSpec {
        name: "note",
        kind: ParamKind::Text,
        default: "",
        doc: "",
    },
]);

static UNFIT: ProviderEntry = ProviderEntry::new(
    ProviderId::new("un\0fit"),
    ProviderClass::Accelerator,
    "Cannot be said in C",
    &[Format::Zstd],
    &OpenProbe,
);

struct OpenProbe;

impl Open for OpenProbe {
    fn open(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        match params.text("note") {
            Some("absent") => Err(OpenError::Absent {
                why: "\u{e4}".repeat(300),
            }),
            _ => Ok(Arc::new(ProbeFactory {
                panics: params.text("panic_in") == Some("batch"),
                capabilities: match params.text("note") {
                    Some("others") => OTHER_CAPABILITIES,
                    _ => PROBE_CAPABILITIES,
                },
            })),
        }
    }
}

/// Compresses nothing: a unit is the effort and its loss if there is one, the dictionary, then the
/// content backwards.
#[derive(Debug)]
struct ProbeFactory {
    panics: bool,
    capabilities: &'static [Capabilities],
}

const PROBE_CAPABILITIES: &[Capabilities] = &[Capabilities::new(Format::Zstd, Direction::Compress)
    .with_dictionary(DictionarySupport::Any)
    .with_input(0, 100)
    .with_efforts(
        Efforts::NONE
            .with(Effort::Balanced, i16::MIN)
            .with(Effort::Speed, i16::MAX)
            .within(&[
                Loss::new(3, 50, 7),
                Loss::new(22, 80, 25),
                Loss::new(22, 5, 100),
            ]),
    )];

/// For one format each: efforts without limits, and what the ABI says in another way.
const OTHER_CAPABILITIES: &[Capabilities] = &[
    Capabilities::new(Format::Zlib, Direction::Compress).with_efforts(Efforts::all(-1)),
    Capabilities::new(Format::Gzip, Direction::Compress)
        .with_efforts(Efforts::all(1).within(&[Loss::new(99, 70, 0), Loss::new(9, 80, 101)])),
    Capabilities::new(Format::Snappy, Direction::Compress)
        .with_efforts(Efforts::all(1).within(&[])),
    Capabilities::new(Format::Lz4Block, Direction::Compress)
        .with_efforts(Efforts::NONE.within(&[Loss::new(1, 1, 1)])),
    Capabilities::new(Format::Zlib, Direction::Decompress).with_efforts(Efforts::all(1)),
];

impl CompressorFactory for ProbeFactory {
    fn id(&self) -> ProviderId {
        PROBE.id
    }

    fn capabilities(&self) -> &[Capabilities] {
        self.capabilities
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        if spec.level() == 22 {
            return Err(Error::with_native(ErrorKind::OutOfMemory, PROBE.id, -22));
        }
        let window = spec.window_log().map_or(0, |log| 1 << log);
        let side = EffectiveSide::new(PROBE.id, spec.level(), window);
        Ok(Arc::new(ProbeCompressor {
            spec: spec.clone(),
            effective: Effective::new(Some(side), None),
            panics: self.panics,
        }))
    }

    fn health(&self) -> Health {
        let why = "as ever".into();
        Health::Degraded { why }
    }

    fn self_test(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug)]
struct ProbeCompressor {
    spec: Spec,
    effective: Effective,
    panics: bool,
}

impl Compressor for ProbeCompressor {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        src_len.checked_add(100)
    }

    fn decompressed_len(&self, _: &[u8]) -> Result<Option<u64>, Error> {
        unreachable!("the host reads headers itself")
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        let effort = self.spec.effort().map_or(String::new(), |effort| {
            format!("{effort} {} ", self.spec.max_loss())
        });
        let dictionary = self.spec.dictionary().map(Dictionary::bytes);
        Ok(Box::new(ProbeSession {
            prefix: [effort.as_bytes(), dictionary.unwrap_or_default()].concat(),
            panics: self.panics,
        }))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        unreachable!("it is not listed")
    }
}

struct ProbeSession {
    prefix: Vec<u8>,
    panics: bool,
}

impl CompressSession for ProbeSession {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Error> {
        let len = self.prefix.len() + src.len();
        let too_small = Error::new(ErrorKind::OutputTooSmall, PROBE.id);
        let unit = dst.get_mut(..len).ok_or(too_small)?;
        for (to, from) in unit
            .iter_mut()
            .zip(self.prefix.iter().chain(src.iter().rev()))
        {
            *to = *from;
        }
        Ok(len)
    }

    fn compress_many(&mut self, jobs: &mut [Job<'_>]) {
        assert!(!self.panics, "the batch panics");
        for job in jobs {
            job.result = self.compress(job.src, job.dst);
        }
    }
}

#[test]
fn a_provider_is_the_same_on_both_sides() {
    let (entry, factory) = through_the_abi::<Stored>(&[]).unwrap();
    assert_eq!(entry.id, STORED.id);
    assert_eq!(entry.description, STORED.description);
    assert_eq!(entry.priority, STORED.priority);
    assert_eq!(factory.capabilities(), stored::factory().capabilities());
    assert_eq!(factory.health(), Health::Ready);
    factory.self_test().unwrap();
}

#[test]
fn sessions_outlive_what_they_were_made_from() {
    let (_, factory) = through_the_abi::<Stored>(&[]).unwrap();
    let compressor = factory.compressor(&Spec::new(Format::None)).unwrap();
    drop(factory);
    let mut compress = compressor.compress_session().unwrap();
    let mut decompress = compressor.decompress_session().unwrap();
    drop(compressor);
    let (mut unit, mut out) = ([0; 5], [0; 5]);
    assert_eq!(compress.compress(b"hello", &mut unit), Ok(5));
    let decompressed = thread::spawn(move || {
        decompress.decompress_exact(&unit, &mut out).unwrap();
        out
    });
    assert_eq!(&decompressed.join().unwrap(), b"hello");
    let error = compress.compress(b"hello", &mut [0; 4]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutputTooSmall);
    assert_eq!(compress.compress(b"", &mut []), Ok(0));
}

#[test]
fn all_of_a_spec_arrives() {
    let (_, factory) = through_the_abi::<Probe>(&[]).unwrap();
    for dictionary in [
        Dictionary::raw(&b"raw content"[..]).unwrap(),
        Dictionary::trained(&b"\x37\xa4\x30\xec\x01\x02\x03\x04 tables"[..]).unwrap(),
    ] {
        let spec = Spec::new(Format::Zstd)
            .with_level(-131_072)
            .and_then(|spec| spec.with_window_log(20))
            .and_then(|spec| spec.with_checksum(false))
            .and_then(|spec| spec.with_dictionary(dictionary.clone()))
            .unwrap();
        let compressor = factory.compressor(&spec).unwrap();
        let side = EffectiveSide::new(PROBE.id, -131_072, 1 << 20);
        assert_eq!(compressor.effective(), &Effective::new(Some(side), None));
        let mut unit = [0; 64];
        let mut session = compressor.compress_session().unwrap();
        let n = session.compress(b"olleh", &mut unit).unwrap();
        assert_eq!(unit[..n], [dictionary.bytes(), b"hello"].concat());
    }
    let highest = Spec::new(Format::Zstd).with_level(22).unwrap();
    let error = factory.compressor(&highest).unwrap_err();
    assert_eq!(
        (error.kind(), error.native()),
        (ErrorKind::OutOfMemory, -22)
    );
}

/// A unit of the probe, and the longest input that it takes.
fn probed(factory: &dyn CompressorFactory, spec: &Spec) -> Result<(String, usize), ErrorKind> {
    let compressor = factory.compressor(spec).map_err(|error| error.kind())?;
    let mut session = compressor
        .compress_session()
        .map_err(|error| error.kind())?;
    let mut unit = [0; 200];
    let n = session.compress(b"", &mut unit).unwrap();
    let longest = (0..=100).rev().find(|len| {
        let served = session.compress(&vec![0; *len], &mut unit).is_ok();
        assert_eq!(compressor.max_compressed_len(*len).is_some(), served);
        served
    });
    let unit = String::from_utf8(unit[..n].into()).unwrap();
    Ok((unit, longest.unwrap()))
}

#[test]
fn an_effort_arrives_with_its_loss_and_keeps_to_what_is_listed() {
    let (_, factory) = through_the_abi::<Probe>(&[]).unwrap();
    assert_eq!(factory.capabilities(), PROBE_CAPABILITIES);
    let probed = |level: i32, effort: Option<Effort>, max_loss: Option<u8>| {
        let mut spec = Spec::new(Format::Zstd).with_level(level).unwrap();
        if let Some(percent) = max_loss {
            spec = spec.with_max_loss(percent).unwrap();
        }
        if let Some(effort) = effort {
            spec = spec.with_effort(effort);
        }
        probed(&*factory, &spec)
    };
    let taken = |unit: &str, longest| Ok((unit.to_string(), longest));
    assert_eq!(probed(3, None, None), taken("", 100));
    assert_eq!(probed(3, None, Some(9)), taken("", 100));
    assert_eq!(
        probed(3, Some(Effort::Balanced), None),
        taken("balanced 7 ", 50)
    );
    assert_eq!(probed(3, Some(Effort::Speed), None), taken("speed 10 ", 50));
    assert_eq!(
        probed(3, Some(Effort::Speed), Some(25)),
        taken("speed 25 ", 80)
    );
    assert_eq!(
        probed(4, Some(Effort::Speed), Some(100)),
        taken("speed 100 ", 80)
    );
    let refused = Err(ErrorKind::Unsupported);
    assert_eq!(probed(3, Some(Effort::Ratio), None), refused);
    assert_eq!(probed(3, Some(Effort::Speed), Some(6)), refused);
    assert_eq!(probed(4, Some(Effort::Balanced), None), refused);
}

#[test]
fn efforts_that_the_abi_says_in_another_way_mean_the_same() {
    let (_, factory) = through_the_abi::<Probe>(&[("note", "others")]).unwrap();
    let efforts: Vec<Efforts> = factory.capabilities().iter().map(|c| c.efforts).collect();
    const CLAMPED: &[Loss] = &[Loss::new(9, 70, 0)];
    let expected = [
        Efforts::all(-1),
        Efforts::all(1).within(CLAMPED),
        Efforts::NONE,
        Efforts::NONE,
        Efforts::NONE,
    ];
    assert_eq!(efforts, expected);
    for (theirs, ours) in OTHER_CAPABILITIES.iter().zip(factory.capabilities()) {
        for effort in Effort::ALL {
            let spec = Spec::new(theirs.format).with_effort(effort);
            let [theirs, ours] = [theirs, ours]
                .map(|c| (c.shortfall(&spec).is_none()).then(|| c.for_effort(&spec).max_input));
            assert_eq!(ours, theirs, "{effort}");
        }
    }
}

#[test]
fn a_direction_that_is_not_served_is_unsupported() {
    let (_, factory) = through_the_abi::<Probe>(&[]).unwrap();
    let compressor = factory.compressor(&Spec::new(Format::Zstd)).unwrap();
    assert_eq!(compressor.effective().decompress, None);
    let error = compressor.decompress_session().err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(compressor.max_compressed_len(100), Some(200));
    assert_eq!(compressor.max_compressed_len(101), None);
}

#[test]
fn batches_go_through_whole() {
    let (_, factory) = through_the_abi::<Probe>(&[]).unwrap();
    let compressor = factory.compressor(&Spec::new(Format::Zstd)).unwrap();
    let mut session = compressor.compress_session().unwrap();
    for count in [0, 1, 3, 100] {
        let sources: Vec<Vec<u8>> = (0..count).map(|i| vec![1; i % 5]).collect();
        let mut buffers = vec![[0; 3]; count];
        let mut jobs: Vec<Job<'_>> = sources
            .iter()
            .zip(&mut buffers)
            .map(|(src, dst)| Job::new(src, dst))
            .collect();
        session.compress_many(&mut jobs);
        for job in jobs {
            match job.result {
                Ok(n) => assert_eq!(&job.dst[..n], job.src),
                Err(error) => {
                    assert_eq!(
                        (error.kind(), job.src.len()),
                        (ErrorKind::OutputTooSmall, 4)
                    );
                }
            }
        }
    }
}

#[test]
fn a_panic_in_a_batch_lets_go_of_its_buffers() {
    let (_, factory) = through_the_abi::<Probe>(&[("panic_in", "batch")]).unwrap();
    let compressor = factory.compressor(&Spec::new(Format::Zstd)).unwrap();
    let mut session = compressor.compress_session().unwrap();
    let mut buffer = vec![0; 8];
    let mut jobs = [Job::new(b"abc", &mut buffer)];
    session.compress_many(&mut jobs);
    assert_eq!(jobs[0].result.unwrap_err().kind(), ErrorKind::Panic);
    drop(buffer);
    let why = "compress panicked".into();
    assert_eq!(factory.health(), Health::Quarantined { why });
    assert_eq!(
        session.compress(b"", &mut []).unwrap_err().kind(),
        ErrorKind::Panic
    );
}

#[test]
fn what_open_says_is_cut_to_fit() {
    let refused = through_the_abi::<Probe>(&[("note", "absent")]).unwrap_err();
    let why = format!("/loopback: {}", "\u{e4}".repeat(256));
    assert_eq!(refused, OpenError::Absent { why });
    let (_, factory) = through_the_abi::<Probe>(&[("note", "as ever")]).unwrap();
    let why = "as ever".into();
    assert_eq!(factory.health(), Health::Degraded { why });
}

#[test]
fn a_provider_that_c_has_no_words_for_has_no_table() {
    let host = HostTable::of(Path::new("/loopback"));
    // SAFETY: the entry point that the macro would export.
    let refused = unsafe { ffi::enter(guest::enter::<Unfit>, host) }.unwrap_err();
    assert_eq!(refused, super::Refusal::NoTable);
}

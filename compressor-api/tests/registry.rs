//! What a registry refuses, remembers, chooses, and says about it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, DecompressSession, Direction,
    Effective, EffectiveSide, Effort, Efforts, Error, ErrorKind, Format, Health, LevelRange, Loss,
    OnFailure, Open, OpenError, ParamKind, ParamSpec, Params, Policy, ProviderClass, ProviderEntry,
    ProviderId, Registry, RegistryError, SelectError, Selection, Shortfall, Spec, Verdict, stored,
};

/// A provider whose every answer is written down; its codec copies.
#[derive(Debug, Clone)]
struct Fake {
    id: ProviderId,
    capabilities: Vec<Capabilities>,
    create: Result<(), ErrorKind>,
    self_test: Result<(), ErrorKind>,
    health: Health,
    panics: bool,
}

impl Fake {
    fn of(id: &'static str, format: Format) -> Self {
        Self {
            id: ProviderId::new(id),
            capabilities: Direction::BOTH
                .map(|d| Capabilities::new(format, d))
                .to_vec(),
            create: Ok(()),
            self_test: Ok(()),
            health: Health::Ready,
            panics: false,
        }
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.id)
    }
}

impl CompressorFactory for Fake {
    fn id(&self) -> ProviderId {
        self.id
    }

    fn capabilities(&self) -> &[Capabilities] {
        &self.capabilities
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        assert!(
            !self.panics,
            "this provider panics when asked for a compressor"
        );
        self.create.map_err(|kind| self.error(kind))?;
        let effective = Effective::both(EffectiveSide::new(self.id, spec.level(), 0));
        Ok(Arc::new(FakeCompressor {
            spec: spec.clone(),
            effective,
        }))
    }

    fn version(&self) -> String {
        assert!(
            !self.panics,
            "this provider panics when asked for its version"
        );
        "1.0".into()
    }

    fn health(&self) -> Health {
        assert!(
            !self.panics,
            "this provider panics when asked for its health"
        );
        self.health.clone()
    }

    fn self_test(&self) -> Result<(), Error> {
        self.self_test.map_err(|kind| self.error(kind))
    }
}

#[derive(Debug)]
struct FakeCompressor {
    spec: Spec,
    effective: Effective,
}

impl Compressor for FakeCompressor {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        Some(src_len.max(1))
    }

    fn decompressed_len(&self, _: &[u8]) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        stored::factory()
            .compressor(&Spec::new(Format::None))?
            .compress_session()
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        stored::factory()
            .compressor(&Spec::new(Format::None))?
            .decompress_session()
    }
}

/// Opens to what it is told, and counts how often.
struct Opener<F> {
    opened: AtomicUsize,
    open: F,
}

impl<F> Open for Opener<F>
where
    F: Fn(usize, &Params) -> Result<Fake, OpenError> + Send + Sync,
{
    fn open(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let nth = self.opened.fetch_add(1, SeqCst);
        (self.open)(nth, params).map(|fake| Arc::new(fake) as Arc<dyn CompressorFactory>)
    }
}

/// An entry that lives as long as the test program.
fn entry_with<F>(
    id: &'static str,
    class: ProviderClass,
    open: F,
) -> (&'static ProviderEntry, &'static Opener<F>)
where
    F: Fn(usize, &Params) -> Result<Fake, OpenError> + Send + Sync + 'static,
{
    let opener: &'static Opener<F> = Box::leak(Box::new(Opener {
        opened: 0.into(),
        open,
    }));
    let entry = ProviderEntry::new(ProviderId::new(id), class, "a test's", &Format::ALL, opener);
    (Box::leak(Box::new(entry)), opener)
}

fn entry(fake: Fake) -> &'static ProviderEntry {
    let class = if fake.id.as_str().starts_with("software.") {
        ProviderClass::Software
    } else {
        ProviderClass::Accelerator
    };
    let formats: Vec<Format> = fake.capabilities.iter().map(|c| c.format).collect();
    let (entry, _) = entry_with(fake.id.as_str(), class, move |_, _| Ok(fake.clone()));
    let mut entry = *entry;
    entry.formats = formats.leak();
    Box::leak(Box::new(entry))
}

fn failing(id: &'static str, error: OpenError) -> &'static ProviderEntry {
    entry_with(id, ProviderClass::Accelerator, move |_, _| {
        Err(error.clone())
    })
    .0
}

fn absent() -> OpenError {
    OpenError::Absent {
        why: "no device; tried /dev/nothing".into(),
    }
}

fn registry(entries: &[&'static ProviderEntry]) -> Registry {
    let software = entry(Fake::of("software.zlib", Format::Zlib));
    entries
        .iter()
        .fold(Registry::builder().provider(software), |builder, entry| {
            builder.provider(entry)
        })
        .build()
        .unwrap()
}

/// Who serves each direction; software where nobody else does.
fn served(registry: &Registry, spec: &Spec, policy: &Policy) -> [&'static str; 2] {
    let selection = registry.select(spec, policy).unwrap();
    Direction::BOTH.map(|direction| {
        selection
            .accelerator(direction)
            .map_or("software", |selected| selected.provider.as_str())
    })
}

fn zlib() -> Spec {
    Spec::new(Format::Zlib)
}

fn verdict(registry: &Registry, policy: &Policy, provider: &str) -> Verdict {
    let selection = registry.select(&zlib(), policy).unwrap();
    selection
        .considered
        .into_iter()
        .find(|c| c.provider.as_str() == provider)
        .unwrap()
        .verdict
}

#[test]
fn providers_are_tried_by_priority_then_by_name_whatever_the_order_of_registration() {
    let a = entry(Fake::of("a", Format::Zlib));
    let b = entry(Fake::of("b", Format::Zlib));
    let high = Box::leak(Box::new(
        entry(Fake::of("z.high", Format::Zlib)).with_priority(5),
    ));
    for order in [[a, b, &*high], [high, b, a], [b, high, a]] {
        let registry = registry(&order);
        let names: Vec<&str> = registry.entries().map(|entry| entry.id.as_str()).collect();
        assert_eq!(names, ["z.high", "a", "b", "software.zlib"]);
        assert_eq!(
            served(&registry, &zlib(), &Policy::default()),
            ["z.high"; 2]
        );
    }
    assert_eq!(
        served(&registry(&[b, a]), &zlib(), &Policy::default()),
        ["a"; 2]
    );
}

#[test]
fn preference_beats_priority_and_assignment_beats_both() {
    let registry = registry(&["a", "b", "c"].map(|id| entry(Fake::of(id, Format::Zlib))));
    let policy = Policy::default().prefer("c");
    assert_eq!(served(&registry, &zlib(), &policy), ["c"; 2]);
    let policy = policy.assign(Format::Zlib, Some(Direction::Decompress), "b");
    assert_eq!(served(&registry, &zlib(), &policy), ["c", "b"]);
    assert_eq!(verdict(&registry, &policy, "a"), Verdict::Outranked);
    let policy = policy.assign(Format::Zlib, None, "software.zlib");
    assert_eq!(served(&registry, &zlib(), &policy), ["software"; 2]);
    assert_eq!(verdict(&registry, &policy, "c"), Verdict::NotAssigned);
    let policy = Policy::default().prefer("software.zlib");
    assert_eq!(served(&registry, &zlib(), &policy), ["software"; 2]);
}

#[test]
fn an_assignment_or_a_preference_reaches_behind_software() {
    let last = entry(Fake::of("last", Format::Zlib)).with_priority(-2);
    let registry = registry(&[Box::leak(Box::new(last))]);
    assert_eq!(
        served(&registry, &zlib(), &Policy::default()),
        ["software"; 2]
    );
    let assigned = Policy::default().assign(Format::Zlib, None, "last");
    for policy in [&assigned, &Policy::default().prefer("last")] {
        assert_eq!(served(&registry, &zlib(), policy), ["last"; 2]);
    }
    let mut software_only = assigned;
    software_only.software_only = true;
    assert_eq!(served(&registry, &zlib(), &software_only), ["software"; 2]);
}

#[test]
fn software_only_opens_no_accelerator() {
    let (entry, opener) = entry_with("a", ProviderClass::Accelerator, |_, _| Err(absent()));
    let registry = registry(&[entry]);
    assert_eq!(
        served(&registry, &zlib(), &Policy::software_only()),
        ["software"; 2]
    );
    assert_eq!(
        verdict(&registry, &Policy::software_only(), "a"),
        Verdict::Disabled
    );
    assert_eq!(opener.opened.load(SeqCst), 0);
}

#[test]
fn directions_are_chosen_apart() {
    let only = |id, direction| {
        let mut fake = Fake::of(id, Format::Zlib);
        fake.capabilities.retain(|c| c.direction == direction);
        entry(fake)
    };
    let registry = registry(&[
        only("a", Direction::Decompress),
        only("b", Direction::Compress),
    ]);
    assert_eq!(served(&registry, &zlib(), &Policy::default()), ["b", "a"]);
    assert_eq!(
        verdict(&registry, &Policy::default(), "a"),
        Verdict::NoCapability
    );
}

#[test]
fn what_the_spec_asks_for_filters() {
    let mut fake = Fake::of("a", Format::Zlib);
    for capabilities in &mut fake.capabilities {
        *capabilities = capabilities
            .with_levels(LevelRange::new(1, 3, 1))
            .with_window(32 << 10);
    }
    let registry = registry(&[entry(fake)]);
    assert_eq!(
        served(&registry, &zlib(), &Policy::default()),
        ["software", "a"]
    );
    assert_eq!(
        verdict(&registry, &Policy::default(), "a"),
        Verdict::Lacks(Shortfall::Level)
    );
    let selection = registry.select(&zlib(), &Policy::default()).unwrap();
    let why = |direction| selection.why_software(direction);
    assert_eq!(
        why(Direction::Compress),
        Some(&Verdict::Lacks(Shortfall::Level))
    );
    assert_eq!(why(Direction::Decompress), None);
    let fits = zlib().with_level(3).unwrap();
    assert_eq!(served(&registry, &fits, &Policy::default()), ["a"; 2]);
    let small = fits.with_window_log(12).unwrap();
    assert_eq!(
        served(&registry, &small, &Policy::default()),
        ["software", "a"]
    );
}

#[test]
fn an_inner_format_serves_its_frame() {
    let registry = registry(&[entry(Fake::of("raw", Format::DeflateRaw))]);
    assert_eq!(served(&registry, &zlib(), &Policy::default()), ["raw"; 2]);
    let selection = registry.select(&zlib(), &Policy::default()).unwrap();
    let selected = selection.accelerator(Direction::Compress).unwrap();
    assert_eq!(selected.capabilities.format, Format::Zlib);
    assert_eq!(selected.compressor.spec(), &zlib());
    // The fake copies, so what is inside the frame is the content itself.
    let mut unit = [0; 16];
    let n = selected
        .compressor
        .compress_session()
        .unwrap()
        .compress(b"abc", &mut unit)
        .unwrap();
    assert_eq!(unit[..n], *b"\x78\x9cabc\x02\x4d\x01\x27");
}

#[test]
fn a_provider_is_opened_once_and_its_failure_remembered_until_probed_again() {
    let (entry, opener) = entry_with("late", ProviderClass::Accelerator, |nth, _| {
        if nth < 2 {
            Err(absent())
        } else {
            Ok(Fake::of("late", Format::Zlib))
        }
    });
    let registry = registry(&[entry]);
    assert_eq!(registry.health("late"), None);
    for _ in 0..3 {
        assert_eq!(
            served(&registry, &zlib(), &Policy::default()),
            ["software"; 2]
        );
    }
    assert_eq!(opener.opened.load(SeqCst), 1);
    assert!(matches!(
        registry.health("late"),
        Some(Health::Absent { .. })
    ));
    assert_eq!(registry.reprobe("late").unwrap_err(), absent());
    assert!(registry.reprobe("late").is_ok());
    assert_eq!(served(&registry, &zlib(), &Policy::default()), ["late"; 2]);
    assert!(registry.reprobe("late").is_ok());
    assert_eq!(opener.opened.load(SeqCst), 3);
    assert_eq!(registry.health("late"), Some(Health::Ready));
}

#[test]
fn a_provider_that_fails_its_self_test_or_lies_about_its_name_is_broken() {
    let mut fails = Fake::of("fails", Format::Zlib);
    fails.self_test = Err(ErrorKind::Device);
    let mut caught = Fake::of("caught", Format::Zlib);
    caught.self_test = Err(ErrorKind::Panic);
    caught.health = Health::Quarantined {
        why: "more bytes than there is room for".into(),
    };
    let (renamed, _) = entry_with("renamed", ProviderClass::Accelerator, |_, _| {
        Ok(Fake::of("other", Format::Zlib))
    });
    let registry = registry(&[entry(fails), entry(caught), renamed]);
    for (provider, says) in [
        ("fails", "self-test"),
        ("caught", "more bytes than"),
        ("renamed", "other"),
    ] {
        let error = registry.open(provider).unwrap_err();
        assert!(
            matches!(&error, OpenError::Broken { why } if why.contains(says)),
            "{error}"
        );
    }
    assert_eq!(
        served(&registry, &zlib(), &Policy::default()),
        ["software"; 2]
    );
}

#[test]
fn a_provider_that_panics_is_not_used() {
    let (opens, _) = entry_with("opens", ProviderClass::Accelerator, |_, _| {
        panic!("panics when opened")
    });
    let mut asked = Fake::of("asked", Format::Zlib);
    asked.panics = true;
    let registry = registry(&[opens, entry(asked)]);
    assert!(matches!(
        registry.open("opens"),
        Err(OpenError::Broken { .. })
    ));
    assert_eq!(
        served(&registry, &zlib(), &Policy::default()),
        ["software"; 2]
    );
    assert!(matches!(
        registry.health("asked"),
        Some(Health::Quarantined { .. })
    ));
    assert!(matches!(
        registry.version("asked"),
        Err(OpenError::Broken { .. })
    ));
}

#[test]
fn a_provider_says_its_version_once_it_is_open() {
    let registry = registry(&[
        entry(Fake::of("a", Format::Zlib)),
        failing("b.absent", absent()),
    ]);
    assert_eq!(registry.version("a"), Ok("1.0".to_owned()));
    assert_eq!(registry.version("b.absent"), Err(absent()));
}

#[test]
fn what_a_provider_throws_may_panic_when_it_is_dropped() {
    struct Twice;
    impl Drop for Twice {
        fn drop(&mut self) {
            panic!("panics again");
        }
    }
    let (opens, _) = entry_with("opens", ProviderClass::Accelerator, |_, _| {
        std::panic::panic_any(Twice)
    });
    assert!(matches!(
        registry(&[opens]).open("opens"),
        Err(OpenError::Broken { .. })
    ));
}

#[test]
fn misconfigured_always_fails_start_up_and_absent_never_does_unless_told() {
    let wrong = OpenError::Misconfigured {
        why: "library_path does not exist".into(),
    };
    let misconfigured = registry(&[failing("a", wrong.clone())]);
    let error = misconfigured
        .select(&zlib(), &Policy::default())
        .unwrap_err();
    assert!(matches!(&error, SelectError::Refused { verdict, .. }
        if *verdict == Verdict::NotOpened(wrong.clone())));
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);

    let registry = registry(&[failing("a", absent())]);
    assert_eq!(
        served(&registry, &zlib(), &Policy::default()),
        ["software"; 2]
    );
    let mut policy = Policy::default().assign(Format::Zlib, None, "a");
    assert_eq!(served(&registry, &zlib(), &policy), ["software"; 2]);
    policy.on_absent = OnFailure::Fail;
    let error = registry.select(&zlib(), &policy).unwrap_err();
    assert!(error.to_string().contains("/dev/nothing"), "{error}");
}

#[test]
fn a_compressor_that_cannot_be_made_is_softwares_unless_told() {
    let mut fake = Fake::of("a", Format::Zlib);
    fake.create = Err(ErrorKind::OutOfMemory);
    let registry = registry(&[entry(fake)]);
    assert_eq!(
        served(&registry, &zlib(), &Policy::default()),
        ["software"; 2]
    );
    let mut policy = Policy::default();
    policy.on_create_error = OnFailure::Fail;
    let error = registry.select(&zlib(), &policy).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
}

#[test]
fn a_format_without_a_software_codec_is_named_not_called_corrupt() {
    let registry = registry(&[entry(Fake::of("a", Format::Zstd))]);
    let error = registry
        .select(&Spec::new(Format::Zstd), &Policy::default())
        .unwrap_err();
    assert_eq!(
        error,
        SelectError::NoSoftware {
            format: Format::Zstd
        }
    );
    assert_eq!(error.kind(), ErrorKind::Unsupported);
}

#[test]
fn names_that_are_not_registered_are_refused() {
    let registry = registry(&[entry(Fake::of("a", Format::Zlib))]);
    for policy in [
        Policy::default().prefer("q"),
        Policy::default().assign(Format::Snappy, None, "q"),
    ] {
        let error = registry.select(&zlib(), &policy).unwrap_err();
        assert!(error.to_string().contains("a, software.zlib"), "{error}");
    }
    assert!(matches!(
        registry.open("q"),
        Err(OpenError::Misconfigured { .. })
    ));
}

#[test]
fn a_loss_above_100_percent_is_refused() {
    let registry = registry(&[]);
    let mut policy = Policy::default();
    policy.max_loss = Some(100);
    assert!(registry.select(&zlib(), &policy).is_ok());
    policy.max_loss = Some(101);
    let refused = SelectError::LossOutOfRange { percent: 101 };
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    assert_eq!(registry.check(&policy), Err(refused.clone()));
    assert_eq!(registry.select(&zlib(), &policy).unwrap_err(), refused);
}

#[test]
fn an_assignment_to_a_provider_without_the_format_is_explained() {
    let only = ProviderEntry::new(
        ProviderId::new("b"),
        ProviderClass::Accelerator,
        "Snappy alone",
        &[Format::Snappy],
        entry(Fake::of("b", Format::Snappy)).opener,
    );
    let registry = registry(&[Box::leak(Box::new(only))]);
    let mut policy = Policy::default().assign(Format::Zlib, None, "b");
    assert_eq!(verdict(&registry, &policy, "b"), Verdict::NoCapability);
    policy.on_absent = OnFailure::Fail;
    assert!(registry.select(&zlib(), &policy).is_err());
}

#[test]
fn duplicates_and_bad_names_are_refused() {
    let a = entry(Fake::of("a", Format::Zlib));
    let again = entry(Fake::of("a", Format::Snappy));
    let twice = Registry::builder().provider(a).provider(again).build();
    assert!(matches!(twice, Err(RegistryError::Duplicate { .. })));
    for name in ["", "Upper", "with space", "under_score"] {
        let bad = entry(Fake::of(name, Format::Zlib));
        assert!(matches!(
            Registry::builder().provider(bad).build(),
            Err(RegistryError::BadName { .. })
        ));
    }
}

#[test]
fn parameters_are_checked_before_anything_is_opened() {
    const PARAMS: &[ParamSpec] = &[ParamSpec {
        name: "depth",
        kind: ParamKind::Int { min: 1, max: 8 },
        default: "2",
        doc: "Operations at once",
    }];
    let (entry, opener) = entry_with("a", ProviderClass::Accelerator, |_, params| {
        assert_eq!(params.int("depth"), Some(4));
        Ok(Fake::of("a", Format::Zlib))
    });
    let entry: &'static ProviderEntry = Box::leak(Box::new(entry.with_params(PARAMS)));
    let with = |provider: &str, name: &str, value: &str| {
        Registry::builder()
            .provider(entry)
            .param(provider, name, value)
            .build()
    };
    assert!(matches!(
        with("a", "depth", "9"),
        Err(RegistryError::Param { .. })
    ));
    assert!(matches!(
        with("a", "dept", "4"),
        Err(RegistryError::Param { .. })
    ));
    assert!(matches!(
        with("b", "depth", "4"),
        Err(RegistryError::UnknownProvider { .. })
    ));
    assert_eq!(opener.opened.load(SeqCst), 0);
    assert!(with("a", "depth", "4").unwrap().open("a").is_ok());
}

static SUBMITTED: ProviderEntry = ProviderEntry::new(
    ProviderId::new("submitted"),
    ProviderClass::Accelerator,
    "Listed by the macro",
    &[Format::Zlib],
    &NeverThere,
);

struct NeverThere;

impl Open for NeverThere {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        Err(absent())
    }
}

compressor_api::submit_provider!(SUBMITTED);

#[test]
fn what_the_macro_submits_is_listed_once_even_if_it_is_also_registered() {
    let registry = Registry::builder()
        .provider(&SUBMITTED)
        .submitted()
        .build()
        .unwrap();
    let names: Vec<&str> = registry.entries().map(|entry| entry.id.as_str()).collect();
    assert_eq!(names, ["submitted", "software.none"]);
}

#[test]
fn selections_can_be_printed() {
    let registry = registry(&[failing("a", absent()), entry(Fake::of("b", Format::Zlib))]);
    let selection = registry.select(&zlib(), &Policy::default()).unwrap();
    let lines: Vec<String> = selection
        .considered
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        lines[0],
        "compress a: Absent: no device; tried /dev/nothing"
    );
    assert_eq!(lines[1], "compress b: chosen");
    assert_eq!(
        lines[2],
        "compress software.zlib: comes after the one chosen"
    );
}

/// A provider that compresses zlib for speed, tried before those of a lower priority.
fn for_speed(
    id: &'static str,
    priority: i16,
    change: impl Fn(Capabilities) -> Capabilities,
) -> &'static ProviderEntry {
    let mut fake = Fake::of(id, Format::Zlib);
    for capabilities in &mut fake.capabilities {
        if capabilities.direction == Direction::Compress {
            let efforts = Efforts::NONE.with(Effort::Speed, priority);
            *capabilities = change(capabilities.with_efforts(efforts));
        }
    }
    entry(fake)
}

/// As [`for_speed`], within the loss only up to a length of the input.
fn limited(id: &'static str, priority: i16, max_input: usize) -> &'static ProviderEntry {
    let losses: &'static [Loss] = Box::leak(Box::new([Loss::new(9, max_input, 10)]));
    for_speed(id, priority, |c| c.with_efforts(c.efforts.within(losses)))
}

fn for_speed_by(registry: &Registry) -> Selection {
    let speed = zlib().with_effort(Effort::Speed);
    registry.select(&speed, &Policy::default()).unwrap()
}

/// Who compresses, and the longest input that each takes.
fn by_length(selection: &Selection) -> Vec<(&'static str, usize)> {
    let chosen = selection.accelerators(Direction::Compress);
    chosen
        .map(|s| (s.provider.as_str(), s.capabilities.max_input))
        .collect()
}

#[test]
fn those_with_the_priority_for_an_effort_serve_what_it_limits_others_to() {
    let registry = registry(&[
        limited("a.short", 3, 16 << 10),
        limited("b.shorter", 2, 4 << 10),
        for_speed("c.any", 1, |c| c),
        for_speed("d.last", 0, |c| c),
        entry(Fake::of("e.no-effort", Format::Zlib)),
    ]);
    let selection = for_speed_by(&registry);
    assert_eq!(
        by_length(&selection),
        [("a.short", 16 << 10), ("c.any", usize::MAX)]
    );
    let verdicts = { selection.considered.into_iter() }
        .filter(|c| c.direction == Direction::Compress)
        .map(|c| (c.provider.as_str(), c.verdict));
    assert_eq!(
        verdicts.collect::<Vec<_>>(),
        [
            ("a.short", Verdict::Chosen),
            ("b.shorter", Verdict::Outranked),
            ("c.any", Verdict::ChosenBeyond(16 << 10)),
            ("d.last", Verdict::Outranked),
            ("e.no-effort", Verdict::Outranked),
            ("software.zlib", Verdict::Outranked),
        ]
    );
}

#[test]
fn whoever_takes_nothing_longer_by_a_limit_of_its_own_does_not_serve_beyond() {
    for (own, chosen) in [
        (16 << 10, [("a.short", 64 << 10), ("c.any", usize::MAX)]),
        (64 << 10, [("a.short", 64 << 10), ("c.any", usize::MAX)]),
        (
            (64 << 10) + 1,
            [("a.short", 64 << 10), ("b.own", (64 << 10) + 1)],
        ),
    ] {
        let registry = registry(&[
            limited("a.short", 3, 64 << 10),
            for_speed("b.own", 2, |c| c.with_input(0, own)),
            for_speed("c.any", 1, |c| c),
        ]);
        assert_eq!(by_length(&for_speed_by(&registry)), chosen, "{own}");
    }
}

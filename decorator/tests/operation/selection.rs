use std::sync::Arc;

use compressor_api::{
    Capabilities, CompressSession, Compressor, CompressorFactory, Direction, Effort, Efforts,
    Error, ErrorKind, Format, Health, LevelRange, Loss, OnFailure, Open, OpenError, Params, Policy,
    ProviderClass, ProviderEntry, ProviderId, Registry, RegistryBuilder, Selection, Spec,
};
use compressor_decorator::{Accelerated, Guards, Options, Reason, Route};

use super::misbehaving::{Behaves, ID, error, factory};

/// Opens a provider that behaves, with these capabilities.
#[derive(Debug)]
struct Opens(Vec<Capabilities>);

impl Open for Opens {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let capabilities = Some(self.0.clone());
        Ok(factory(
            Arc::new(Behaves),
            compressor_deflate::factory(),
            capabilities,
        ))
    }
}

fn registry(capabilities: Vec<Capabilities>) -> Registry {
    builder(capabilities).build().unwrap()
}

fn builder(capabilities: Vec<Capabilities>) -> RegistryBuilder {
    builder_of(Opens(capabilities))
}

fn builder_of(opens: impl Open + 'static) -> RegistryBuilder {
    let entry = ProviderEntry::new(
        ID,
        ProviderClass::Accelerator,
        "Behaves",
        &[Format::Zlib, Format::DeflateRaw],
        Box::leak(Box::new(opens)),
    );
    Registry::builder()
        .provider(&compressor_deflate::PROVIDER)
        .provider(Box::leak(Box::new(entry)))
}

/// Opens a provider that makes no compressor, and says this why.
#[derive(Debug)]
struct MakesNone(ErrorKind);

impl Open for MakesNone {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        Ok(Arc::new(Self(self.0)))
    }
}

impl CompressorFactory for MakesNone {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        const ALL: [Capabilities; 2] = [
            Capabilities::new(Format::Zlib, Direction::Compress),
            Capabilities::new(Format::Zlib, Direction::Decompress),
        ];
        &ALL
    }

    fn compressor(&self, _: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        Err(error(self.0))
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        Ok(())
    }
}

fn speed() -> Spec {
    Spec::new(Format::Zlib).with_effort(Effort::Speed)
}

/// Of [`speed`]: nobody but software.
fn by_software() -> Selection {
    let registry = Registry::builder().provider(&compressor_deflate::PROVIDER);
    let registry = registry.build().unwrap();
    registry.select(&speed(), &Policy::default()).unwrap()
}

/// Of [`speed`]: the test's provider for what is no longer than 1,000 bytes, libdeflate beyond; to
/// decompress, the test's.
fn by_length() -> Selection {
    const LOSSES: &[Loss] = &[Loss::new(9, 1_000, 10)];
    let efforts = Efforts::NONE.with(Effort::Speed, 1_000).within(LOSSES);
    let registry = builder(vec![
        Capabilities::new(Format::Zlib, Direction::Compress).with_efforts(efforts),
        Capabilities::new(Format::Zlib, Direction::Decompress),
    ]);
    let registry = registry.provider(&provider_libdeflate::PROVIDER).build();
    let selection = { registry.unwrap() }
        .select(&speed(), &Policy::default())
        .unwrap();
    assert_eq!(selection.compress_longer.len(), 1);
    selection
}

fn compress(session: &mut dyn CompressSession, len: usize) {
    let content = vec![b'a'; len];
    session.compress(&content, &mut [0; 4_000]).unwrap();
}

/// Why each direction is in software.
fn why(registry: &Registry, spec: &Spec, policy: &Policy) -> [Option<Reason>; 2] {
    let selection = registry.select(spec, policy).unwrap();
    let options = Options::new().on_operation_error(OnFailure::Fail);
    let accelerated = Accelerated::from_selection(&selection, &Guards::new(), options).unwrap();
    Direction::BOTH.map(|direction| accelerated.unaccelerated(direction))
}

#[test]
fn a_selections_verdict_is_the_reason_of_its_operations() {
    let spec = Spec::new(Format::Zlib);
    let compress = Capabilities::new(Format::Zlib, Direction::Compress);
    let decompress = Capabilities::new(Format::Zlib, Direction::Decompress);
    let default = Policy::default();

    let both = registry(vec![compress, decompress]);
    assert_eq!(why(&both, &spec, &default), [None, None]);
    let disabled = [Some(Reason::Disabled); 2];
    assert_eq!(why(&both, &spec, &Policy::software_only()), disabled);
    let assigned = Policy::default().assign(Format::Zlib, None, "software.deflate");
    assert_eq!(why(&both, &spec, &assigned), disabled);

    let one_way = registry(vec![compress]);
    assert_eq!(why(&one_way, &spec, &default), [None, Some(Reason::Absent)]);

    let slow = compress.with_levels(LevelRange::new(1, 3, 1));
    let levels = registry(vec![slow, decompress]);
    assert_eq!(why(&levels, &spec, &default), [Some(Reason::Level), None]);

    let window = compress.with_window(32 << 10);
    let narrow = spec.clone().with_window_log(12).unwrap();
    let windows = registry(vec![window, decompress]);
    assert_eq!(
        why(&windows, &narrow, &default),
        [Some(Reason::Window), None]
    );

    for (kind, reason) in [
        (ErrorKind::Unsupported, Reason::Rejected),
        (ErrorKind::OutOfMemory, Reason::DeviceError),
    ] {
        let registry = builder_of(MakesNone(kind)).build().unwrap();
        assert_eq!(why(&registry, &spec, &default), [Some(reason); 2]);
    }
}

#[test]
fn a_provider_of_the_inner_format_accelerates_the_framed_one() {
    let registry = registry(
        Direction::BOTH
            .map(|direction| Capabilities::new(Format::DeflateRaw, direction))
            .to_vec(),
    );
    let spec = Spec::new(Format::Zlib);
    assert_eq!(why(&registry, &spec, &Policy::default()), [None, None]);
}

#[test]
fn accelerators_that_turn_up_together_are_adopted_by_length() {
    let selection = by_software();
    let accelerated =
        Accelerated::from_selection(&selection, &Guards::new(), Options::new()).unwrap();
    let mut before = accelerated.compress_session().unwrap();
    compress(&mut *before, 1_001);
    let counters = || accelerated.counters().compress;
    assert_eq!(counters().software_ops(Reason::Absent), 1);

    // Nobody turned up yet.
    accelerated.adopt(&by_software()).unwrap();
    let selection = by_length();
    accelerated.adopt(&selection).unwrap();
    let routes = || -> Vec<_> {
        { accelerated.routes(Direction::Compress) }
            .map(|route| (route.max_len, route.side.unwrap().provider))
            .collect()
    };
    let libdeflate = provider_libdeflate::PROVIDER.id;
    assert_eq!(routes(), [(1_000, ID), (usize::MAX, libdeflate)]);
    assert_eq!(accelerated.unaccelerated(Direction::Decompress), None);
    let mut after = accelerated.compress_session().unwrap();
    for len in [0, 1_000, 1_001] {
        compress(&mut *before, len);
        compress(&mut *after, len);
    }
    assert_eq!(counters().software.ops, 1);
    assert_eq!(counters().accelerated.ops, 6);

    // Whoever is there stays there.
    accelerated.adopt(&selection).unwrap();
    assert_eq!(routes(), [(1_000, ID), (usize::MAX, libdeflate)]);
}

#[test]
fn a_selection_adopted_leaves_to_software_what_a_route_gave_to_it() {
    for (selection, free) in [(by_length(), None), (by_software(), Some(Reason::Absent))] {
        let software = selection.software.clone();
        let accelerated = Accelerated::builder(software, &Guards::new())
            .routes(Direction::Compress, vec![Route::new(usize::MAX, None)])
            .build()
            .unwrap();
        accelerated.adopt(&selection).unwrap();
        let why = Direction::BOTH.map(|direction| accelerated.unaccelerated(direction));
        assert_eq!(why, [Some(Reason::Disabled), free]);
        compress(&mut *accelerated.compress_session().unwrap(), 500);
        let counters = accelerated.counters().compress;
        assert_eq!(counters.software_ops(Reason::Disabled), 1);
    }
}

//! A provider serves the same efforts as a plugin as it does linked, and at the same levels.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests stop at the first surprise"
)]

mod common;

use std::sync::LazyLock;

use common::cargo_build;
use compressor_api::{
    Direction, Effort, Format, OpenError, Policy, ProviderEntry, Registry, Spec, Verdict,
};
use compressor_conformance::data::Kind;
use compressor_plugin::load;

/// Short, the longest that libdeflate takes for short, and longer than ISA-L takes at some losses.
const LENGTHS: [usize; 3] = [1_000, 64 << 10, 100 << 10];

/// A provider linked, and as the plugin that its package makes of it.
struct Pair {
    linked: &'static ProviderEntry,
    plugin: &'static ProviderEntry,
}

impl Pair {
    fn of(linked: &'static ProviderEntry) -> Self {
        let package = format!("compressor-provider-{}", linked.id);
        let file = format!("lib{}.so", package.replace('-', "_"));
        let plugin = load(cargo_build("--package", &package, &file)).unwrap();
        Self { linked, plugin }
    }
}

static LIBDEFLATE: LazyLock<Pair> = LazyLock::new(|| Pair::of(&provider_libdeflate::PROVIDER));

/// `None` where ISA-L is not installed.
static ISAL: LazyLock<Option<Pair>> =
    LazyLock::new(
        || match registry(&[&provider_isal::PROVIDER]).open("isal") {
            Err(OpenError::Absent { why }) => {
                eprintln!("skipped: {why}");
                None
            }
            opened => opened
                .map(|_| Some(Pair::of(&provider_isal::PROVIDER)))
                .unwrap(),
        },
    );

/// Those providers beside zlib.
fn registry(entries: &[&'static ProviderEntry]) -> Registry {
    let software = Registry::builder().provider(&compressor_deflate::PROVIDER);
    let builder = entries.iter().fold(software, |b, entry| b.provider(entry));
    builder.build().unwrap()
}

/// Every effort, some stated losses, and none, at low, middle and high levels.
fn specs() -> Vec<Spec> {
    let mut specs = Vec::new();
    for format in [Format::Zlib, Format::DeflateRaw, Format::Gzip] {
        for level in [1, 6, 9] {
            let spec = Spec::new(format).with_level(level).unwrap();
            let speed = spec.clone().with_effort(Effort::Speed);
            specs.extend([0, 25].map(|percent| speed.clone().with_max_loss(percent).unwrap()));
            specs.extend(Effort::ALL.map(|effort| spec.clone().with_effort(effort)));
            specs.push(spec);
        }
    }
    specs
}

/// Asserts that both write the same units for every spec, and refuse the same.
fn assert_same_units(pair: &Pair) {
    let id = pair.linked.id.as_str();
    let [linked, plugin] = [pair.linked, pair.plugin].map(|entry| registry(&[entry]));
    let capabilities = |registry: &Registry| registry.open(id).unwrap().capabilities().to_vec();
    assert_eq!(capabilities(&plugin), capabilities(&linked));

    let content = Kind::Text.make(LENGTHS[2], 7);
    let mut served = 0;
    for spec in specs() {
        let units = |registry: &Registry| {
            let found = registry.candidate(id, &spec, Direction::Compress)?;
            let mut session = found.compressor.compress_session().unwrap();
            let units: Vec<Vec<u8>> = LENGTHS
                .into_iter()
                .filter(|len| *len <= found.capabilities.max_input)
                .map(|len| {
                    let mut unit = vec![0; 2 * len];
                    let n = session.compress(&content[..len], &mut unit).unwrap();
                    unit.truncate(n);
                    unit
                })
                .collect();
            Ok::<_, Verdict>((found.capabilities, units))
        };
        let (through_the_abi, without) = (units(&plugin), units(&linked));
        served += usize::from(spec.effort().is_some() && without.is_ok());
        assert!(through_the_abi == without, "{spec:?}");
    }
    assert!(served >= 9, "{served}");

    // What is compared would differ if the effort did not arrive.
    let spec = Spec::new(Format::Zlib);
    let unit = |spec: &Spec| {
        let found = plugin.candidate(id, spec, Direction::Compress).unwrap();
        let mut session = found.compressor.compress_session().unwrap();
        session.compress(&content[..1_000], &mut vec![0; 2_000])
    };
    let fast = spec.clone().with_effort(Effort::Speed);
    assert_ne!(unit(&fast), unit(&spec));
}

#[test]
fn of_libdeflate() {
    assert_same_units(&LIBDEFLATE);
}

#[test]
fn of_isal() {
    if let Some(pair) = &*ISAL {
        assert_same_units(pair);
    }
}

#[test]
fn the_same_ones_are_chosen_in_the_same_order() {
    let pairs: Vec<&Pair> = std::iter::once(&*LIBDEFLATE).chain(&*ISAL).collect();
    let of = |side: fn(&&Pair) -> &'static ProviderEntry| {
        registry(&pairs.iter().map(side).collect::<Vec<_>>())
    };
    let (linked, plugins) = (of(|pair| pair.linked), of(|pair| pair.plugin));
    for spec in specs() {
        let [linked, plugins] =
            [&linked, &plugins].map(|registry| registry.select(&spec, &Policy::default()).unwrap());
        assert_eq!(plugins.considered, linked.considered, "{spec:?}");
        assert!(plugins.accelerator(Direction::Compress).is_some());
    }
}

//! The suite on the decorator: an accelerator with software behind it is one provider like any
//! other, and nothing of what is proved for each of them alone may get lost.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a test may stop at the first surprise"
)]

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Error, ErrorKind, Health, Policy,
    ProviderEntry, ProviderId, Registry, Spec, self_test,
};
use compressor_conformance::{Options, Served, Subject, assert_subject_conforms, run};
use compressor_decorator::{Accelerated, Guards};

compressor_conformance::count_mallocs!();

/// The compressors that a registry's choice makes, as a provider.
struct Decorated {
    registry: Registry,
    guards: Guards,
    listed: Vec<Capabilities>,
    made: Mutex<HashMap<Spec, Arc<Accelerated>>>,
}

const ID: ProviderId = ProviderId::new("decorated");

impl Decorated {
    /// Lists what software lists: that is what it can always do.
    fn new(software: &'static ProviderEntry, accelerators: &[&'static ProviderEntry]) -> Arc<Self> {
        let builder = Registry::builder().provider(software);
        let builder = accelerators
            .iter()
            .fold(builder, |builder, entry| builder.provider(entry));
        let registry = builder.build().unwrap();
        let listed = registry
            .open(software.id.as_str())
            .unwrap()
            .capabilities()
            .to_vec();
        Arc::new(Self {
            registry,
            guards: Guards::new(),
            listed,
            made: Mutex::default(),
        })
    }

    fn served(&self) -> Served {
        let made = self.made.lock().unwrap();
        let mut served = Served::default();
        for accelerated in made.values() {
            let snapshot = accelerated.counters();
            for direction in Direction::BOTH {
                served.accelerated += snapshot.direction(direction).accelerated.ops;
                served.software += snapshot.direction(direction).software.ops;
            }
        }
        served
    }

    fn subject(self: &Arc<Self>) -> Subject {
        let counted = Arc::clone(self);
        Subject::new(Arc::clone(self) as Arc<dyn CompressorFactory>)
            .composed()
            .with_served(move || counted.served())
    }
}

impl fmt::Debug for Decorated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decorated")
            .field("registry", &self.registry)
            .finish_non_exhaustive()
    }
}

impl CompressorFactory for Decorated {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        &self.listed
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        let mut made = self.made.lock().unwrap();
        if let Some(accelerated) = made.get(spec) {
            return Ok(accelerated.clone());
        }
        let unsupported = Error::new(ErrorKind::Unsupported, ID);
        let selection = self
            .registry
            .select(spec, &Policy::default())
            .map_err(|_| unsupported)?;
        let options = compressor_decorator::Options::new();
        let accelerated = Arc::new(Accelerated::from_selection(
            &selection,
            &self.guards,
            options,
        )?);
        made.insert(spec.clone(), accelerated.clone());
        Ok(accelerated)
    }

    fn health(&self) -> Health {
        Health::Ready
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

#[test]
fn libdeflate_before_zlib_conforms_and_accelerates() {
    let decorated = Decorated::new(
        &compressor_deflate::PROVIDER,
        &[&provider_libdeflate::PROVIDER],
    );
    assert_subject_conforms(&decorated.subject(), &Options::from_env().must_accelerate());
}

#[test]
fn software_alone_conforms_and_does_not_pass_for_accelerated() {
    for software in [
        &compressor_lz4::PROVIDER,
        &compressor_snappy::PROVIDER,
        &compressor_zstd::PROVIDER,
    ] {
        let decorated = Decorated::new(software, &[]);
        assert_subject_conforms(&decorated.subject(), &Options::from_env());

        let must = Options::quick().only("accelerates").must_accelerate();
        let report = run(&decorated.subject(), &must, |_| {});
        assert!(report.failed_checks().contains("accelerates"), "{report}");
    }
}

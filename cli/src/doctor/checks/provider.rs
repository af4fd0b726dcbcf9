//! What the provider itself says, which is what counts in the end.

use compressor::{Engine, OpenError, Registry};

use crate::doctor::report::Check;

const ID: &str = "intel.qat";

/// What a registry says first of a provider that opened, and then failed its self-test.
const SELF_TEST: [&str; 2] = ["failed its self-test", "panicked in its self-test"];

/// The provider, asked once.
#[derive(Debug)]
pub enum Provider {
    /// Another system is looked at, and its libraries are not loaded here.
    NotAsked,
    /// This build does not link it, and no plugin brings it.
    NotLinked,
    /// It cannot be opened.
    NotOpened(OpenError),
    /// It can, and its self-test failed so.
    NotRight(String),
    /// Opened, and its self-test passed.
    Opened {
        /// Formats and directions that it serves, as in `zlib compress`.
        serves: Vec<String>,
        /// How it is, if it is not ready.
        not_ready: Option<String>,
        /// Of what does the work; a simulated device says so here.
        version: String,
    },
}

impl Provider {
    /// Opens it as an engine would, which tests it.
    pub fn of(engine: &Engine) -> Self {
        Self::in_registry(engine.registry())
    }

    fn in_registry(registry: &Registry) -> Self {
        if !registry.entries().any(|entry| entry.id.as_str() == ID) {
            return Self::NotLinked;
        }
        match registry.open(ID) {
            Err(OpenError::Broken { why }) if SELF_TEST.iter().any(|how| why.starts_with(how)) => {
                Self::NotRight(why)
            }
            Err(error) => Self::NotOpened(error),
            Ok(factory) => {
                let serves = factory
                    .capabilities()
                    .iter()
                    .map(|c| format!("{} {}", c.format, c.direction));
                let health = registry.health(ID);
                Self::Opened {
                    serves: serves.collect(),
                    not_ready: health
                        .filter(|health| health.why().is_some())
                        .map(|health| health.to_string()),
                    // One that panics when asked says none.
                    version: registry.version(ID).unwrap_or_default(),
                }
            }
        }
    }

    /// What it is and what came of its self-test.
    pub fn checks(&self) -> [Check; 2] {
        let skipped = |why: &str| ["probe", "self-test"].map(|name| Check::skipped(name, why));
        match self {
            Self::NotAsked => skipped("--root looks at files only"),
            Self::NotLinked => skipped("the provider intel.qat is not in this build"),
            Self::NotOpened(error) => [
                Check::failed("probe", error.to_string(), remedy(error)),
                Check::skipped("self-test", "the provider cannot be opened"),
            ],
            Self::NotRight(why) => [
                Check::ok("probe", "opened"),
                Check::failed("self-test", why.clone(), DO_NOT_USE),
            ],
            Self::Opened {
                serves,
                not_ready,
                version,
            } => {
                let serves = serves.join(", ");
                let how = not_ready.as_deref().map(|why| format!("{why}; "));
                let how = how.unwrap_or_default();
                [
                    match not_ready {
                        _ if version.contains("simulated") => Check::warning(
                            "probe",
                            format!("{version}; {how}serves {serves}"),
                            "take no figure of it for one of a device; library_path among the \
                             provider's parameters names the stand-in for QATzip",
                        ),
                        None => Check::ok("probe", format!("opened; serves {serves}")),
                        Some(why) => Check::warning(
                            "probe",
                            format!("{why}; serves {serves}"),
                            "COMPRESSOR_LOG=debug compressor list says more",
                        ),
                    },
                    Check::ok("self-test", "known answers right in every format it serves"),
                ]
            }
        }
    }
}

const DO_NOT_USE: &str =
    "do not use this device or library; COMPRESSOR_LOG=debug compressor list says more";

fn remedy(error: &OpenError) -> &'static str {
    match error {
        OpenError::Absent { .. } => {
            "the checks above say what is missing; where all of them are in order, QATzip found no \
             instance that is free (see POLICY in the qat service's configuration)"
        }
        OpenError::Misconfigured { .. } => {
            "correct the provider's parameters; `compressor list` documents them"
        }
        _ => DO_NOT_USE,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use compressor::{
        Capabilities, Compressor, CompressorFactory, Error, ErrorKind, Health, Open, Params,
        ProviderClass, ProviderEntry, ProviderId, Spec,
    };

    use super::*;
    use crate::doctor::report::State;

    fn states(provider: &Provider) -> [State; 2] {
        provider.checks().map(|check| check.state)
    }

    /// Opens, and then is wrong, or worse.
    #[derive(Debug)]
    struct Wrong {
        panics: bool,
    }

    impl CompressorFactory for Wrong {
        fn id(&self) -> ProviderId {
            ProviderId::new(ID)
        }

        fn capabilities(&self) -> &[Capabilities] {
            &[]
        }

        fn compressor(&self, _: &Spec) -> Result<Arc<dyn Compressor>, Error> {
            Err(Error::new(ErrorKind::Unsupported, self.id()))
        }

        fn health(&self) -> Health {
            Health::Ready
        }

        fn self_test(&self) -> Result<(), Error> {
            assert!(!self.panics, "a provider that panics");
            Err(Error::new(ErrorKind::Device, self.id()))
        }
    }

    struct Opens(fn() -> Result<Arc<dyn CompressorFactory>, OpenError>);

    impl Open for Opens {
        fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
            (self.0)()
        }
    }

    #[test]
    fn a_failed_self_test_is_no_failed_probe() {
        use State::{Failed, Ok, Skipped};
        static FAILS: Opens = Opens(|| Result::Ok(Arc::new(Wrong { panics: false })));
        static PANICS: Opens = Opens(|| Result::Ok(Arc::new(Wrong { panics: true })));
        static BROKEN: Opens = Opens(|| {
            Err(OpenError::Broken {
                why: "no format works".into(),
            })
        });
        let provider = |opens: &'static Opens| {
            let entry = ProviderEntry::new(
                ProviderId::new(ID),
                ProviderClass::Accelerator,
                "for this test",
                &[],
                opens,
            );
            let entry: &'static ProviderEntry = Box::leak(Box::new(entry));
            let registry = Registry::builder().provider(entry).build().unwrap();
            Provider::in_registry(&registry)
        };
        for opens in [&FAILS, &PANICS] {
            let provider = provider(opens);
            assert_eq!(states(&provider), [Ok, Failed], "{provider:?}");
            let [_, test] = provider.checks();
            assert!(test.found.contains("self-test"), "{}", test.found);
        }
        assert_eq!(states(&provider(&BROKEN)), [Failed, Skipped]);
    }

    #[test]
    fn what_the_provider_says_is_told() {
        use State::{Failed, Ok, Skipped, Warning};
        let is = |not_ready: Option<&str>, version: &str| Provider::Opened {
            serves: vec!["zlib compress".into()],
            not_ready: not_ready.map(str::to_owned),
            version: version.into(),
        };
        let opened = |not_ready| is(not_ready, "QATzip API 2.6");
        let absent = Provider::NotOpened(OpenError::Absent {
            why: "no device (-101)".into(),
        });
        assert_eq!(states(&Provider::NotAsked), [Skipped, Skipped]);
        assert_eq!(states(&Provider::NotLinked), [Skipped, Skipped]);
        assert_eq!(states(&absent), [Failed, Skipped]);
        assert_eq!(states(&opened(None)), [Ok, Ok]);
        assert_eq!(states(&opened(Some("Degraded: slow"))), [Warning, Ok]);

        let [probe, _] = is(None, "QATzip API 2.6, simulated device (qat-sim)").checks();
        assert_eq!(probe.state, Warning);
        assert!(probe.found.contains("simulated"), "{}", probe.found);

        let degraded = is(
            Some("Degraded: compress zstd"),
            "QATzip API 2.6, simulated device (qat-sim)",
        );
        let [probe, _] = degraded.checks();
        assert!(probe.found.contains("simulated"), "{}", probe.found);
        assert!(probe.found.contains("compress zstd"), "{}", probe.found);

        let [probe, _] = absent.checks();
        assert!(probe.found.contains("no device (-101)"), "{}", probe.found);
        assert!(probe.remedy.is_some());
    }
}

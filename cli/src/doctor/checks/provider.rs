//! What the provider itself says, which is what counts in the end.

use compressor::{Engine, OpenError};

use crate::doctor::report::Check;

const ID: &str = "intel.qat";

/// The provider, asked once.
#[derive(Debug)]
pub enum Provider {
    /// Another system is looked at, and its libraries are not loaded here.
    NotAsked,
    /// This build does not link it, and no plugin brings it.
    NotLinked,
    /// It cannot be opened.
    NotOpened(OpenError),
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
        let registry = engine.registry();
        if !registry.entries().any(|entry| entry.id.as_str() == ID) {
            return Self::NotLinked;
        }
        match registry.open(ID) {
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
                    version: factory.version(),
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
            Self::Opened {
                serves,
                not_ready,
                version,
            } => {
                let serves = serves.join(", ");
                [
                    match not_ready {
                        _ if version.contains("simulated") => Check::warning(
                            "probe",
                            format!("{version}; serves {serves}"),
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

fn remedy(error: &OpenError) -> &'static str {
    match error {
        OpenError::Absent { .. } => {
            "the checks above say what is missing; where all of them are in order, QATzip found no \
             instance that is free (see POLICY in the qat service's configuration)"
        }
        OpenError::Misconfigured { .. } => {
            "correct the provider's parameters; `compressor list` documents them"
        }
        _ => "do not use this device or library; COMPRESSOR_LOG=debug compressor list says more",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::report::State;

    fn states(provider: &Provider) -> [State; 2] {
        provider.checks().map(|check| check.state)
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

        let [probe, _] = absent.checks();
        assert!(probe.found.contains("no device (-101)"), "{}", probe.found);
        assert!(probe.remedy.is_some());
    }
}

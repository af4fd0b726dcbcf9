//! The providers of a host, and the ways to each: alone, and inside the decorator.

mod decorated;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use compressor::{
    CompressorFactory, Config, Engine, OpenError, ProviderClass, ProviderEntry, ProviderId,
    Registry, SetupError,
};
use compressor_plugin::PluginError;

use crate::contain::{Unanswered, asked};
use crate::matrix::Party;
use crate::subject::Subject;

pub use decorated::Decorated;

/// A provider that is listed here.
#[derive(Clone, Debug)]
pub struct Listed {
    entry: &'static ProviderEntry,
    plugin: Option<PathBuf>,
}

impl Listed {
    /// The providers that are linked into this program, `software.none` first.
    ///
    /// # Errors
    ///
    /// If they cannot be listed together.
    pub fn linked() -> Result<Vec<Self>, SetupError> {
        let engine = Engine::new()?;
        let mut linked: Vec<Self> = { engine.registry().entries() }
            .map(|entry| Self {
                entry,
                plugin: None,
            })
            .collect();
        linked.sort_by_key(|listed| (!listed.is_software(), listed.entry.id));
        Ok(linked)
    }

    /// A plugin, loaded.
    ///
    /// # Errors
    ///
    /// [`PluginError`] for one that is refused.
    pub fn plugin(path: &Path) -> Result<Self, PluginError> {
        let entry = compressor_plugin::load(path)?;
        Ok(Self {
            entry,
            plugin: Some(path.into()),
        })
    }

    /// The provider's own name.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.entry.id.as_str()
    }

    /// The plugin's path, if it is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.plugin.as_deref()
    }

    /// The name under which it is reported: a plugin may have that of a linked provider.
    #[must_use]
    pub fn name(&self) -> String {
        match self.plugin {
            Some(_) => format!("plugin:{}", self.id()),
            None => self.id().to_owned(),
        }
    }

    /// Whether it is a reference codec and no accelerator.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.entry.class == ProviderClass::Software
    }
}

/// A provider that was opened, or the reason why not.
#[derive(Clone, Debug)]
pub struct Opened {
    listed: Listed,
    state: Result<Ready, OpenError>,
}

#[derive(Clone, Debug)]
struct Ready {
    alone: Arc<dyn CompressorFactory>,
    decorated: Arc<Decorated>,
}

impl Opened {
    /// Opens and self-tests each of the providers, with the parameters that `config` has for them.
    /// One that does not answer within `deadline` is broken, its thread left behind.
    #[must_use]
    pub fn all(listed: &[Listed], config: &Config, deadline: Duration) -> Vec<Self> {
        let software: Vec<&'static ProviderEntry> = { listed.iter() }
            .filter(|listed| listed.is_software() && listed.plugin.is_none())
            .map(|listed| listed.entry)
            .collect();
        let open = |listed: &Listed| {
            let (entry, config, software) = (listed.entry, config.clone(), software.clone());
            let opened = asked(deadline, move || Ready::open(entry, &software, &config));
            let broken = |unanswered| OpenError::Broken {
                why: match unanswered {
                    Unanswered::Panicked(message) | Unanswered::Late(message) => {
                        format!("{message}, when it was opened")
                    }
                },
            };
            Self {
                listed: listed.clone(),
                state: opened.map_err(broken).and_then(|state| state),
            }
        };
        listed.iter().map(open).collect()
    }

    /// What was opened.
    #[must_use]
    pub fn listed(&self) -> &Listed {
        &self.listed
    }

    /// Why it is not open.
    #[must_use]
    pub fn error(&self) -> Option<&OpenError> {
        self.state.as_ref().err()
    }

    /// What it says of its health, or why it did not say so within `deadline`; nothing, if it is not
    /// open.
    #[must_use]
    pub fn health(&self, deadline: Duration) -> Option<String> {
        self.says(deadline, |alone| alone.health().to_string())
    }

    /// The version of what does the work, if it has one, asked for as [`health`](Self::health) is. A
    /// simulated device says there that it is one.
    #[must_use]
    pub fn version(&self, deadline: Duration) -> Option<String> {
        self.says(deadline, |alone| alone.version())
            .filter(|version| !version.is_empty())
    }

    fn says(
        &self,
        deadline: Duration,
        what: fn(&dyn CompressorFactory) -> String,
    ) -> Option<String> {
        let alone = Arc::clone(&self.state.as_ref().ok()?.alone);
        Some(match asked(deadline, move || what(&*alone)) {
            Ok(says) => says,
            Err(Unanswered::Panicked(message) | Unanswered::Late(message)) => message,
        })
    }

    /// The provider alone, and the decorator over it, by the names under which they are reported.
    /// Nobody, if it is not open.
    #[must_use]
    pub fn ways(&self) -> Vec<Way> {
        let Ok(ready) = &self.state else {
            return Vec::new();
        };
        let (name, alone, decorated) = (self.listed.name(), &ready.alone, &ready.decorated);
        let counted = Arc::clone(decorated);
        let mut ways = vec![Way {
            name: name.clone(),
            factory: Arc::clone(alone),
            subject: Subject::new(Arc::clone(alone)),
            alone: Some(self.listed.entry.id),
            accelerator: !self.listed.is_software(),
        }];
        // Nothing, where no software is linked for what it does.
        if !decorated.capabilities().is_empty() {
            let factory: Arc<dyn CompressorFactory> = Arc::clone(decorated) as _;
            ways.push(Way {
                name: format!("decorated:{name}"),
                subject: Subject::new(Arc::clone(&factory))
                    .composed()
                    .with_accelerated(decorated.accelerated().iter().copied())
                    .with_served(move || counted.served()),
                factory,
                alone: None,
                accelerator: !self.listed.is_software(),
            });
        }
        ways
    }
}

impl Ready {
    fn open(
        entry: &'static ProviderEntry,
        software: &[&'static ProviderEntry],
        config: &Config,
    ) -> Result<Self, OpenError> {
        let misconfigured = |why: String| OpenError::Misconfigured { why };
        let mut builder = Registry::builder().provider(entry);
        for other in software.iter().filter(|other| other.id != entry.id) {
            builder = builder.provider(other);
        }
        for (name, value) in config
            .providers
            .get(entry.id.as_str())
            .into_iter()
            .flatten()
        {
            builder = builder.param(entry.id.as_str(), name, value.to_string());
        }
        let registry = builder
            .build()
            .map_err(|error| misconfigured(error.to_string()))?;
        let alone = registry.open(entry.id.as_str())?;
        let decorated = Arc::new(Decorated::new(registry, entry.id.as_str()));
        Ok(Self { alone, decorated })
    }
}

/// A way to a provider.
#[derive(Clone, Debug)]
pub struct Way {
    /// The name under which it is reported, without blanks.
    pub name: String,
    /// Whether an accelerator is to serve.
    pub accelerator: bool,
    factory: Arc<dyn CompressorFactory>,
    subject: Subject,
    /// The provider's own name, where nothing else is at work.
    alone: Option<ProviderId>,
}

impl Way {
    /// What the suite runs on, cross-checked with software that is not what is proved.
    #[must_use]
    pub fn subject(&self, all: &[Opened]) -> Subject {
        let mut references: Vec<&Opened> = { all.iter() }
            .filter(|opened| opened.listed.plugin.is_none())
            .collect();
        references.sort_by_key(|opened| !opened.listed.is_software());
        { references.into_iter() }
            .filter(|opened| Some(opened.listed.entry.id) != self.alone)
            .filter_map(|opened| opened.state.as_ref().ok())
            .fold(self.subject.clone(), |subject, ready| {
                subject.with_reference(Arc::clone(&ready.alone))
            })
    }

    /// Whether it is the decorator.
    #[must_use]
    pub fn is_decorated(&self) -> bool {
        self.subject.is_composed()
    }

    /// What takes part in the matrix.
    #[must_use]
    pub fn party(&self) -> Party {
        Party::new(&self.name, Arc::clone(&self.factory))
    }
}

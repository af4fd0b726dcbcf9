use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use compressor_api::{
    Compressor, Direction, OpenError, Policy, Registry, RegistryBuilder, RegistryError,
    SelectError, Selection, Spec,
};
use compressor_decorator::{Accelerated, Guards, Options, Route, Workers};

use crate::{Calibration, CalibrationError, Config, ConfigError, LINKED, Sample};

/// The providers of a program, how they are chosen, and what is known of their health.
///
/// One for a process is usual: the breakers and in-flight limits of its accelerators are shared by
/// all compressors made from it.
#[derive(Debug)]
pub struct Engine {
    registry: Registry,
    policy: Policy,
    options: Options,
    guards: Guards,
    workers: Option<Workers>,
    calibration: Option<Result<Calibration, CalibrationError>>,
    made: Mutex<Vec<Weak<Accelerated>>>,
}

impl Engine {
    /// All linked providers, and the default policy: whatever accelerates, software behind it.
    ///
    /// # Errors
    ///
    /// As [`EngineBuilder::build`].
    pub fn new() -> Result<Self, SetupError> {
        Self::builder().build()
    }

    /// All linked providers, set up from `COMPRESSOR_*` variables and the file they name.
    ///
    /// # Errors
    ///
    /// [`SetupError::Config`], and as [`EngineBuilder::build`].
    pub fn from_env() -> Result<Self, SetupError> {
        Self::builder().config(&Config::from_env()?)?.build()
    }

    /// To be set up by hand; starts with all linked providers and the default policy.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        let linked = LINKED
            .iter()
            .fold(Registry::builder(), |builder, e| builder.provider(e));
        EngineBuilder {
            // What the application links besides, and submits.
            registry: linked.submitted(),
            policy: Policy::default(),
            options: Options::default(),
            batch_threads: 0,
            calibration: None,
            configured: Vec::new(),
        }
    }

    /// The providers.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// How they are chosen.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Breakers, in-flight limits and quarantine, by provider and direction.
    #[must_use]
    pub fn guards(&self) -> &Guards {
        &self.guards
    }

    /// Who would serve `spec`, and why nobody else.
    ///
    /// # Errors
    ///
    /// As [`Registry::select`].
    pub fn select(&self, spec: &Spec) -> Result<Selection, SelectError> {
        self.registry.select(spec, &self.policy)
    }

    /// What was measured on this host, if the engine was given it and it holds.
    #[must_use]
    pub fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()?.as_ref().ok()
    }

    /// Why the engine does not follow the calibration that it was given: it is not there, not one, or
    /// stale. Then it chooses by priority, as without one.
    #[must_use]
    pub fn calibration_error(&self) -> Option<&CalibrationError> {
        self.calibration.as_ref()?.as_ref().err()
    }

    /// Who serves a direction of what was [selected](Self::select) because it was measured, by the
    /// length of the content; `None` if priority decides.
    #[must_use]
    pub fn measured_routes(
        &self,
        selection: &Selection,
        direction: Direction,
    ) -> Option<Vec<Route>> {
        let calibration = self.calibration()?;
        calibration.routes(&selection.spec, direction, &self.policy, &self.registry)
    }

    /// Measures who is fastest at each of `specs`, by direction and length of content; decompression
    /// once for each format. Opens every accelerator. For a few specs it takes less than a second of a
    /// CPU that has nothing else to do; more for many, for each provider does its first blocks and an
    /// exchange of known answers with software however long they take.
    ///
    /// The engine itself goes on as before: [save](Calibration::save) the result, or build an engine
    /// [with it](EngineBuilder::calibration).
    ///
    /// # Errors
    ///
    /// [`CalibrationError::Select`] for a spec that nobody can serve.
    pub fn calibrate(
        &self,
        sample: &Sample,
        specs: &[Spec],
    ) -> Result<Calibration, CalibrationError> {
        Calibration::measure(&self.registry, &self.policy, sample, specs)
    }

    /// A compressor for `spec`: the accelerators that were chosen, with software behind them.
    ///
    /// Chosen by what was measured where there is a [calibration](Self::calibration) for the spec, else
    /// as [`select`](Self::select) says.
    ///
    /// # Errors
    ///
    /// As [`Registry::select`].
    pub fn compressor(&self, spec: &Spec) -> Result<Arc<Accelerated>, SelectError> {
        let selection = self.select(spec)?;
        let options = self
            .options
            .on_operation_error(self.policy.on_operation_error);
        let mut builder =
            Accelerated::builder(selection.software.clone(), &self.guards).options(options);
        for direction in Direction::BOTH {
            builder = match self.measured_routes(&selection, direction) {
                Some(routes) => builder.routes(direction, routes),
                None => builder.selected(&selection, direction),
            };
        }
        if let Some(workers) = &self.workers {
            builder = builder.workers(workers.clone());
        }
        let made = builder
            .build()
            .map_err(|error| SelectError::Unfit { error })?;
        let made = Arc::new(made);
        let mut all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|compressor| compressor.strong_count() > 0);
        all.push(Arc::downgrade(&made));
        Ok(made)
    }

    /// Looks again for providers that were not there, and gives those that are now to every
    /// compressor made before; sessions in use take them up at their next operation. What a
    /// [calibration](Self::calibration) gave to software stays with it.
    ///
    /// Opens libraries and probes devices, so it is for a timer or an operator, not for the path of
    /// an operation.
    pub fn reprobe(&self) {
        for entry in self.registry.entries() {
            // Still absent is normal; what came of it shows in the selections below.
            let _ = self.registry.reprobe(entry.id.as_str());
        }
        let made: Vec<Arc<Accelerated>> = {
            let all = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter().filter_map(Weak::upgrade).collect()
        };
        for accelerated in made {
            if let Ok(selection) = self.select(accelerated.spec()) {
                // Software goes on where this fails; the decorator logs why.
                let _ = accelerated.adopt(&selection);
            }
        }
    }
}

/// Sets up an [`Engine`].
#[derive(Debug)]
pub struct EngineBuilder {
    registry: RegistryBuilder,
    policy: Policy,
    options: Options,
    batch_threads: usize,
    calibration: Option<Measured>,
    /// Providers that were given parameters.
    configured: Vec<String>,
}

impl EngineBuilder {
    /// Takes policy, verification and provider parameters from a [`Config`].
    ///
    /// # Errors
    ///
    /// [`SetupError::Config`].
    pub fn config(mut self, config: &Config) -> Result<Self, SetupError> {
        self.policy = config.policy()?;
        self.options = self.options.verify(config.verify.verify());
        self.batch_threads = config.batch_threads.into();
        if let Some(path) = &config.calibration {
            self.calibration = Some(Measured::At(path.clone()));
        }
        self.configured.extend(config.providers.keys().cloned());
        for (provider, params) in &config.providers {
            for (name, value) in params {
                self.registry = self.registry.param(provider, name, value.to_string());
            }
        }
        Ok(self)
    }

    /// Adds a provider that is not linked by a feature.
    #[must_use]
    pub fn provider(mut self, entry: &'static compressor_api::ProviderEntry) -> Self {
        self.registry = self.registry.provider(entry);
        self
    }

    /// Chooses by another policy.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Trusts accelerators by other options; what the policy says of operation errors stands.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Follows what was measured on this host.
    #[must_use]
    pub fn calibration(mut self, calibration: Calibration) -> Self {
        self.calibration = Some(Measured::Here(Box::new(calibration)));
        self
    }

    /// Follows what was measured on this host and [saved](Calibration::save) in a file.
    ///
    /// A file that is not there, is not one, or was measured on another CPU, by another release or
    /// with other providers is left alone, with a log event: the engine then chooses by priority, and
    /// [`Engine::calibration_error`] says why.
    #[must_use]
    pub fn calibration_file(mut self, path: &Path) -> Self {
        self.calibration = Some(Measured::At(path.into()));
        self
    }

    /// Spreads batches ([`compress_many`] and [`decompress_many`]) over so many threads, which all
    /// compressors of the engine share; with 0 or 1, as by default, the caller's thread does them.
    ///
    /// Results stay with their jobs, each as if it had been alone. A session holds one more working
    /// area for each further thread, from its first batch of 64 KiB or more on; after that nothing is
    /// allocated per job.
    ///
    /// [`compress_many`]: compressor_api::CompressSession::compress_many
    /// [`decompress_many`]: compressor_api::DecompressSession::decompress_many
    #[must_use]
    pub fn batch_threads(mut self, count: usize) -> Self {
        self.batch_threads = count;
        self
    }

    /// The engine. Of its providers those are opened that were given parameters, so that a parameter
    /// which cannot be stops start-up, whether or not the provider would be chosen; one that is merely
    /// absent does not. With a calibration every accelerator is opened, for it holds only where they
    /// are those that were measured.
    ///
    /// # Errors
    ///
    /// [`SetupError::Registry`], [`SetupError::Policy`], [`SetupError::Misconfigured`],
    /// [`SetupError::Threads`].
    pub fn build(self) -> Result<Engine, SetupError> {
        let registry = self.registry.build()?;
        registry.check(&self.policy).map_err(SetupError::Policy)?;
        for provider in self.configured {
            if let Err(error @ OpenError::Misconfigured { .. }) = registry.open(&provider) {
                return Err(SetupError::Misconfigured { provider, error });
            }
        }
        let calibration = self.calibration.map(|measured| measured.checked(&registry));
        if let Some(Err(error)) = &calibration {
            tracing::warn!("{error}; providers are chosen by priority");
        }
        let workers = NonZeroUsize::new(self.batch_threads)
            .filter(|count| count.get() > 1)
            .map(|count| {
                Workers::new(count).map_err(|error| SetupError::Threads {
                    count: count.get(),
                    why: error.to_string(),
                })
            })
            .transpose()?;
        Ok(Engine {
            registry,
            policy: self.policy,
            options: self.options,
            guards: Guards::default(),
            workers,
            calibration,
            made: Mutex::default(),
        })
    }
}

/// A calibration, or where there is one.
#[derive(Debug)]
enum Measured {
    Here(Box<Calibration>),
    At(PathBuf),
}

impl Measured {
    /// What is to be followed.
    fn checked(self, registry: &Registry) -> Result<Calibration, CalibrationError> {
        match self {
            Self::Here(calibration) => calibration.check(registry).map(|()| *calibration),
            Self::At(path) => Calibration::load_checked(&path, registry),
        }
    }
}

/// Why an [`Engine`] cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetupError {
    /// The configuration is wrong.
    Config(ConfigError),
    /// The providers cannot be listed as they are.
    Registry(RegistryError),
    /// The policy names a provider that is not registered, or states a loss above 100 %.
    Policy(SelectError),
    /// A provider cannot work with the parameters that it was given.
    Misconfigured {
        /// The provider.
        provider: String,
        /// What it says.
        error: OpenError,
    },
    /// The threads for batches cannot be started.
    Threads {
        /// How many were asked for.
        count: usize,
        /// What the system says.
        why: String,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Registry(error) => error.fmt(f),
            Self::Policy(error) => error.fmt(f),
            Self::Misconfigured { provider, error } => write!(f, "{provider}: {error}"),
            Self::Threads { count, why } => {
                write!(f, "cannot start {count} threads for batches: {why}")
            }
        }
    }
}

impl std::error::Error for SetupError {}

impl From<ConfigError> for SetupError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<RegistryError> for SetupError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

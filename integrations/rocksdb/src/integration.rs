use std::fmt;
use std::sync::Arc;

use compressor::decorator::{Guards, Options};
use compressor::{Accelerated, Engine, Policy, Registry, SelectError};

use crate::manager::{Manager, Source};
use crate::{Report, ffi};

/// Lets `engine` compress and decompress for databases that are opened with `options` from now on.
///
/// For each column family that is opened with options of its own, use [`Handle::install`] on them.
///
/// # Errors
///
/// As [`Integration::install`].
pub fn install(
    options: &mut rocksdb::Options,
    engine: &Arc<Engine>,
) -> Result<Handle, InstallError> {
    Integration::new(engine.clone()).install(options)
}

/// What is to be installed: who compresses, and how.
#[derive(Clone, Debug)]
pub struct Integration {
    source: Source,
}

impl Integration {
    /// The providers, policy and health of an engine.
    #[must_use]
    pub fn new(engine: Arc<Engine>) -> Self {
        Self {
            source: Source::Engine(engine),
        }
    }

    /// Providers and a policy without an engine; what is known of their health is this
    /// integration's own. As in an engine, what the policy says of operation errors stands above
    /// the options.
    #[must_use]
    pub fn from_registry(registry: Arc<Registry>, policy: Policy, options: Options) -> Self {
        let guards = Guards::new();
        Self {
            source: Source::Registry {
                registry,
                policy,
                options,
                guards,
            },
        }
    }

    /// Makes the compressors that read, and installs a compression manager in `options`. One that
    /// was there before is replaced.
    ///
    /// # Errors
    ///
    /// - [`InstallError::Select`]: a format cannot be served as the policy says.
    /// - [`InstallError::OutOfMemory`].
    pub fn install(self, options: &mut rocksdb::Options) -> Result<Handle, InstallError> {
        let manager = Manager::new(self.source).map_err(InstallError::Select)?;
        let handle = Handle {
            manager: Arc::new(manager),
        };
        handle.install(options)?;
        Ok(handle)
    }
}

/// A hold on what was installed: counters while the database runs, and the same for more options.
///
/// Dropping it changes nothing: the options and the databases opened with them keep it alive.
#[derive(Clone, Debug)]
pub struct Handle {
    manager: Arc<Manager>,
}

impl Handle {
    /// Installs the same in the options of another column family or database. They share sessions
    /// and counters.
    ///
    /// # Errors
    ///
    /// [`InstallError::OutOfMemory`].
    pub fn install(&self, options: &mut rocksdb::Options) -> Result<(), InstallError> {
        if ffi::install(options, self.manager.clone()) {
            Ok(())
        } else {
            Err(InstallError::OutOfMemory)
        }
    }

    /// The compressors in use: one per format, which reads all of it and writes what has the usual
    /// options, and one per other choice of options that tables were written with so far.
    #[must_use]
    pub fn compressors(&self) -> Vec<Arc<Accelerated>> {
        self.manager.compressors()
    }

    /// What was compressed and decompressed so far, by whom, with RocksDB's own numbers beside if
    /// `options` (those of the open database) record them.
    #[must_use]
    pub fn report(&self, options: &rocksdb::Options) -> Report {
        Report::new(&self.compressors(), options)
    }
}

/// Why nothing was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstallError {
    /// A format cannot be served as the policy says.
    Select(SelectError),
    /// Memory could not be had.
    OutOfMemory,
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Select(error) => error.fmt(f),
            Self::OutOfMemory => f.write_str("OutOfMemory: no compression manager can be made"),
        }
    }
}

impl std::error::Error for InstallError {}

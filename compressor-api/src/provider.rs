use std::fmt;
use std::sync::Arc;

use crate::{CompressorFactory, Format, ParamError, ParamSpec, Params};

/// The name of a provider: `software.lz4`, `libdeflate`, `intel.qat`.
///
/// Lower-case letters, digits, `.` and `-`. `'static`, so that it can travel in every error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProviderId(&'static str);

impl ProviderId {
    /// The provider of this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Whether the name is made of the letters a name may have, and of at least one.
    #[must_use]
    pub fn is_well_formed(self) -> bool {
        !self.0.is_empty()
            && self
                .0
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.' || b == b'-')
    }
}

impl fmt::Debug for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

/// What a provider is to the choice among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProviderClass {
    /// The reference codec of its formats: what everything falls back to.
    Software,
    /// Tried before software.
    Accelerator,
}

/// Opens a provider: loads its library, probes its device.
///
/// Implemented on a unit struct, whose reference goes into the [`ProviderEntry`].
pub trait Open: Send + Sync {
    /// The opened provider.
    ///
    /// Called with parameters that were checked against [`ProviderEntry::params`]. The probe is a
    /// real operation: a provider that opens is one that works.
    ///
    /// # Errors
    ///
    /// [`OpenError`].
    fn open(&self, params: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError>;
}

/// Why a provider could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// No device, no library. Normal, and quiet: the names that were tried are in `why`.
    Absent {
        /// What was looked for, and where.
        why: String,
    },
    /// Asked for something that cannot be; stops start-up.
    Misconfigured {
        /// What is wrong with the configuration.
        why: String,
    },
    /// There, but does not work.
    Broken {
        /// What failed.
        why: String,
    },
}

impl OpenError {
    /// The name of the state it leaves the provider in.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Absent { .. } => "Absent",
            Self::Misconfigured { .. } => "Misconfigured",
            Self::Broken { .. } => "Broken",
        }
    }

    /// The reason alone.
    #[must_use]
    pub fn why(&self) -> &str {
        match self {
            Self::Absent { why } | Self::Misconfigured { why } | Self::Broken { why } => why,
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.why())
    }
}

impl std::error::Error for OpenError {}

impl From<ParamError> for OpenError {
    fn from(error: ParamError) -> Self {
        Self::Misconfigured {
            why: error.to_string(),
        }
    }
}

/// A provider as listed: a `static` that costs nothing and loads nothing.
///
/// ```
/// # use std::sync::Arc;
/// use compressor_api::{
///     CompressorFactory, Format, Open, OpenError, Params, ProviderClass, ProviderEntry, ProviderId,
/// };
///
/// #[derive(Debug)]
/// struct OpenNothing;
///
/// impl Open for OpenNothing {
///     fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
///         Err(OpenError::Absent { why: "there is no device".into() })
///     }
/// }
///
/// pub static PROVIDER: ProviderEntry = ProviderEntry::new(
///     ProviderId::new("example.nothing"),
///     ProviderClass::Accelerator,
///     "Looks for a device that does not exist",
///     &[Format::Zlib],
///     &OpenNothing,
/// );
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ProviderEntry {
    /// The name, unique among the providers of a process.
    pub id: ProviderId,
    /// Software or accelerator.
    pub class: ProviderClass,
    /// One line for people.
    pub description: &'static str,
    /// The formats that the opened provider may list, so that it is opened only for those.
    pub formats: &'static [Format],
    /// Greater is tried first; ties go by name. Software is −1, an accelerator 0 unless it says
    /// otherwise.
    pub priority: i16,
    /// The parameters it takes.
    pub params: &'static [ParamSpec],
    /// Opens it.
    pub opener: &'static dyn Open,
}

impl ProviderEntry {
    /// An entry with the priority of its class and no parameters.
    #[must_use]
    pub const fn new(
        id: ProviderId,
        class: ProviderClass,
        description: &'static str,
        formats: &'static [Format],
        opener: &'static dyn Open,
    ) -> Self {
        let priority = match class {
            ProviderClass::Software => -1,
            ProviderClass::Accelerator => 0,
        };
        Self {
            id,
            class,
            description,
            formats,
            priority,
            params: &[],
            opener,
        }
    }

    /// The same with another priority.
    #[must_use]
    pub const fn with_priority(mut self, priority: i16) -> Self {
        self.priority = priority;
        self
    }

    /// The same with parameters.
    #[must_use]
    pub const fn with_params(mut self, params: &'static [ParamSpec]) -> Self {
        self.params = params;
        self
    }

    /// Whether it may serve `format`, by itself or from the format inside its frame.
    pub(crate) fn may_serve(&self, format: Format) -> bool {
        self.formats
            .iter()
            .any(|listed| *listed == format || Some(*listed) == format.inner())
    }
}

impl fmt::Debug for ProviderEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderEntry")
            .field("id", &self.id)
            .field("class", &self.class)
            .field("formats", &self.formats)
            .field("priority", &self.priority)
            .finish_non_exhaustive()
    }
}

/// An entry that [`submit_provider!`](crate::submit_provider) listed.
#[doc(hidden)]
#[derive(Debug)]
pub struct Submitted(pub &'static ProviderEntry);

inventory::collect!(Submitted);

/// Lists a `static` [`ProviderEntry`] for [`RegistryBuilder::submitted`].
///
/// Sugar over [`RegistryBuilder::provider`]: it works only while something else references the
/// crate, or the linker drops both.
///
/// [`RegistryBuilder::submitted`]: crate::RegistryBuilder::submitted
/// [`RegistryBuilder::provider`]: crate::RegistryBuilder::provider
#[macro_export]
macro_rules! submit_provider {
    ($entry:path) => {
        $crate::__private::inventory::submit! { $crate::__private::Submitted(&$entry) }
    };
}

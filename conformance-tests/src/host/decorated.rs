use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use compressor::decorator::{Guards, Options};
use compressor::{
    Accelerated, Capabilities, Compressor, CompressorFactory, Direction, Error, ErrorKind, Format,
    Health, Policy, ProviderId, Registry, Spec, self_test,
};

use crate::subject::Served;

/// What an engine gets: the compressors that a registry's choice makes, as one provider.
pub struct Decorated {
    registry: Registry,
    policy: Policy,
    guards: Guards,
    listed: Vec<Capabilities>,
    accelerated: Vec<Capabilities>,
    made: Mutex<HashMap<Spec, Arc<Accelerated>>>,
}

const ID: ProviderId = ProviderId::new("decorated");

impl Decorated {
    /// A decorator that prefers `provider` among those of the registry.
    ///
    /// Lists what software can do, because that is what it can always do, in the formats that
    /// `provider` serves, by itself or inside their frame.
    #[must_use]
    pub fn new(registry: Registry, provider: &str) -> Self {
        let opened = registry.open(provider);
        let serves: Vec<Capabilities> = { opened.iter() }
            .flat_map(|factory| factory.capabilities())
            .copied()
            .collect();
        let listed: Vec<Capabilities> = software(&registry)
            .flat_map(|factory| factory.capabilities().to_vec())
            .filter(|listed| {
                let mut both = Direction::BOTH.into_iter();
                both.any(|direction| served(&serves, listed.format, direction).is_some())
            })
            .collect();
        let accelerated = { listed.iter() }
            .filter_map(|listed| served(&serves, listed.format, listed.direction))
            .collect();
        Self {
            policy: Policy::default().prefer(provider),
            guards: Guards::new(),
            listed,
            accelerated,
            made: Mutex::default(),
            registry,
        }
    }

    /// What `provider` does of what is listed, and within which limits.
    #[must_use]
    pub fn accelerated(&self) -> &[Capabilities] {
        &self.accelerated
    }

    /// Operations so far, by who served them.
    #[must_use]
    pub fn served(&self) -> Served {
        let mut served = Served::default();
        for accelerated in self.made().values() {
            let snapshot = accelerated.counters();
            for direction in Direction::BOTH {
                served.accelerated += snapshot.direction(direction).accelerated.ops;
                served.software += snapshot.direction(direction).software.ops;
            }
        }
        served
    }

    fn made(&self) -> MutexGuard<'_, HashMap<Spec, Arc<Accelerated>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of the longest frame around an inner format, which is gzip's of this workspace.
const FRAME: usize = 18;

/// What a provider does of a format, by itself or inside the format's frame. Limits of units are then
/// those with the longest frame: a unit within them lies within the provider's, whatever its frame is.
fn served(serves: &[Capabilities], format: Format, direction: Direction) -> Option<Capabilities> {
    let find = |format: Format| {
        let mut all = serves.iter().copied();
        all.find(|one| (one.format, one.direction) == (format, direction))
    };
    find(format).or_else(|| {
        let mut inner = find(format.inner()?)?;
        inner.format = format;
        if direction == Direction::Decompress {
            inner.min_input = inner.min_input.saturating_add(FRAME);
        }
        Some(inner)
    })
}

/// The software codecs of a registry.
fn software(registry: &Registry) -> impl Iterator<Item = Arc<dyn CompressorFactory>> {
    { registry.entries() }
        .filter(|entry| entry.class == compressor::ProviderClass::Software)
        .filter_map(|entry| registry.open(entry.id.as_str()).ok())
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
        let mut made = self.made();
        if let Some(accelerated) = made.get(spec) {
            return Ok(accelerated.clone());
        }
        let unsupported = Error::new(ErrorKind::Unsupported, ID);
        if !self.listed.iter().any(|c| c.format == spec.format()) {
            return Err(unsupported);
        }
        let selection = self
            .registry
            .select(spec, &self.policy)
            .map_err(|_| unsupported)?;
        let accelerated = Arc::new(Accelerated::from_selection(
            &selection,
            &self.guards,
            Options::new(),
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

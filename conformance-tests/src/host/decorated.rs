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
    accelerated: Vec<(Format, Direction)>,
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
        let serves: Vec<(Format, Direction)> = { opened.iter() }
            .flat_map(|factory| factory.capabilities())
            .map(|listed| (listed.format, listed.direction))
            .collect();
        let is_served = |format: Format| {
            let or_inner = [Some(format), format.inner()];
            move |(served, _): &&(Format, Direction)| or_inner.contains(&Some(*served))
        };
        let listed: Vec<Capabilities> = software(&registry)
            .flat_map(|factory| factory.capabilities().to_vec())
            .filter(|listed| serves.iter().any(|one| is_served(listed.format)(&one)))
            .collect();
        let mut accelerated: Vec<(Format, Direction)> = { listed.iter() }
            .flat_map(|listed| {
                let served = serves.iter().filter(is_served(listed.format));
                served.map(|(_, direction)| (listed.format, *direction))
            })
            .collect();
        accelerated.sort_unstable();
        accelerated.dedup();
        Self {
            policy: Policy::default().prefer(provider),
            guards: Guards::new(),
            listed,
            accelerated,
            made: Mutex::default(),
            registry,
        }
    }

    /// What `provider` does of what is listed.
    #[must_use]
    pub fn accelerated(&self) -> &[(Format, Direction)] {
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

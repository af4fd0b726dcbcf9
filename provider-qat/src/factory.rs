use std::sync::Arc;

use compressor_api::{
    Capabilities, Compressor, CompressorFactory, Direction, Error, ErrorKind, Health, OpenError,
    ProviderId, Spec, self_test,
};

use crate::ID;
use crate::compressor::Qat;
use crate::device::Device;
use crate::probe;
use crate::settings::Settings;
use crate::ways::Way;

/// A format and direction that the device serves, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Service {
    pub(crate) capabilities: Capabilities,
    pub(crate) way: Way,
}

#[derive(Debug)]
pub(crate) struct Factory {
    device: &'static Device,
    settings: Arc<Settings>,
    services: Vec<Service>,
    capabilities: Vec<Capabilities>,
    health: Health,
}

impl Factory {
    /// What the device turns out to do.
    ///
    /// # Errors
    ///
    /// [`OpenError::Broken`] if it does nothing.
    pub(crate) fn new(device: &'static Device, settings: Settings) -> Result<Self, OpenError> {
        let found = probe::probe(device, &settings)?;
        Ok(Self {
            device,
            settings: Arc::new(settings),
            capabilities: found.services.iter().map(|s| s.capabilities).collect(),
            services: found.services,
            health: match found.failed.as_slice() {
                [] => Health::Ready,
                failed => Health::Degraded {
                    why: failed.join(", ").into(),
                },
            },
        })
    }

    fn service(&self, spec: &Spec, direction: Direction) -> Option<&Service> {
        self.services.iter().find(|service| {
            let listed = &service.capabilities;
            listed.format == spec.format()
                && listed.direction == direction
                && listed.shortfall(spec).is_none()
        })
    }
}

impl CompressorFactory for Factory {
    fn id(&self) -> ProviderId {
        ID
    }

    fn capabilities(&self) -> &[Capabilities] {
        &self.capabilities
    }

    fn compressor(&self, spec: &Spec) -> Result<Arc<dyn Compressor>, Error> {
        let services = Direction::BOTH.map(|direction| self.service(spec, direction));
        if services.iter().all(Option::is_none) {
            return Err(Error::new(ErrorKind::Unsupported, ID));
        }
        let compressor = Qat::new(self.device, &self.settings, spec, services);
        Ok(Arc::new(compressor))
    }

    /// The API of the library, and what it calls itself where it stands in for a device.
    fn version(&self) -> String {
        let library = self.device.library;
        let stand_in = library.stand_in().map(|name| format!(", {name}"));
        format!(
            "QATzip API {}{}",
            library.api(),
            stand_in.unwrap_or_default()
        )
    }

    fn health(&self) -> Health {
        self.health.clone()
    }

    fn self_test(&self) -> Result<(), Error> {
        self_test::known_answers(self)
    }
}

use std::sync::Arc;

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Effective, EffectiveSide, Error,
    ErrorKind, Spec, inspect,
};

use crate::ID;
use crate::compress::Compress;
use crate::decompress::Decompress;
use crate::device::Device;
use crate::factory::Service;
use crate::hardware::device_level;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::ways::max_compressed_len;

/// QATzip at work on one spec.
#[derive(Debug)]
pub(crate) struct Qat {
    device: &'static Device,
    spec: Spec,
    effective: Effective,
    compress: Option<Plan>,
    decompress: Option<Plan>,
}

impl Qat {
    /// For the directions that `services` cover.
    pub(crate) fn new(
        device: &'static Device,
        settings: &Arc<Settings>,
        spec: &Spec,
        services: [Option<&Service>; 2],
    ) -> Self {
        let [compress, decompress] = services.map(|service| {
            service.map(|service| {
                let listed = &service.capabilities;
                let plan = Plan::new(spec, listed, service.way, settings);
                let level = match (listed.direction, device.generation) {
                    (Direction::Compress, Some(generation)) => device_level(generation, plan.level),
                    _ => plan.level,
                };
                (plan, EffectiveSide::new(ID, level as i32, listed.window))
            })
        });
        Self {
            device,
            spec: spec.clone(),
            effective: Effective::new(
                compress.map(|(_, side)| side),
                decompress.map(|(_, side)| side),
            ),
            compress: compress.map(|(plan, _)| plan),
            decompress: decompress.map(|(plan, _)| plan),
        }
    }
}

impl Compressor for Qat {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn effective(&self) -> &Effective {
        &self.effective
    }

    /// Shorter content than the device takes has a bound as well: it is known what it would be.
    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        let plan = self.compress?;
        (src_len <= plan.longest).then(|| max_compressed_len(plan.way, src_len))
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        inspect::header(self.spec.format(), src)
            .map(|header| header.declared_len)
            .map_err(|malformed| malformed.error(ID))
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        let plan = self
            .compress
            .ok_or(Error::new(ErrorKind::Unsupported, ID))?;
        Ok(Box::new(Compress::new(self.device, plan)?))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        let plan = self.decompress;
        let plan = plan.ok_or(Error::new(ErrorKind::Unsupported, ID))?;
        Ok(Box::new(Decompress::new(self.device, plan)?))
    }
}

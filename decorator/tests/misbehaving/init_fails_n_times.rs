use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use compressor_api::{CompressorFactory, Open, OpenError, Params};

use super::{Behaves, factory};

/// Cannot be opened a number of times; then it can, and works.
#[derive(Debug)]
pub struct InitFailsNTimes {
    left: AtomicU32,
    codec: fn() -> Arc<dyn CompressorFactory>,
}

impl InitFailsNTimes {
    pub fn new(times: u32, codec: fn() -> Arc<dyn CompressorFactory>) -> Self {
        Self {
            left: AtomicU32::new(times),
            codec,
        }
    }
}

impl Open for InitFailsNTimes {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        let one_less = |left: u32| left.checked_sub(1);
        match self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
        {
            Ok(_) => Err(OpenError::Broken {
                why: "the driver is not ready".into(),
            }),
            Err(_) => Ok(factory(Arc::new(Behaves), (self.codec)(), None)),
        }
    }
}

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use compressor_api::{CompressorFactory, Open, OpenError, Params};

use super::{Behaves, factory};

/// Is not there when the process starts, and turns up later.
#[derive(Debug)]
pub struct LateDevice {
    pub present: AtomicBool,
    codec: fn() -> Arc<dyn CompressorFactory>,
}

impl LateDevice {
    pub fn new(codec: fn() -> Arc<dyn CompressorFactory>) -> Self {
        Self {
            present: AtomicBool::new(false),
            codec,
        }
    }
}

impl Open for LateDevice {
    fn open(&self, _: &Params) -> Result<Arc<dyn CompressorFactory>, OpenError> {
        if self.present.load(Ordering::Relaxed) {
            Ok(factory(Arc::new(Behaves), (self.codec)(), None))
        } else {
            Err(OpenError::Absent {
                why: "no device node".into(),
            })
        }
    }
}

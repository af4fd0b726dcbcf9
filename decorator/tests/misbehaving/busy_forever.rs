use std::sync::atomic::{AtomicU64, Ordering};

use compressor_api::{Error, ErrorKind};

use super::{Codec, Misbehaviour, error};

/// Is always busy; counts how often it is asked.
#[derive(Debug, Default)]
pub struct BusyForever {
    pub attempts: AtomicU64,
}

impl Misbehaviour for BusyForever {
    fn operate(&self, _: Codec<'_>, _: &mut [u8]) -> Result<usize, Error> {
        self.attempts.fetch_add(1, Ordering::Relaxed);
        Err(error(ErrorKind::Busy))
    }
}

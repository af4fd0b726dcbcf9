use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind, Spec};

use super::{Misbehaviour, error};
use std::sync::atomic::{AtomicU64, Ordering};

/// Is always busy; counts how often it is asked.
#[derive(Debug, Default)]
pub struct BusyForever {
    pub attempts: AtomicU64,
}

impl BusyForever {
    fn busy(&self) -> Result<usize, Error> {
        self.attempts.fetch_add(1, Ordering::Relaxed);
        Err(error(ErrorKind::Busy))
    }
}

impl Misbehaviour for BusyForever {
    fn compress(
        &self,
        _: &mut dyn CompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        self.busy()
    }

    fn decompress(
        &self,
        _: &mut dyn DecompressSession,
        _: &Spec,
        _: &[u8],
        _: &mut [u8],
    ) -> Result<usize, Error> {
        self.busy()
    }
}

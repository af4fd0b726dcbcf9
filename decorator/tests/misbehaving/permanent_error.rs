use std::sync::atomic::{AtomicU64, Ordering};

use compressor_api::Error;

use super::{Codec, Misbehaviour};

/// Answers with the same error for ever, or until it is mended; counts how often it is asked.
#[derive(Debug)]
pub struct PermanentError {
    error: Error,
    pub attempts: AtomicU64,
    /// Answers that are errors before it is mended.
    left: AtomicU64,
}

impl PermanentError {
    pub fn new(error: Error) -> Self {
        Self::mended_after(error, u64::MAX)
    }

    /// Works after so many errors.
    pub fn mended_after(error: Error, errors: u64) -> Self {
        Self {
            error,
            attempts: AtomicU64::new(0),
            left: AtomicU64::new(errors),
        }
    }

    /// Works from now on.
    pub fn mend(&self) {
        self.left.store(0, Ordering::Relaxed);
    }
}

impl Misbehaviour for PermanentError {
    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        self.attempts.fetch_add(1, Ordering::Relaxed);
        let one_less = |left: u64| left.checked_sub(1);
        match self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
        {
            Ok(_) => Err(self.error),
            Err(_) => codec(dst),
        }
    }
}

use std::sync::atomic::{AtomicU64, Ordering};

use compressor_api::Error;

use super::{Codec, Misbehaviour};

/// Flips a bit in the middle of every third result, and says OK.
#[derive(Debug, Default)]
pub struct FlipsBit {
    calls: AtomicU64,
}

impl Misbehaviour for FlipsBit {
    fn operate(&self, codec: Codec<'_>, dst: &mut [u8]) -> Result<usize, Error> {
        let n = codec(dst)?;
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        if call.is_multiple_of(3)
            && let Some(byte) = dst[..n].get_mut(n / 2)
        {
            *byte ^= 1 << (call % 8);
        }
        Ok(n)
    }
}

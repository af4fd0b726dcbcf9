use std::sync::atomic::{AtomicU64, Ordering};

use compressor_api::{CompressSession, DecompressSession, Error, Spec};

use super::Misbehaviour;

/// Flips a bit in the middle of every third result, and says OK.
#[derive(Debug, Default)]
pub struct FlipsBit {
    calls: AtomicU64,
}

impl FlipsBit {
    fn flip(&self, result: &mut [u8]) {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let middle = result.len() / 2;
        if call.is_multiple_of(3)
            && let Some(byte) = result.get_mut(middle)
        {
            *byte ^= 1 << (call % 8);
        }
    }
}

impl Misbehaviour for FlipsBit {
    fn compress(
        &self,
        codec: &mut dyn CompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let n = codec.compress(src, dst)?;
        self.flip(&mut dst[..n]);
        Ok(n)
    }

    fn decompress(
        &self,
        codec: &mut dyn DecompressSession,
        _: &Spec,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        let n = codec.decompress(src, dst)?;
        self.flip(&mut dst[..n]);
        Ok(n)
    }
}

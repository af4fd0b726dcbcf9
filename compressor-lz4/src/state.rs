use std::ffi::c_void;

use compressor_api::{Error, ErrorKind};

use crate::level::Level;
use crate::{ID, ffi, limits};

/// The length of a block, in bytes, from which clearing the 16 KiB of a state for fast compression
/// costs less than telling apart and skipping what earlier blocks left in it. Measured on text and
/// on protocol buffers: half reset, blocks of 64 bytes take half the time and those of 512 as long,
/// those of 1 to 4 KiB 1.1 to 1.6 times as long.
const SHORT: usize = 512;

/// liblz4's memory for compressing: made once, used by one call at a time.
///
/// Between calls it is only half reset where that is cheaper. liblz4 1.10.0 allows that after every
/// outcome:
///
/// - Fast, below [`SHORT`] bytes: entries left by earlier calls, failed ones included, are told by
///   their index and skipped; the table is cleared when indices run out (`LZ4_prepareTable`). From
///   there on it is initialised anew for each block.
/// - High: entries left by earlier calls lie 64 KiB or more below the new block, out of a match's
///   reach; a call that failed marks the state dirty, and the next one initialises it anew
///   (`LZ4_resetStreamHC_fast`).
///
/// In both, the bytes written depend on the source and the level alone. The room only decides
/// whether they fit, and a room of exactly their length is enough: what liblz4 wants to see free
/// before it writes a sequence (5 literals and a token more) is what has to follow it anyway.
#[derive(Debug)]
pub(crate) struct State {
    /// In units of 8 bytes, for the alignment of the pointers that liblz4 keeps inside.
    memory: Vec<u64>,
    level: Level,
}

impl State {
    /// # Errors
    ///
    /// [`OutOfMemory`](ErrorKind::OutOfMemory).
    pub(crate) fn new(level: Level) -> Result<Self, Error> {
        let size = match level {
            Level::Fast { .. } => ffi::LZ4_sizeofState(),
            Level::High { .. } => ffi::LZ4_sizeofStateHC(),
        };
        let units = usize::try_from(size)
            .map_err(|_| Error::with_native(ErrorKind::Device, ID, size))?
            .div_ceil(size_of::<u64>());
        let mut memory = Vec::new();
        memory
            .try_reserve_exact(units)
            .map_err(|_| Error::new(ErrorKind::OutOfMemory, ID))?;
        memory.resize(units, 0_u64);

        let start = memory.as_mut_ptr().cast::<c_void>();
        let len = units * size_of::<u64>();
        // SAFETY: `start` is valid for writes of `len` bytes; both functions check that these are
        // enough, and aligned, before they write.
        let initialised = unsafe {
            match level {
                Level::Fast { .. } => ffi::LZ4_initStream(start, len),
                Level::High { .. } => ffi::LZ4_initStreamHC(start, len),
            }
        };
        if initialised.is_null() {
            return Err(Error::new(ErrorKind::Device, ID));
        }
        Ok(Self { memory, level })
    }

    /// Compresses `src` to the start of `dst`; returns the length of the block.
    ///
    /// `None` if it does not fit, if `src` is longer than liblz4 takes, or if liblz4 got no memory.
    /// Neither slice may be empty: see [`CompressBlock`](crate::compress::CompressBlock).
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        debug_assert!(!src.is_empty() && !dst.is_empty());
        let src_len = limits::input_len(src)?;
        let dst_len = limits::output_len(dst);
        let state = self.memory.as_mut_ptr().cast::<c_void>();
        let from = src.as_ptr().cast();
        let to = dst.as_mut_ptr().cast();
        // SAFETY: `state` was initialised for this kind of level, and nobody else uses it now.
        // `from` is valid for reads of `src_len` bytes and `to` for writes of `dst_len`; they do
        // not overlap. liblz4 stays within both, and touches neither of them after it returns: of
        // the addresses that it keeps in the state, later calls follow none.
        let written = unsafe {
            match self.level {
                Level::Fast { acceleration } => {
                    let compress = if src.len() < SHORT {
                        ffi::LZ4_compress_fast_extState_fastReset
                    } else {
                        ffi::LZ4_compress_fast_extState
                    };
                    compress(state, from, to, src_len, dst_len, acceleration)
                }
                Level::High { level } => ffi::LZ4_compress_HC_extStateHC_fastReset(
                    state, from, to, src_len, dst_len, level,
                ),
            }
        };
        usize::try_from(written).ok().filter(|n| *n > 0)
    }
}

#[cfg(test)]
mod tests {
    /// What is written above about half-reset states, and in the crate's documentation about
    /// offsets of 0, was read in the source of this version: read it again with the next one.
    #[test]
    fn the_library_is_the_one_that_was_read() {
        // SAFETY: a pure function.
        assert_eq!(unsafe { lz4_sys::LZ4_versionNumber() }, 11_000);
    }
}

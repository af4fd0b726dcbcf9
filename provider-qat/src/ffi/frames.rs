//! Sequences to Zstandard frames, by libzstd.

use std::alloc::{self, Layout};
use std::ffi::c_int;
use std::ptr::NonNull;

use zstd_sys::ZSTD_cParameter::{
    self, ZSTD_c_chainLog, ZSTD_c_checksumFlag, ZSTD_c_compressionLevel, ZSTD_c_contentSizeFlag,
    ZSTD_c_experimentalParam9, ZSTD_c_experimentalParam10, ZSTD_c_experimentalParam11,
    ZSTD_c_experimentalParam12, ZSTD_c_hashLog, ZSTD_c_minMatch, ZSTD_c_strategy, ZSTD_c_windowLog,
};
use zstd_sys::{ZSTD_CCtx, ZSTD_CCtx_params, ZSTD_Sequence};

/// What was set for every frame. Names of `zstd.h` for the experimental ones stand beside them.
fn parameters(level: c_int, window_log: c_int, checksum: bool) -> [(ZSTD_cParameter, c_int); 12] {
    [
        (ZSTD_c_compressionLevel, level),
        (ZSTD_c_windowLog, window_log),
        // The tables of a search that never takes place are as small as they can be.
        (ZSTD_c_hashLog, 6),
        (ZSTD_c_chainLog, 6),
        // What the entropy coder goes by: from `ZSTD_lazy` on it weighs which tables pay.
        (ZSTD_c_strategy, zstd_sys::ZSTD_strategy::ZSTD_lazy as c_int),
        (ZSTD_c_minMatch, 3),
        (ZSTD_c_contentSizeFlag, 1),
        (ZSTD_c_checksumFlag, c_int::from(checksum)),
        // ZSTD_c_stableInBuffer, ZSTD_c_stableOutBuffer: no buffers of its own.
        (ZSTD_c_experimentalParam9, 1),
        (ZSTD_c_experimentalParam10, 1),
        // ZSTD_c_blockDelimiters: ZSTD_sf_explicitBlockDelimiters.
        (ZSTD_c_experimentalParam11, 1),
        // ZSTD_c_validateSequences.
        (ZSTD_c_experimentalParam12, 1),
    ]
}

/// The alignment that libzstd wants of a workspace, with some to spare: a cache line.
const ALIGN: usize = 64;

/// A compression context in memory of its own, which never grows.
pub(crate) struct Frames {
    context: NonNull<ZSTD_CCtx>,
    memory: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a context is tied to no thread, and one at a time holds this.
unsafe impl Send for Frames {}

impl Frames {
    /// For content of one block: up to `1 << window_log` bytes. `None` if there is no memory.
    pub(crate) fn new(level: u32, window_log: u32, checksum: bool) -> Option<Self> {
        let (level, window_log) = (
            c_int::try_from(level).ok()?,
            c_int::try_from(window_log).ok()?,
        );
        let parameters = parameters(level, window_log, checksum);
        let layout = Layout::from_size_align(estimate(&parameters)?, ALIGN).ok()?;
        // SAFETY: an estimate is not 0.
        let memory = NonNull::new(unsafe { alloc::alloc(layout) })?;
        // SAFETY: the memory is of that length and alignment. A context inside of it needs no
        // freeing.
        let context =
            unsafe { zstd_sys::ZSTD_initStaticCCtx(memory.as_ptr().cast(), layout.size()) };
        let Some(context) = NonNull::new(context) else {
            // SAFETY: allocated above with this layout, and used by nobody.
            unsafe { alloc::dealloc(memory.as_ptr(), layout) };
            return None;
        };
        let this = Self {
            context,
            memory,
            layout,
        };
        let set = parameters.into_iter().all(|(parameter, value)| {
            // SAFETY: the context is there; the library checks the value.
            let result = unsafe {
                zstd_sys::ZSTD_CCtx_setParameter(this.context.as_ptr(), parameter, value)
            };
            !is_error(result)
        });
        set.then_some(this)
    }

    /// Writes `src` as one frame to `dst`, from sequences that describe all of it and end with its
    /// last literals. `None` if libzstd will not; of what it wrote then, nothing counts.
    ///
    /// `dst` is at least [`bound`] long: libzstd writes the header without a look at the room.
    pub(crate) fn write(
        &mut self,
        sequences: &[ZSTD_Sequence],
        src: &[u8],
        dst: &mut [u8],
    ) -> Option<usize> {
        if dst.len() < bound(src.len()) {
            return None;
        }
        // SAFETY: the lengths are those of live slices that do not overlap, and the last sequence
        // is a delimiter, says the caller; the library checks the rest of what sequences say.
        let result = unsafe {
            zstd_sys::ZSTD_compressSequences(
                self.context.as_ptr(),
                dst.as_mut_ptr().cast(),
                dst.len(),
                sequences.as_ptr(),
                sequences.len(),
                src.as_ptr().cast(),
                src.len(),
            )
        };
        let written = (!is_error(result) && result <= dst.len()).then_some(result);
        if written.is_none() {
            // SAFETY: the context is there.
            unsafe {
                zstd_sys::ZSTD_CCtx_reset(
                    self.context.as_ptr(),
                    zstd_sys::ZSTD_ResetDirective::ZSTD_reset_session_only,
                )
            };
        }
        written
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; the context in it has nothing of its own.
        unsafe { alloc::dealloc(self.memory.as_ptr(), self.layout) };
    }
}

/// The longest frame for so much content.
pub(crate) fn bound(src_len: usize) -> usize {
    // SAFETY: a function of a number.
    unsafe { zstd_sys::ZSTD_compressBound(src_len) }
}

/// The most sequences that a producer may make of so much content, as libzstd has it.
pub(crate) fn sequence_bound(src_len: usize) -> usize {
    // SAFETY: a function of a number.
    unsafe { zstd_sys::ZSTD_sequenceBound(src_len) }
}

/// The memory that a context with these parameters needs, in bytes.
fn estimate(parameters: &[(ZSTD_cParameter, c_int)]) -> Option<usize> {
    struct Params(NonNull<ZSTD_CCtx_params>);
    impl Drop for Params {
        fn drop(&mut self) {
            // SAFETY: made below, freed once.
            unsafe { zstd_sys::ZSTD_freeCCtxParams(self.0.as_ptr()) };
        }
    }
    // SAFETY: takes nothing.
    let params = Params(NonNull::new(unsafe { zstd_sys::ZSTD_createCCtxParams() })?);
    for (parameter, value) in parameters {
        // SAFETY: the parameters are there; the library checks the value.
        let result = unsafe {
            zstd_sys::ZSTD_CCtxParams_setParameter(params.0.as_ptr(), *parameter, *value)
        };
        if is_error(result) {
            return None;
        }
    }
    // SAFETY: the parameters are there.
    let size = unsafe { zstd_sys::ZSTD_estimateCStreamSize_usingCCtxParams(params.0.as_ptr()) };
    (!is_error(size) && size != 0).then_some(size)
}

fn is_error(result: usize) -> bool {
    // SAFETY: a function of a number.
    unsafe { zstd_sys::ZSTD_isError(result) != 0 }
}

#[cfg(test)]
mod tests {
    use compressor_api::{Format, Spec, inspect};

    use super::*;

    const fn sequence(offset: u32, literals: u32, matched: u32) -> ZSTD_Sequence {
        ZSTD_Sequence {
            offset,
            litLength: literals,
            matchLength: matched,
            rep: 0,
        }
    }

    fn decoded(frame: &[u8], len: usize) -> Vec<u8> {
        let zstd = compressor_zstd::factory();
        let zstd = zstd.compressor(&Spec::new(Format::Zstd)).unwrap();
        let mut content = vec![0; len];
        let mut session = zstd.decompress_session().unwrap();
        session.decompress_exact(frame, &mut content).unwrap();
        content
    }

    /// As many sequences as there can be, in as much content as there can be: its memory never grows.
    #[test]
    fn the_memory_is_enough_for_the_longest_block_of_the_shortest_matches() {
        for (level, window_log) in [(1, 12), (3, 16), (12, 17)] {
            for checksum in [true, false] {
                let mut frames = Frames::new(level, window_log, checksum).unwrap();
                let len = 1_usize << window_log;
                let src: Vec<u8> = b"abc".iter().copied().cycle().take(len).collect();
                let matches = (len - 3) / 3;
                let mut sequences = vec![sequence(3, 3, 3)];
                sequences.resize(matches, sequence(3, 0, 3));
                sequences.push(sequence(0, (len - 3 - 3 * matches) as u32, 0));
                let mut dst = vec![0; bound(len)];
                for _ in 0..3 {
                    let n = frames.write(&sequences, &src, &mut dst).unwrap();
                    assert!(decoded(&dst[..n], len) == src);
                    let header = inspect::header(Format::Zstd, &dst[..n]).unwrap();
                    assert_eq!(header.checksum, checksum);
                    assert_eq!(header.declared_len, Some(len as u64));
                }
            }
        }
    }

    #[test]
    fn what_libzstd_refuses_leaves_no_trace() {
        let mut frames = Frames::new(3, 12, true).unwrap();
        let (src, mut dst) = (b"abcabcabcd", [0; 600]);
        for wrong in [
            // Longer than the source, and further back than it goes.
            [sequence(3, 3, 60), sequence(0, 1, 0)],
            [sequence(300, 3, 6), sequence(0, 1, 0)],
        ] {
            assert_eq!(frames.write(&wrong, src, &mut dst), None);
            let right = [sequence(3, 3, 6), sequence(0, 1, 0)];
            let n = frames.write(&right, src, &mut dst).unwrap();
            assert_eq!(decoded(&dst[..n], src.len()), src);
        }
        // Less room than the header takes is not looked at.
        assert_eq!(
            frames.write(&[sequence(0, 10, 0)], src, &mut dst[..9]),
            None
        );
    }
}

use compressor_api::Direction;

use super::guard::guarded;
use super::left::failed;
use super::passed;
use crate::abi::{self, CP_INVALID_ARGUMENT, CP_OK, CP_UNSUPPORTED};
use crate::codes;
use crate::guest::handle::{CompressorHandle, FactoryHandle};

pub(super) unsafe extern "C" fn compressor_new(
    factory: *mut abi::Factory,
    spec: *const abi::Spec,
    compressor: *mut *mut abi::Compressor,
    native: *mut i32,
) -> i32 {
    guarded(|| {
        // SAFETY: `spec` is the host's, dictionary included.
        let Some(spec) = (unsafe { passed::spec(spec) }) else {
            return CP_INVALID_ARGUMENT;
        };
        // SAFETY: `open` made it.
        let factory = unsafe { &*factory.cast::<FactoryHandle>() };
        match factory.inner.compressor(&spec) {
            Ok(inner) => {
                let handle = Box::new(CompressorHandle { inner });
                // SAFETY: `compressor` is where the host wants the handle.
                unsafe { compressor.write(Box::into_raw(handle).cast()) };
                CP_OK
            }
            // SAFETY: `native` is the host's.
            Err(error) => unsafe { failed(error, native) },
        }
    })
}

pub(super) unsafe extern "C" fn compressor_free(compressor: *mut abi::Compressor) -> i32 {
    guarded(|| {
        // SAFETY: `compressor_new` made it, and nobody uses it any more.
        drop(unsafe { Box::from_raw(compressor.cast::<CompressorHandle>()) });
        CP_OK
    })
}

pub(super) unsafe extern "C" fn effective(
    compressor: *mut abi::Compressor,
    direction: u32,
    effective: *mut abi::Effective,
) -> i32 {
    guarded(|| {
        // SAFETY: `compressor_new` made it.
        let sides = unsafe { &*compressor.cast::<CompressorHandle>() }
            .inner
            .effective();
        let side = match codes::direction(direction) {
            Some(Direction::Compress) => sides.compress,
            Some(Direction::Decompress) => sides.decompress,
            None => return CP_INVALID_ARGUMENT,
        };
        let side = side.map_or_else(abi::Effective::default, |side| abi::Effective {
            window: side.window,
            level: side.level,
            served: 1,
        });
        // SAFETY: `effective` is where the host wants it.
        unsafe { effective.write(side) };
        CP_OK
    })
}

pub(super) unsafe extern "C" fn max_compressed_len(
    compressor: *mut abi::Compressor,
    src_len: usize,
    len: *mut usize,
) -> i32 {
    guarded(|| {
        // SAFETY: `compressor_new` made it.
        let compressor = unsafe { &*compressor.cast::<CompressorHandle>() };
        match compressor.inner.max_compressed_len(src_len) {
            Some(max) => {
                // SAFETY: `len` is where the host wants it.
                unsafe { len.write(max) };
                CP_OK
            }
            None => CP_UNSUPPORTED,
        }
    })
}

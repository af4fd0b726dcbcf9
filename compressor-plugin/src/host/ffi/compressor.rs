use std::ptr::{self, NonNull};
use std::sync::Arc;

use compressor_api::Direction;

use super::{Factory, NO_FUNCTION, Session};
use crate::abi::{self, CP_OK};
use crate::codes;
use crate::host::quarantine::Quarantine;

/// A `cp_compressor`.
#[derive(Debug)]
pub(in crate::host) struct Compressor {
    pub(super) factory: Arc<Factory>,
    pub(super) handle: NonNull<abi::Compressor>,
}

// SAFETY: the header demands that compressors can be used by any number of threads at once.
unsafe impl Send for Compressor {}
// SAFETY: as above.
unsafe impl Sync for Compressor {}

impl Compressor {
    pub(in crate::host) fn quarantine(&self) -> &Quarantine {
        &self.factory.quarantine
    }

    /// Status, and how the direction is served.
    pub(in crate::host) fn effective(&self, direction: Direction) -> (i32, abi::Effective) {
        let mut found = abi::Effective::default();
        let Some(effective) = self.factory.table.0.effective else {
            return (NO_FUNCTION, found);
        };
        let direction = codes::direction_id(direction);
        // SAFETY: a live handle of this table, and a pointer that is valid until the call returns.
        let status = unsafe { effective(self.handle.as_ptr(), direction, &raw mut found) };
        (status, found)
    }

    /// Status, and the bound.
    pub(in crate::host) fn max_compressed_len(&self, src_len: usize) -> (i32, usize) {
        let mut len = 0;
        let Some(max_compressed_len) = self.factory.table.0.max_compressed_len else {
            return (NO_FUNCTION, len);
        };
        // SAFETY: a live handle of this table, and a pointer that is valid until the call returns.
        let status = unsafe { max_compressed_len(self.handle.as_ptr(), src_len, &raw mut len) };
        (status, len)
    }

    /// Status, native code, and the session if the plugin returned one.
    pub(in crate::host) fn session_new(
        self: &Arc<Self>,
        direction: Direction,
    ) -> (i32, i32, Option<Session>) {
        let Some(session_new) = self.factory.table.0.session_new else {
            return (NO_FUNCTION, 0, None);
        };
        let direction = codes::direction_id(direction);
        let (mut handle, mut native) = (ptr::null_mut(), 0);
        // SAFETY: a live handle of this table, and pointers that are valid until the call returns.
        let status = unsafe {
            session_new(
                self.handle.as_ptr(),
                direction,
                &raw mut handle,
                &raw mut native,
            )
        };
        let made = NonNull::new(handle)
            .filter(|_| status == CP_OK)
            .map(|handle| Session {
                compressor: Arc::clone(self),
                handle,
                jobs: Vec::new(),
            });
        (status, native, made)
    }
}

impl Drop for Compressor {
    fn drop(&mut self) {
        if let Some(compressor_free) = self.factory.table.0.compressor_free
            && !self.quarantine().is_closed()
        {
            // SAFETY: a live handle of this table, which nothing that was made from it outlives.
            let status = unsafe { compressor_free(self.handle.as_ptr()) };
            self.quarantine().freed("compressor_free", status);
        }
    }
}

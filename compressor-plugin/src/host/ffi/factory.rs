use std::ptr::{self, NonNull};
use std::sync::Arc;

use compressor_api::{DictionaryKind, Spec};

use super::pointed::{list, with_text};
use super::{Compressor, NO_FUNCTION, Table};
use crate::abi::{
    self, CP_DICTIONARY_NONE, CP_DICTIONARY_RAW, CP_DICTIONARY_TRAINED, CP_EFFORT_NONE, CP_OK,
    first,
};
use crate::codes;
use crate::host::error::Violation;
use crate::host::quarantine::Quarantine;

/// A `cp_factory`.
#[derive(Debug)]
pub(in crate::host) struct Factory {
    pub(super) table: &'static Table,
    pub(super) handle: NonNull<abi::Factory>,
    pub(in crate::host) quarantine: Quarantine,
}

// SAFETY: the header demands that factories can be used by any number of threads at once.
unsafe impl Send for Factory {}
// SAFETY: as above.
unsafe impl Sync for Factory {}

impl Factory {
    /// Status, and the list as it came.
    pub(in crate::host) fn capabilities(&self) -> (i32, Result<Vec<Listed>, Violation>) {
        let mut found = abi::CapabilityList {
            items: ptr::null(),
            count: 0,
            item_size: 0,
        };
        let Some(capabilities) = self.table.0.capabilities else {
            return (NO_FUNCTION, Ok(Vec::new()));
        };
        // SAFETY: a live handle of this table, and a pointer that is valid until the call returns.
        let status = unsafe { capabilities(self.handle.as_ptr(), &raw mut found) };
        if status != CP_OK {
            return (status, Ok(Vec::new()));
        }
        // SAFETY: the header demands a list of the stated length until `close`.
        let items = unsafe {
            list(
                found.items,
                found.count,
                found.item_size,
                first::CAPABILITIES,
                "capabilities",
            )
        };
        let listed = items.and_then(|items| {
            // SAFETY: the header demands the same of what the items point to.
            let listed = items.into_iter().map(|item| unsafe { Listed::read(item) });
            listed.collect()
        });
        (status, listed)
    }

    /// Status and reason.
    pub(in crate::host) fn health(&self) -> (i32, Result<String, Violation>) {
        let Some(health) = self.table.0.health else {
            return (NO_FUNCTION, Ok(String::new()));
        };
        // SAFETY: a live handle of this table, and a pointer that is valid until the call returns.
        with_text(|why| unsafe { health(self.handle.as_ptr(), why) })
    }

    /// Status, native code and reason; `None` if the plugin has no self-test of its own.
    pub(in crate::host) fn self_test(&self) -> Option<(i32, i32, Result<String, Violation>)> {
        let self_test = self.table.0.self_test?;
        let mut native = 0;
        // SAFETY: a live handle of this table, and pointers that are valid until the call returns.
        let (status, why) =
            with_text(|why| unsafe { self_test(self.handle.as_ptr(), &raw mut native, why) });
        Some((status, native, why))
    }

    /// Status, native code, and the compressor if the plugin returned one.
    pub(in crate::host) fn compressor_new(
        self: &Arc<Self>,
        spec: &Spec,
    ) -> (i32, i32, Option<Compressor>) {
        let Some(compressor_new) = self.table.0.compressor_new else {
            return (NO_FUNCTION, 0, None);
        };
        let content = spec.dictionary().map(|dictionary| dictionary.bytes());
        let spec = abi::Spec {
            struct_size: size_of::<abi::Spec>() as u32,
            format: u32::from(spec.format().id()),
            level: spec.level(),
            window_log: spec.window_log().map_or(0, u32::from),
            checksum: u32::from(spec.checksum()),
            dictionary_kind: match spec.dictionary().map(|dictionary| dictionary.kind()) {
                None => CP_DICTIONARY_NONE,
                Some(DictionaryKind::Raw) => CP_DICTIONARY_RAW,
                Some(DictionaryKind::Trained { .. }) => CP_DICTIONARY_TRAINED,
            },
            dictionary: content.map_or(ptr::null(), <[u8]>::as_ptr),
            dictionary_len: content.map_or(0, <[u8]>::len),
            effort: spec.effort().map_or(CP_EFFORT_NONE, codes::effort_id),
            max_loss: u32::from(spec.max_loss()),
        };
        let (mut handle, mut native) = (ptr::null_mut(), 0);
        // SAFETY: a live handle of this table, and pointers that are valid until the call returns.
        let status = unsafe {
            compressor_new(
                self.handle.as_ptr(),
                &raw const spec,
                &raw mut handle,
                &raw mut native,
            )
        };
        let made = NonNull::new(handle)
            .filter(|_| status == CP_OK)
            .map(|handle| Compressor {
                factory: Arc::clone(self),
                handle,
            });
        (status, native, made)
    }
}

/// A capability as it came, with copies of what it points to.
#[derive(Debug)]
pub(in crate::host) struct Listed {
    pub(in crate::host) item: abi::Capabilities,
    pub(in crate::host) efforts: Vec<abi::Effort>,
    pub(in crate::host) losses: Vec<abi::Loss>,
}

impl Listed {
    /// # Safety
    ///
    /// The lists of `item` are null or valid for reads of as many items as it states.
    unsafe fn read(item: abi::Capabilities) -> Result<Self, Violation> {
        let (effort, loss) = (size_of::<abi::Effort>(), size_of::<abi::Loss>());
        // SAFETY: the caller says so.
        let (efforts, losses) = unsafe {
            (
                list(item.efforts, item.effort_count, effort, effort, "efforts")?,
                list(item.losses, item.loss_count, loss, loss, "losses")?,
            )
        };
        Ok(Self {
            item,
            efforts,
            losses,
        })
    }
}

impl Drop for Factory {
    fn drop(&mut self) {
        if let Some(close) = self.table.0.close
            && !self.quarantine.is_closed()
        {
            // SAFETY: a live handle of this table, which nothing that was made from it outlives.
            let status = unsafe { close(self.handle.as_ptr()) };
            self.quarantine.freed("close", status);
        }
    }
}

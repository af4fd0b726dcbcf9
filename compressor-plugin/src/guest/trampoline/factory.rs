use compressor_api::{Health, OpenError};

use super::guard::guarded;
use super::left::{failed, say};
use super::passed::params;
use crate::abi::{
    self, CP_ABSENT, CP_BROKEN, CP_DEGRADED, CP_MISCONFIGURED, CP_OK, CP_QUARANTINED,
};
use crate::guest::Exported;
use crate::guest::handle::FactoryHandle;

pub(super) unsafe extern "C" fn open<E: Exported>(
    values: *const abi::ParamValue,
    count: usize,
    value_size: usize,
    factory: *mut *mut abi::Factory,
    why: *mut abi::Text,
) -> i32 {
    guarded(|| {
        let entry = E::entry();
        // SAFETY: the host passes `count` values, `value_size` bytes apart.
        let opened = unsafe { params(entry, values, count, value_size) }
            .and_then(|params| entry.opener.open(&params));
        match opened {
            Ok(opened) => {
                let handle = Box::new(FactoryHandle::new(opened));
                // SAFETY: `factory` is where the host wants the handle.
                unsafe { factory.write(Box::into_raw(handle).cast()) };
                CP_OK
            }
            Err(error) => {
                // SAFETY: `why` is the host's.
                unsafe { say(why, error.why()) };
                match error {
                    OpenError::Absent { .. } => CP_ABSENT,
                    OpenError::Misconfigured { .. } => CP_MISCONFIGURED,
                    _ => CP_BROKEN,
                }
            }
        }
    })
}

pub(super) unsafe extern "C" fn close(factory: *mut abi::Factory) -> i32 {
    guarded(|| {
        // SAFETY: `open` made it, and nobody uses it any more.
        drop(unsafe { Box::from_raw(factory.cast::<FactoryHandle>()) });
        CP_OK
    })
}

pub(super) unsafe extern "C" fn capabilities(
    factory: *mut abi::Factory,
    list: *mut abi::CapabilityList,
) -> i32 {
    guarded(|| {
        // SAFETY: `open` made it.
        let items = unsafe { &(*factory.cast::<FactoryHandle>()).capabilities };
        let found = abi::CapabilityList {
            items: items.as_ptr(),
            count: items.len(),
            item_size: size_of::<abi::Capabilities>(),
        };
        // SAFETY: `list` is where the host wants it.
        unsafe { list.write(found) };
        CP_OK
    })
}

pub(super) unsafe extern "C" fn health(factory: *mut abi::Factory, why: *mut abi::Text) -> i32 {
    guarded(|| {
        // SAFETY: `open` made it.
        let health = unsafe { &*factory.cast::<FactoryHandle>() }.inner.health();
        // SAFETY: `why` is the host's.
        unsafe { say(why, health.why().unwrap_or_default()) };
        match health {
            Health::Ready => CP_OK,
            Health::Absent { .. } => CP_ABSENT,
            Health::Degraded { .. } => CP_DEGRADED,
            _ => CP_QUARANTINED,
        }
    })
}

pub(super) unsafe extern "C" fn self_test(
    factory: *mut abi::Factory,
    native: *mut i32,
    why: *mut abi::Text,
) -> i32 {
    guarded(|| {
        // SAFETY: `open` made it.
        match unsafe { &*factory.cast::<FactoryHandle>() }
            .inner
            .self_test()
        {
            Ok(()) => CP_OK,
            Err(error) => {
                // SAFETY: `why` is the host's.
                unsafe { say(why, &error.to_string()) };
                // SAFETY: `native` is the host's.
                unsafe { failed(error, native) }
            }
        }
    })
}

use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::{Cause, Guard};

/// Runs a provider's code; `None` if it panicked.
#[inline]
pub(crate) fn contain<T>(call: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(value) => Some(value),
        Err(payload) => {
            // The payload is the provider's too, and its drop may panic again: it is leaked.
            mem::forget(payload);
            None
        }
    }
}

/// A value whose drop is a provider's code: should it panic, the provider is quarantined.
pub(crate) struct Contained<T> {
    value: Option<T>,
    guard: Arc<Guard>,
}

impl<T> Contained<T> {
    pub(crate) fn new(value: Option<T>, guard: Arc<Guard>) -> Self {
        Self { value, guard }
    }

    #[inline]
    pub(crate) fn as_ref(&self) -> Option<&T> {
        self.value.as_ref()
    }

    #[inline]
    pub(crate) fn as_mut(&mut self) -> Option<&mut T> {
        self.value.as_mut()
    }

    /// Puts another value in the place of this one.
    pub(crate) fn replace(&mut self, value: Option<T>) {
        let old = mem::replace(&mut self.value, value);
        if contain(|| drop(old)).is_none() {
            self.guard.quarantine(Cause::Panic);
        }
    }
}

impl<T> fmt::Debug for Contained<T> {
    /// Without the value's own `Debug`, which is code that nobody contains.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contained").finish_non_exhaustive()
    }
}

impl<T> Drop for Contained<T> {
    fn drop(&mut self) {
        self.replace(None);
    }
}

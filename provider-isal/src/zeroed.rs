use std::alloc::{self, Layout};

/// A type that may be made of zero bytes.
///
/// # Safety
///
/// Zero bytes are a value of it, and it has at least one byte.
pub(crate) unsafe trait Zeroed: Sized {
    /// One of zero bytes, made where it stays: it may be larger than a stack. `None` if there is no
    /// memory for it.
    fn zeroed() -> Option<Box<Self>> {
        let layout = Layout::new::<Self>();
        // SAFETY: the type has at least one byte, says whoever implemented this trait.
        let memory = unsafe { alloc::alloc_zeroed(layout) }.cast::<Self>();
        if memory.is_null() {
            return None;
        }
        // SAFETY: allocated by the global allocator with the layout of the type, and zero bytes
        // are a value of it.
        Some(unsafe { Box::from_raw(memory) })
    }
}

//! Calls into a provider, whose panics stop here.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a provider's code; `None` if it panicked.
pub(crate) fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(call))
        // What was thrown is the provider's too, and its drop may panic again: it is leaked.
        .map_err(mem::forget)
        .ok()
}

/// Runs a provider's code on a value of the provider's; `None` if it panicked, in which case the
/// value is leaked: a drop that panics while another panic unwinds would end the process.
pub(crate) fn guarded_on<V, T>(mut value: V, call: impl FnOnce(&mut V) -> T) -> Option<T> {
    match guarded(|| call(&mut value)) {
        Some(result) => guarded(move || drop(value)).map(|()| result),
        None => {
            mem::forget(value);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct PanicsInDrop;

    impl Drop for PanicsInDrop {
        fn drop(&mut self) {
            panic!("a test's panic in drop");
        }
    }

    #[test]
    fn a_panic_in_a_call_and_one_in_the_drop_end_nothing() {
        assert_eq!(guarded_on(0, |value| *value + 1), Some(1));
        assert_eq!(guarded_on(PanicsInDrop, |_| 1), None);
        assert_eq!(
            guarded_on(PanicsInDrop, |_| -> u8 { panic!("a test's panic") }),
            None
        );
    }
}

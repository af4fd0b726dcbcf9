//! A provider's code, run where its panic ends nothing: a calibration asks providers before anything
//! is known of them.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a provider's code; `None` if it panicked.
fn contained<T>(call: impl FnOnce() -> T) -> Option<T> {
    // What was thrown is the provider's too, and its drop may panic again: it is leaked.
    catch_unwind(AssertUnwindSafe(call))
        .map_err(mem::forget)
        .ok()
}

/// A value of a provider's, whose drop is the provider's code too.
pub(super) struct Provided<T>(Option<T>);

impl<T> Provided<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Some(value))
    }

    /// Runs the provider's code on it; `None` if that panicked, now or before. Whatever panicked is
    /// leaked: nobody knows what its drop would meet.
    pub(super) fn ask<R>(&mut self, call: impl FnOnce(&mut T) -> R) -> Option<R> {
        let value = self.0.as_mut()?;
        let answer = contained(|| call(value));
        if answer.is_none() {
            mem::forget(self.0.take());
        }
        answer
    }
}

impl<T> Drop for Provided<T> {
    fn drop(&mut self) {
        let value = self.0.take();
        let _ = contained(move || drop(value));
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
    fn neither_a_call_nor_a_drop_that_panics_ends_anything() {
        let mut value = Provided::new(PanicsInDrop);
        assert_eq!(value.ask(|_| 1), Some(1));
        drop(value);
        let mut value = Provided::new(PanicsInDrop);
        assert_eq!(value.ask(|_| -> u8 { panic!("a test's panic") }), None);
        assert_eq!(value.ask(|_| 1), None);
    }
}

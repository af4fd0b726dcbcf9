//! The atomics of [`Breaker`](crate::breaker::Breaker) and [`Permits`](crate::permits::Permits):
//! the standard library's, or the model checker's under `cfg(loom)`.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

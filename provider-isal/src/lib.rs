//! The `isal` accelerator.

//! The Snappy software codec: snappy over the snap crate.

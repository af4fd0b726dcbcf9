//! Proves any provider against the contract, and catches those that lie.

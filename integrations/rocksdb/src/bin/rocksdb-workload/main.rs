//! Workload.
fn main() {}

//! The checks, by what they are about.

mod batches;
mod conduct;
mod dictionaries;
mod efforts;
mod fit;
mod fork;
mod lengths;
mod limits;
mod listing;
mod memory;
mod sessions;
mod specs;
mod strict;
mod threads;
mod units;
mod vectors;
mod windows;
mod zstd;

use crate::check::Check;

pub use conduct::{NEVER_PANICS, RETURNS_IN_TIME};
/// What they say of themselves before any check is asked again under these.
pub(crate) use listing::{CAPABILITIES, NAME};

/// Every check, in the order in which they run.
pub fn all() -> impl Iterator<Item = &'static Check> {
    [
        listing::CHECKS,
        specs::CHECKS,
        efforts::CHECKS,
        units::CHECKS,
        lengths::CHECKS,
        vectors::CHECKS,
        fit::CHECKS,
        memory::CHECKS,
        sessions::CHECKS,
        batches::CHECKS,
        threads::CHECKS,
        fork::CHECKS,
        strict::CHECKS,
        limits::CHECKS,
        windows::CHECKS,
        zstd::CHECKS,
        dictionaries::CHECKS,
        conduct::CHECKS,
    ]
    .into_iter()
    .flatten()
}

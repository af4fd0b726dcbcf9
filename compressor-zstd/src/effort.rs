//! Which of zstd's levels serves an effort; the table in the crate's documentation comes from here.

use compressor_api::{LevelCost, Spec};

/// What lower levels cost, the fastest first for each level.
///
/// Not every level is here: there is nothing between level 1 and the negative ones, which are half
/// as long again, and who names a negative level wants no other.
const COSTS: &[LevelCost] = &[
    LevelCost::new(0, 1, 7),
    LevelCost::new(0, 2, 5),
    LevelCost::new(2, 1, 4),
    LevelCost::new(3, 1, 7),
    LevelCost::new(3, 2, 5),
    LevelCost::new(4, 1, 8),
    LevelCost::new(5, 1, 10),
    LevelCost::new(5, 4, 4),
    LevelCost::new(6, 1, 11),
    LevelCost::new(6, 4, 7),
    LevelCost::new(7, 1, 11),
    LevelCost::new(7, 4, 10),
    LevelCost::new(7, 6, 3),
    LevelCost::new(8, 1, 12),
    LevelCost::new(8, 5, 9),
    LevelCost::new(8, 6, 5),
    LevelCost::new(9, 1, 12),
    LevelCost::new(9, 5, 10),
    LevelCost::new(9, 6, 6),
    LevelCost::new(10, 1, 13),
    LevelCost::new(10, 6, 7),
    LevelCost::new(11, 6, 7),
    LevelCost::new(12, 1, 16),
    LevelCost::new(12, 6, 7),
    LevelCost::new(16, 15, 2),
    LevelCost::new(17, 15, 2),
    LevelCost::new(18, 15, 2),
    LevelCost::new(19, 15, 2),
    LevelCost::new(20, 15, 2),
    LevelCost::new(21, 15, 2),
    LevelCost::new(22, 15, 2),
];

/// The level that serves `spec`. With a dictionary it is always the spec's own: what a lower level
/// costs then was not measured.
pub(crate) fn level(spec: &Spec) -> i32 {
    match spec.dictionary() {
        None => LevelCost::fastest(COSTS, spec).unwrap_or(spec.level()),
        Some(_) => spec.level(),
    }
}

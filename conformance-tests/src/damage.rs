//! Ways to damage a unit that several checks have in common.

/// The unit with one bit changed.
pub(crate) fn flipped(unit: &[u8], bit: usize) -> Vec<u8> {
    let mut damaged = unit.to_vec();
    if let Some(byte) = damaged.get_mut(bit / 8) {
        *byte ^= 1 << (bit % 8);
    }
    damaged
}

//! Finds what repeats, within a device's window.

use super::{LZ4_WINDOW, THOROUGH};

/// No match begins in the last 12 bytes of an LZ4 block, and none reaches into the last 5 (LZ4 block
/// format, end of block conditions).
const LAST_START: usize = 12;
const LAST_END: usize = 5;

const LOG: u32 = 12;

#[derive(Debug)]
pub(super) struct Finder {
    /// Where each hash was seen last, plus one.
    seen: Box<[u32]>,
    /// What lies within matches is remembered as well.
    thorough: bool,
}

impl Finder {
    pub(super) fn new(level: u32) -> Self {
        Self {
            seen: vec![0; 1 << LOG].into(),
            thorough: level >= THOROUGH,
        }
    }

    /// Calls `found` with each match in turn: the literals before it, how far back it begins, and
    /// its length, which is at least `min` (3 or 4). Returns where the literals after the last
    /// begin, or `None` as soon as `found` does.
    pub(super) fn find(
        &mut self,
        src: &[u8],
        min: usize,
        mut found: impl FnMut(&[u8], usize, usize) -> Option<()>,
    ) -> Option<usize> {
        self.seen.fill(0);
        let (mut at, mut literals) = (0, 0);
        let last = src.len().saturating_sub(LAST_START);
        while at < last {
            let earlier = self.seen_at(src, at, min);
            let Some(earlier) = earlier.filter(|earlier| at - earlier <= LZ4_WINDOW) else {
                at += 1;
                continue;
            };
            let (here, there) = (
                src.get(at..src.len() - LAST_END).unwrap_or_default(),
                src.get(earlier..).unwrap_or_default(),
            );
            let same = here.iter().zip(there).take_while(|(a, b)| a == b).count();
            if same < min {
                at += 1;
                continue;
            }
            found(
                src.get(literals..at).unwrap_or_default(),
                at - earlier,
                same,
            )?;
            if self.thorough {
                for within in at + 1..at + same {
                    self.seen_at(src, within, min);
                }
            }
            at += same;
            literals = at;
        }
        Some(literals)
    }

    /// Where what begins at `at` was seen last, perhaps.
    fn seen_at(&mut self, src: &[u8], at: usize, min: usize) -> Option<usize> {
        let bytes = src.get(at..)?.first_chunk::<4>()?;
        let key = u32::from_le_bytes(*bytes) & if min == 3 { 0xFF_FFFF } else { u32::MAX };
        let hash = key.wrapping_mul(2_654_435_761) >> (32 - LOG);
        let slot = self.seen.get_mut(hash as usize)?;
        let earlier = *slot;
        *slot = u32::try_from(at + 1).ok()?;
        (earlier as usize).checked_sub(1)
    }
}

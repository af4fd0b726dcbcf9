//! Data cut into blocks.

use std::collections::TryReserveError;
use std::num::NonZeroUsize;

/// A block, and its place in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block<'a> {
    /// How many blocks come before it.
    pub number: usize,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Cuts `data` into blocks of `size`, the last one shorter if it must be, and puts them into the
/// order in which they are measured.
///
/// The order strides through the data by about 0.618 of its length, modulo the length: any number
/// of consecutive blocks is then spread evenly over the data, so that a measurement which ends
/// early has still seen all parts of it.
///
/// # Errors
///
/// There is no memory for the list.
pub(super) fn spread(data: &[u8], size: NonZeroUsize) -> Result<Vec<Block<'_>>, TryReserveError> {
    let blocks = data.chunks(size.get());
    let len = blocks.len();
    let stride = stride(len);
    let mut spread = Vec::new();
    spread.try_reserve_exact(len)?;
    let mut number = 0;
    while spread.len() < len
        && let Some(bytes) = blocks.clone().nth(number)
    {
        spread.push(Block { number, bytes });
        number = (number + stride) % len;
    }
    Ok(spread)
}

/// A step near the golden section of `len` that visits every number below `len` before it repeats.
fn stride(len: usize) -> usize {
    let golden = (len as f64 * 0.618) as usize;
    (golden.max(1)..)
        .find(|step| gcd(*step, len) == 1)
        .unwrap_or(1)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sized(size: usize) -> NonZeroUsize {
        NonZeroUsize::new(size).unwrap()
    }

    #[test]
    fn every_byte_is_in_one_block() {
        let data: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for size in [1, 3, 7, 10, 100, 333, 999, 1000] {
            let mut blocks = spread(&data, sized(size)).unwrap();
            assert_eq!(blocks.len(), data.len().div_ceil(size));
            blocks.sort_by_key(|block| block.number);
            let joined: Vec<u8> = blocks
                .iter()
                .flat_map(|block| block.bytes)
                .copied()
                .collect();
            assert_eq!(joined, data, "blocks of {size}");
        }
    }

    #[test]
    fn data_shorter_than_a_block_is_one_block() {
        assert_eq!(
            spread(b"abc", sized(4096)).unwrap(),
            [Block {
                number: 0,
                bytes: b"abc"
            }]
        );
        assert_eq!(spread(b"", sized(4096)).unwrap(), []);
    }

    #[test]
    fn the_first_few_blocks_come_from_all_parts() {
        let data = vec![0; 256];
        let mut first: Vec<usize> = spread(&data, sized(1))
            .unwrap()
            .iter()
            .take(16)
            .map(|b| b.number)
            .collect();
        first.sort_unstable();
        let gaps = first.windows(2).map(|pair| pair[1] - pair[0]);
        // Evenly would be 16 apart; the golden section keeps gaps within a factor of the even one.
        assert!(
            gaps.clone().max() <= Some(32) && gaps.min() >= Some(4),
            "{first:?}"
        );
    }
}

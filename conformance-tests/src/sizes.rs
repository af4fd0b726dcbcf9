//! Which lengths, levels and kinds of data are tried.

use compressor_api::{Direction, Format, LevelRange};

use crate::case::{Case, Writer};
use crate::data::Kind;
use crate::target::Target;

/// Lengths at which something changes in some codec, and one to each side: literal runs, hash
/// thresholds, the block sizes of engines, LZ4's and Deflate's windows, Zstandard's block.
const BOUNDARIES: [usize; 22] = [
    0,
    1,
    2,
    15,
    16,
    17,
    63,
    64,
    65,
    4_095,
    4_096,
    4_097,
    16_383,
    16_384,
    16_385,
    65_535,
    65_536,
    65_537,
    131_071,
    131_072,
    131_073,
    1 << 20,
];

/// The longest content of a quick run, but for one case.
const QUICK_MOST: usize = 65_537;

/// The longest content that is tried, in bytes: in a full run, and in a quick one. Longer would take
/// minutes, or more memory than there is.
pub(crate) const LONGEST: usize = 64 << 20;
const QUICK_LONGEST: usize = 4 << 20;

/// Enough to see each regime of a codec where everything would take too long.
pub(crate) const FEW: [usize; 5] = [0, 1, 17, 4_097, 65_537];

/// Content for checks that are about something else than its length.
pub(crate) const SMALL: [usize; 4] = [1, 17, 100, 4_097];

impl Target {
    /// The lengths to try, within what is listed.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let most = if self.options.quick {
            QUICK_MOST
        } else {
            usize::MAX
        };
        BOUNDARIES
            .into_iter()
            .filter(|size| *size <= most && self.takes(*size))
            .collect()
    }

    /// The least and greatest length of content, by what is listed for this direction.
    fn lengths(&self) -> (usize, usize) {
        match self.direction {
            Direction::Compress => (self.capabilities.min_input, self.capabilities.max_input),
            // The length of the unit is looked at once it was made.
            Direction::Decompress => (0, self.capabilities.max_output),
        }
    }

    /// Whether content of this length lies within what is listed.
    pub(crate) fn takes(&self, size: usize) -> bool {
        let (min, max) = self.lengths();
        (min..=max).contains(&size)
    }

    /// The longest content that is tried, in bytes.
    pub(crate) const fn longest(&self) -> usize {
        match self.options.quick {
            true => QUICK_LONGEST,
            false => LONGEST,
        }
    }

    /// The length that is taken and nearest to this one. It may be more than is ever tried: a case
    /// is looked at before its content is made.
    pub(crate) fn within(&self, size: usize) -> usize {
        let (min, max) = self.lengths();
        size.max(min).min(max)
    }

    /// The levels to try, within what is listed.
    pub(crate) fn levels(&self) -> Vec<i32> {
        match self.compressing() {
            Some(listed) if self.options.quick => ends(listed.levels),
            _ => self.every_level(),
        }
    }

    /// Every level that is listed, or where there are thousands, those that differ.
    pub(crate) fn every_level(&self) -> Vec<i32> {
        match self.compressing() {
            Some(listed) => all(listed.levels),
            None => vec![self.default_level()],
        }
    }

    /// A level of each class that the format's libraries treat in a way of their own, and the ends,
    /// within what is listed.
    pub(crate) fn level_classes(&self) -> Vec<i32> {
        // By the comments at LZ4HC's and zlib's tables of levels, and zstd's strategies.
        let classes: &[i32] = match self.format {
            Format::Lz4Block | Format::Lz4Sized => &[-1, 0, 1, 3, 10, 12],
            Format::Zlib | Format::DeflateRaw | Format::Gzip => &[0, 1, 4, 9],
            // The others take hundreds of MiB each, and the greatest is tried anyway.
            Format::Zstd if self.options.quick => &[-1, 1, 3, 5, 8, 13],
            Format::Zstd => &[-1, 1, 3, 5, 6, 8, 13, 16, 18, 22],
            _ => &[],
        };
        let listed = self.compressing().map(|listed| listed.levels);
        let is_listed = |level: &i32| listed.is_some_and(|listed| listed.contains(*level));
        let classes = classes.iter().copied().filter(is_listed);
        let mut levels: Vec<i32> = classes.chain(self.levels()).collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// Content of every size and kind at the default level, and less at the others.
    pub(crate) fn matrix(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for level in self.levels() {
            let all = level == self.default_level() || !self.options.quick;
            let sizes = match all {
                true => self.sizes(),
                false => FEW.into_iter().filter(|size| self.takes(*size)).collect(),
            };
            for (row, size) in sizes.into_iter().enumerate() {
                let kinds = match (self.options.quick, size) {
                    (true, _) => some_kinds(row, if all { 3 } else { 1 }),
                    // The longest at every level and of every kind would take hours.
                    (false, 131_071..) if level != self.default_level() => some_kinds(row, 1),
                    (false, _) => Kind::ALL.to_vec(),
                };
                for kind in kinds {
                    cases.push(Case::new(kind, size, self.options.seed).level(level));
                }
            }
        }
        if self.options.quick && self.takes(131_073) {
            cases.push(Case::new(Kind::Rows, 131_073, self.options.seed));
        }
        cases
    }

    /// Content of one kind, of these lengths or the nearest that are taken, at the default level.
    pub(crate) fn cases(&self, kind: Kind, sizes: &[usize]) -> Vec<Case> {
        let mut sizes: Vec<usize> = sizes.iter().map(|size| self.within(*size)).collect();
        sizes.dedup();
        let case = |size| Case::new(kind, size, self.options.seed);
        sizes.into_iter().map(case).collect()
    }

    /// The cases, for decompressing with a unit by each writer there is.
    pub(crate) fn by_each_writer_or_once(&self, cases: &[Case]) -> Vec<Case> {
        match self.direction {
            Direction::Compress => cases.to_vec(),
            Direction::Decompress => self.by_each_writer(cases),
        }
    }

    /// The cases, with a unit by each writer there is.
    pub(crate) fn by_each_writer(&self, cases: &[Case]) -> Vec<Case> {
        let with = |writer: Writer| cases.iter().map(move |case| case.clone().writer(writer));
        self.writers().into_iter().flat_map(with).collect()
    }
}

/// `count` of the kinds, others for each row.
pub(crate) fn some_kinds(row: usize, count: usize) -> Vec<Kind> {
    let from = row * count;
    Kind::ALL
        .into_iter()
        .cycle()
        .skip(from)
        .take(count)
        .collect()
}

/// Both ends and the default.
fn ends(levels: LevelRange) -> Vec<i32> {
    let mut some = vec![levels.min(), levels.default_level(), levels.max()];
    some.sort_unstable();
    some.dedup();
    some
}

/// Every level, or where there are thousands: those near zero, then powers of two.
fn all(levels: LevelRange) -> Vec<i32> {
    let near = levels.min().max(-16)..=levels.max();
    let powers = (5..31)
        .map(|power| -(1 << power))
        .filter(|level| *level >= levels.min());
    let mut all: Vec<i32> = near.chain(powers).chain([levels.min()]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_reach_both_ends() {
        assert_eq!(all(Format::Zlib.levels()), (0..=9).collect::<Vec<_>>());
        assert_eq!(ends(Format::Snappy.levels()), [0]);
        let zstd = all(Format::Zstd.levels());
        assert_eq!((zstd.first(), zstd.last()), (Some(&-131_072), Some(&22)));
        assert!((1..=22).all(|level| zstd.contains(&level)));
        assert!(zstd.len() < 60);
    }
}

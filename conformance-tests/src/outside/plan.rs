//! Which contents, levels and options are exchanged.

use compressor_api::{Capabilities, Direction, Format};

use super::Side;
use crate::case::{Case, DictionaryChoice};
use crate::data::Kind;
use crate::options::Options;

/// Lengths at the default level, in bytes: nothing, little, blocks of an engine, past LZ4's window.
const SIZES: [usize; 7] = [0, 1, 100, 4_096, 16_384, 65_536, 65_537];

/// Lengths at other levels.
const FEW: [usize; 4] = [0, 100, 4_096, 65_537];

/// The same, where every call starts a process.
const FEWER: [usize; 2] = [100, 65_537];

/// One that is longer than every window but Zstandard's.
const LONG: usize = 1 << 20;

/// Windows smaller than the default, as base-2 logarithms: the least and others that both ends of
/// a format have.
const DEFLATE_WINDOWS: [u8; 3] = [9, 12, 14];
const ZSTD_WINDOWS: [u8; 2] = [10, 17];

/// The cases of one implementation, format and direction.
pub(crate) fn cases(
    capabilities: &Capabilities,
    side: &Side,
    slow: bool,
    options: &Options,
) -> Vec<Case> {
    let compressing = capabilities.direction == Direction::Compress;
    let levels = if compressing {
        levels(capabilities, options.quick)
    } else {
        side.levels.clone()
    };
    let mut cases = Vec::new();
    for (row, level) in levels.into_iter().enumerate() {
        at_level(level, row, slow, options, &mut cases);
    }
    let new = |kind, size| Case::new(kind, size, options.seed);
    if compressing || side.windows {
        for log in windows(side.format) {
            for (kind, size) in [(Kind::Text, 4_096), (Kind::Repeats(4_096), 65_537)] {
                let window_log = Some(*log);
                let case = new(kind, size);
                cases.push(Case { window_log, ..case });
            }
        }
    }
    if side.format == Format::Zstd && (compressing || side.checksums) {
        for size in FEWER {
            let checksum = Some(false);
            let case = new(Kind::Text, size);
            cases.push(Case { checksum, ..case });
        }
    }
    if side.dictionaries {
        for dictionary in [DictionaryChoice::Raw, DictionaryChoice::Trained] {
            for size in [0, 100, 4_096] {
                cases.push(new(Kind::Text, size).dictionary(dictionary));
            }
        }
    }
    cases
}

fn at_level(level: i32, row: usize, slow: bool, options: &Options, cases: &mut Vec<Case>) {
    let default = row == 0;
    let (sizes, count) = match (default, options.quick) {
        (true, true) => (&SIZES[..], 2),
        (true, false) => (&SIZES[..], Kind::ALL.len()),
        (false, true) if slow => (&FEWER[..], 1),
        (false, true) => (&FEW[..], 1),
        (false, false) => (&FEW[..], 4),
    };
    let mut kinds = Kind::ALL.into_iter().cycle().skip(row);
    for size in sizes {
        for kind in kinds.by_ref().take(count) {
            cases.push(Case::new(kind, *size, options.seed).level(level));
        }
    }
    if default {
        for kind in [Kind::Text, Kind::Repeats(65_535)] {
            cases.push(Case::new(kind, LONG, options.seed).level(level));
        }
    }
}

/// The levels of a provider, its default first.
fn levels(capabilities: &Capabilities, quick: bool) -> Vec<i32> {
    let listed = capabilities.levels;
    let mut levels = vec![listed.default_level(), listed.min(), listed.max()];
    if !quick {
        levels.extend(listed.min().max(-8)..=listed.max());
    }
    let mut seen = Vec::new();
    levels.retain(|level| {
        let new = !seen.contains(level);
        seen.push(*level);
        new
    });
    levels
}

fn windows(format: Format) -> &'static [u8] {
    match format {
        Format::Zlib | Format::DeflateRaw | Format::Gzip => &DEFLATE_WINDOWS,
        Format::Zstd => &ZSTD_WINDOWS,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_option_is_exchanged_even_quickly() {
        let side = Side::new(Format::Zstd, &[3, 1]).with_checksums_and_dictionaries();
        for direction in Direction::BOTH {
            let capabilities = Capabilities::new(Format::Zstd, direction);
            let cases = cases(&capabilities, &side, true, &Options::quick());
            for kind in Kind::ALL {
                assert!(cases.iter().any(|case| case.kind == kind), "{kind}");
            }
            for size in SIZES.into_iter().chain([LONG]) {
                assert!(cases.iter().any(|case| case.size == size), "{size}");
            }
            assert!(cases.iter().any(|case| case.checksum == Some(false)));
            for dictionary in [DictionaryChoice::Raw, DictionaryChoice::Trained] {
                assert!(cases.iter().any(|case| case.dictionary == Some(dictionary)));
            }
        }
    }

    #[test]
    fn levels_start_with_the_default_and_reach_both_ends() {
        let zlib = Capabilities::new(Format::Zlib, Direction::Compress);
        assert_eq!(levels(&zlib, true), [6, 0, 9]);
        assert_eq!(levels(&zlib, false), [6, 0, 9, 1, 2, 3, 4, 5, 7, 8]);
    }
}

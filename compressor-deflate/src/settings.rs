use std::ffi::c_int;

use compressor_api::{Format, LevelCost, Spec};

use crate::effort::COSTS;

/// zlib's default, which its authors tuned for; `deflateInit` takes no other.
pub(crate) const MEM_LEVEL: c_int = 8;

/// Base-2 logarithm of the largest window of Deflate, and of the one that every reader must have.
const MAX_WINDOW_LOG: u8 = 15;

/// What zlib is told: a [`Spec`] of a Deflate format, in zlib's terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) format: Format,
    pub(crate) level: c_int,
    window_log: u8,
}

impl Settings {
    /// `None` if the format is not a Deflate format.
    pub(crate) fn of(spec: &Spec) -> Option<Self> {
        let format = spec.format();
        matches!(format, Format::Zlib | Format::DeflateRaw | Format::Gzip).then(|| Self {
            format,
            level: LevelCost::fastest(COSTS, spec).unwrap_or(spec.level()),
            window_log: spec.window_log().unwrap_or(MAX_WINDOW_LOG),
        })
    }

    /// Largest match distance that is written, in bytes.
    pub(crate) fn window(self) -> u64 {
        1 << self.window_log
    }

    /// `windowBits` to write with.
    pub(crate) fn deflate_window_bits(self) -> c_int {
        self.window_bits(self.window_log)
    }

    /// `windowBits` to read with: the largest window, whatever the writer used.
    pub(crate) fn inflate_window_bits(self) -> c_int {
        self.window_bits(MAX_WINDOW_LOG)
    }

    /// zlib names the format by sign and offset: negative for a raw stream, 16 more for gzip.
    fn window_bits(self, window_log: u8) -> c_int {
        let log = c_int::from(window_log);
        match self.format {
            Format::DeflateRaw => -log,
            Format::Gzip => log + 16,
            _ => log,
        }
    }

    /// The most that `src_len` bytes compress to; `None` beyond what a slice can hold.
    ///
    /// The same as zlib's `deflateBound` for these settings (deflate.c of zlib 1.4), which needs a
    /// stream to be asked:
    ///
    /// - the full window with memLevel 8: incompressible blocks are stored, at ~0.03 % more;
    /// - a smaller window: a block may no longer be there to be stored, and is written with fixed
    ///   codes of up to 9 bits a literal, at ~13 % more;
    /// - level 0 with a smaller window: stored blocks, for which zlib assumes the least length that
    ///   any memLevel gives, at ~4 % more.
    pub(crate) fn max_compressed_len(self, src_len: usize) -> Option<usize> {
        let frame = match self.format {
            Format::DeflateRaw => 0,
            Format::Gzip => 18,
            _ => 6,
        };
        let terms = if self.window_log == MAX_WINDOW_LOG {
            [src_len >> 12, src_len >> 14, src_len >> 25, 7]
        } else if self.level == 0 {
            [src_len >> 5, src_len >> 7, src_len >> 11, 7]
        } else {
            [src_len >> 3, src_len >> 8, src_len >> 9, 4]
        };
        terms
            .into_iter()
            .chain([frame])
            .try_fold(src_len, usize::checked_add)
            .filter(|bound| isize::try_from(*bound).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Stream;

    fn every_settings() -> impl Iterator<Item = Settings> {
        [Format::Zlib, Format::DeflateRaw, Format::Gzip]
            .into_iter()
            .flat_map(|format| (0..=9).map(move |level| (format, level)))
            .flat_map(|(format, level)| {
                (9..=15).map(move |window_log| Settings {
                    format,
                    level,
                    window_log,
                })
            })
    }

    #[test]
    fn the_bound_is_zlibs_own() {
        for settings in every_settings() {
            let stream = Stream::deflate(settings).unwrap();
            for len in (0..40)
                .map(|log| 1_usize << log)
                .flat_map(|n| [n - 1, n, n + 1])
            {
                let bound = settings.max_compressed_len(len).unwrap();
                assert_eq!(bound, stream.bound(len), "{settings:?}, {len} bytes");
            }
        }
    }

    #[test]
    fn the_bound_never_wraps() {
        for settings in every_settings() {
            for len in [
                usize::MAX,
                usize::MAX - 7,
                usize::MAX / 8 * 7,
                isize::MAX as usize,
            ] {
                assert_eq!(settings.max_compressed_len(len), None, "{settings:?}");
            }
        }
    }

    #[test]
    fn other_formats_are_not_deflate() {
        assert!(Settings::of(&Spec::new(Format::Zstd)).is_none());
        assert!(Settings::of(&Spec::new(Format::None)).is_none());
    }
}

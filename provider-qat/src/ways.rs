//! By which of QATzip's streams a format is served, and with which limits.

use compressor_api::{
    Capabilities, Direction, Format, LevelRange, Placement, inspect::DEFLATE_WINDOW,
};

use crate::ffi::{Stream, frame_bound};
use crate::sequences::WINDOW;
use crate::settings::{MIN_INPUT, Settings};

/// The formats that are served, as far as library and device go.
pub(crate) const FORMATS: [Format; 5] = [
    Format::Lz4Block,
    Format::Zstd,
    Format::Zlib,
    Format::DeflateRaw,
    Format::Gzip,
];

/// How a format is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// QATzip writes and reads the format, or one of which it can be taken.
    Stream(Stream),
    /// Intel's sequence producer finds the sequences of a Zstandard frame.
    Producer,
}

/// The ways that are tried for a format, in order; those that decompress are fewer.
///
/// Without decompression of `deflate-raw`: it has no checksum, and devices and QATzip read some
/// corrupt streams.
pub(crate) const fn ways(format: Format, direction: Direction) -> &'static [Way] {
    use Way::{Producer, Stream as Of};
    match (format, direction) {
        (Format::Zlib, _) => &[Of(Stream::Zlib)],
        (Format::Gzip, _) => &[Of(Stream::Gzip)],
        (Format::DeflateRaw, Direction::Compress) => &[Of(Stream::DeflateRaw)],
        (Format::Lz4Block, _) => &[Of(Stream::Lz4Block), Of(Stream::Lz4Frame)],
        (Format::Zstd, Direction::Compress) => &[Of(Stream::Zstd), Producer, Of(Stream::Lz4s)],
        (Format::Zstd, Direction::Decompress) => &[Of(Stream::Zstd)],
        _ => &[],
    }
}

/// The largest window of Zstandard that a device keeps, in bytes: the history that API 2.6 sets up by
/// default (`QZ_ZSTD_HIST_BUFF_DEFAULT`).
const ZSTD_WINDOW: u64 = 64 << 10;

/// Content of one block of Zstandard, in bytes: no more is made a frame of at once.
const ZSTD_BLOCK: usize = 128 << 10;

/// Content of one block of the LZ4 frames that QATzip writes, in bytes (`qatzip_lz4.c`).
const LZ4_BLOCK: usize = 64 << 10;

/// The limits of a way, as they are published.
pub(crate) fn capabilities(
    format: Format,
    direction: Direction,
    way: Way,
    settings: &Settings,
) -> Capabilities {
    let base = Capabilities::new(format, direction)
        .with_in_flight(settings.max_in_flight)
        .with_placement(Placement::Offload);
    let longest = match way {
        Way::Producer | Way::Stream(Stream::Lz4s) => settings.hw_buffer.min(ZSTD_BLOCK),
        // Beyond it the frame has several blocks, and the second leans on the first.
        Way::Stream(Stream::Lz4Frame) => settings.hw_buffer.min(LZ4_BLOCK),
        // Beyond it a device writes several units in a row.
        Way::Stream(_) => settings.hw_buffer,
    };
    match direction {
        Direction::Compress => base
            .with_input(settings.min_input, longest)
            .with_levels(levels(format))
            .with_window(match format {
                // What the header of a frame says, whose content is one segment; a device's own may
                // say what history it keeps.
                Format::Zstd if way == Way::Stream(Stream::Zstd) => {
                    ZSTD_WINDOW.max(longest.next_power_of_two() as u64)
                }
                Format::Zstd => longest.next_power_of_two() as u64,
                _ => WINDOW as u64,
            }),
        Direction::Decompress => base
            .with_input(MIN_INPUT, device_bound(longest))
            .with_max_output(longest)
            .with_window(match format {
                Format::Zstd => ZSTD_WINDOW,
                Format::Lz4Block => WINDOW as u64,
                _ => DEFLATE_WINDOW,
            }),
    }
}

/// The levels of a format that are served.
const fn levels(format: Format) -> LevelRange {
    let all = format.levels();
    match format {
        // Above 9 QATzip fails, after it took them.
        Format::Lz4Block => LevelRange::new(all.min(), 9, all.default_level()),
        Format::Zstd => LevelRange::new(1, 12, all.default_level()),
        // Without 0, which means stored blocks.
        _ => LevelRange::new(1, 9, all.default_level()),
    }
}

/// A level of a format on QATzip's scale, for levels that are served.
pub(crate) const fn level(level: i32) -> u32 {
    // Of LZ4, whatever is fast is the fastest.
    if level < 1 { 1 } else { level as u32 }
}

/// The longest unit that a way makes of so much content.
pub(crate) fn max_compressed_len(way: Way, content_len: usize) -> usize {
    match way {
        Way::Producer | Way::Stream(Stream::Lz4s) => frame_bound(content_len),
        Way::Stream(_) => device_bound(content_len),
    }
}

/// QATzip's own bound for what a device makes of so much content: nine eighths and a pad.
pub(crate) const fn device_bound(content_len: usize) -> usize {
    content_len + content_len / 8 + 1_024
}

#[cfg(test)]
mod tests {
    use compressor_api::Params;

    use super::*;
    use crate::settings::PARAMS;

    #[test]
    fn raw_deflate_is_not_read() {
        assert!(ways(Format::DeflateRaw, Direction::Decompress).is_empty());
        for format in FORMATS {
            assert!(!ways(format, Direction::Compress).is_empty(), "{format}");
        }
    }

    #[test]
    fn limits_follow_the_parameters() {
        for (size, zstd, lz4) in [
            ("16KiB", 16 << 10, 16 << 10),
            ("512KiB", 128 << 10, 64 << 10),
        ] {
            let params = [("hw_buffer_size", size), ("max_in_flight", "7")];
            let settings = Settings::new(&Params::parse(&PARAMS, params).unwrap()).unwrap();
            for format in FORMATS {
                for direction in Direction::BOTH {
                    for way in ways(format, direction) {
                        let listed = capabilities(format, direction, *way, &settings);
                        assert_eq!(listed.in_flight.unwrap().get(), 7);
                        // Never so short that QATzip would read past its end, or use software.
                        assert!(listed.min_input >= 128, "{listed:?}");
                        let longest = match way {
                            Way::Producer | Way::Stream(Stream::Lz4s) => zstd,
                            Way::Stream(Stream::Lz4Frame) => lz4,
                            Way::Stream(_) => settings.hw_buffer,
                        };
                        match direction {
                            Direction::Compress => assert_eq!(listed.max_input, longest),
                            Direction::Decompress => assert_eq!(listed.max_output, longest),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn lz4_history_is_32_kib_in_both_directions() {
        let settings = Settings::new(&Params::parse(&PARAMS, []).unwrap()).unwrap();
        for direction in Direction::BOTH {
            for way in ways(Format::Lz4Block, direction) {
                let listed = capabilities(Format::Lz4Block, direction, *way, &settings);
                assert_eq!(listed.window, 32 << 10);
            }
        }
    }

    #[test]
    fn levels_are_those_of_qatzip() {
        for (format, served, not) in [
            (Format::Zlib, [1, 9], [0, 10]),
            (Format::Lz4Block, [-65_536, 9], [10, 12]),
            (Format::Zstd, [1, 12], [0, 13]),
        ] {
            let levels = levels(format);
            assert!(
                served.iter().all(|level| levels.contains(*level)),
                "{format}"
            );
            assert!(!not.iter().any(|level| levels.contains(*level)), "{format}");
        }
        assert_eq!([-5, 0, 1, 9].map(level), [1, 1, 1, 9]);
    }
}

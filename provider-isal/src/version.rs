//! Which ISA-L was found, and what it is trusted with.
//!
//! ISA-L has no function that says its version. It is in the name of the file, which libtool
//! builds as `libisal.so.2.0.MINOR`; the name that a library was asked for, `libisal.so.2`, is a
//! link to it. So the kernel is asked from which file the code is mapped.
//!
//! # What is known of versions
//!
//! | version | where | what | consequence |
//! | --- | --- | --- | --- |
//! | below 2.30 (November 2020) | all | laid out its structs in other ways under the same soname; not tested here | refused |
//! | unknown | all | may be one of those | refused |
//! | below 2.32 (2026) | aarch64 | a decoder in assembly that returned wrong content for some units, which only a checksum shows | compression only |
//!
//! All versions take whole words of input, and give back those bytes behind the end of the stream
//! that were not needed; some versions forgot to, in `isal_inflate`, which is not used here. That
//! the function which is used does give them back is not left to a list of versions: it is tried
//! when the library is opened.

use std::fmt;

/// A version of ISA-L: 2 and this. The file's name does not say the third number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "2.{}", self.0)
    }
}

/// What a version may be used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Both directions.
    Full,
    /// Compression.
    CompressOnly {
        /// Why not for the other direction.
        why: String,
    },
}

/// The first version that is taken.
const OLDEST: Version = Version(30);

/// The first version that decodes right on aarch64 (ISA-L issue 316).
const DECODES_ON_AARCH64: Version = Version(32);

impl Version {
    /// The version of the library in the file of this path.
    pub(crate) fn of_file(path: &str) -> Option<Self> {
        // What the kernel adds when the file was replaced, as an update does.
        let path = path.trim_end_matches(" (deleted)");
        let (_, numbers) = path.rsplit_once("/libisal.so.2.")?;
        let (_, minor) = numbers.rsplit_once('.')?;
        minor.parse().ok().map(Self)
    }

    /// What it is trusted with on an architecture, by Rust's name for that.
    ///
    /// # Errors
    ///
    /// Why it is not used at all.
    pub(crate) fn trust(self, arch: &str) -> Result<Trust, String> {
        if self < OLDEST {
            return Err(format!(
                "ISA-L {self} is older than {OLDEST}, whose structs the calls are made for"
            ));
        }
        if arch == "aarch64" && self < DECODES_ON_AARCH64 {
            return Ok(Trust::CompressOnly {
                why: format!(
                    "ISA-L {self} compresses only: before {DECODES_ON_AARCH64} it decompresses some \
                     units to wrong content on aarch64"
                ),
            });
        }
        Ok(Trust::Full)
    }
}

/// The file that is mapped at an address, from the text of `/proc/self/maps`.
pub(crate) fn mapped_file(maps: &str, address: usize) -> Option<&str> {
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        let end = usize::from_str_radix(end, 16).ok()?;
        if !(start..end).contains(&address) {
            return None;
        }
        // Of the fields before the path, none has a slash.
        rest.find('/').and_then(|at| rest.get(at..))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_in_the_name_of_the_file() {
        for (path, version) in [
            (
                "/usr/lib/x86_64-linux-gnu/libisal.so.2.0.30",
                Some(Version(30)),
            ),
            ("/opt/isa-l/lib/libisal.so.2.0.31", Some(Version(31))),
            ("/lib/libisal.so.2.0.31 (deleted)", Some(Version(31))),
            ("/lib/libisal.so.2", None),
            ("/lib/libisal.so", None),
            ("/lib/libisal.so.3.0.1", None),
            ("/lib/libisal.so.2.0.x", None),
            ("/lib/libisal.so.2.0.31/other.so", None),
            ("libisal.so.2.0.31", None),
        ] {
            assert_eq!(Version::of_file(path), version, "{path}");
        }
    }

    #[test]
    fn versions_known_to_be_bad_are_refused_or_held_back() {
        let why = Version(29).trust("x86_64").unwrap_err();
        assert!(why.contains("2.29"), "{why}");
        for arch in ["x86_64", "powerpc64"] {
            assert_eq!(Version(30).trust(arch), Ok(Trust::Full));
        }
        for minor in [30, 31] {
            let Ok(Trust::CompressOnly { why }) = Version(minor).trust("aarch64") else {
                panic!("2.{minor} is trusted");
            };
            assert!(why.contains(&format!("2.{minor} ")), "{why}");
        }
        assert_eq!(Version(32).trust("aarch64"), Ok(Trust::Full));
        assert!(Version(29).trust("aarch64").is_err());
    }

    #[test]
    fn the_file_is_found_by_address() {
        let maps = "\
            5500-5600 r--p 00000000 08:01 17                         /usr/bin/engine\n\
            7f00-7f80 r--p 00000000 08:01 99                         /lib/libisal.so.2.0.30\n\
            7f80-7fa0 r-xp 00003000 08:01 99                         /lib/with space/libisal.so.2.0.31\n\
            7fa0-7fb0 rw-p 00000000 00:00 0 \n\
            7fb0-7fc0 r-xp 00000000 00:00 0                          [vdso]\n";
        let file = |address| mapped_file(maps, address);
        assert_eq!(file(0x7F00), Some("/lib/libisal.so.2.0.30"));
        assert_eq!(file(0x7F80), Some("/lib/with space/libisal.so.2.0.31"));
        assert_eq!(file(0x7F9F), Some("/lib/with space/libisal.so.2.0.31"));
        for address in [0, 0x5600, 0x7FA0, 0x7FB5, usize::MAX] {
            assert_eq!(file(address), None, "{address:x}");
        }
        assert_eq!(mapped_file("garbage\n-\n7f00- x\n", 0x7F00), None);
    }
}

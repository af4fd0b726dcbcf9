//! What is compressed: kinds of data that codecs treat differently, made from a seed.

use std::fmt;
use std::str::FromStr;

use compressor_api::Format;

use crate::plain;
use crate::random::Random;

/// A kind of data.
///
/// `data(kind, size, seed)` is the same on every host, and the beginning of every longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Words under a skewed distribution, in sentences.
    Text,
    /// Binary rows: keys that count up, values that drift, a few strings.
    Rows,
    /// One byte value.
    Zeros,
    /// Incompressible.
    Random,
    /// Incompressible, repeated at a distance of this many bytes: found only by a codec that
    /// looks back that far.
    Repeats(u32),
    /// LZ4 blocks of text, end to end: what a block looks like that was compressed before.
    Compressed,
    /// Random bytes above 143, the literals for which Deflate's fixed code is longest.
    High,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 11] = [
        Self::Text,
        Self::Rows,
        Self::Zeros,
        Self::Random,
        Self::Repeats(4_096),
        Self::Repeats(32_767),
        Self::Repeats(32_768),
        Self::Repeats(65_535),
        Self::Repeats(65_536),
        Self::Compressed,
        Self::High,
    ];

    /// Makes `size` bytes.
    #[must_use]
    pub fn make(self, size: usize, seed: u64) -> Vec<u8> {
        let mut random = Random::new(seed);
        let mut out = Vec::with_capacity(size);
        match self {
            Self::Text => text(size, &mut random, &mut out),
            Self::Rows => rows(size, &mut random, &mut out),
            Self::Zeros => out.resize(size, 0),
            Self::Random => random.bytes(size, &mut out),
            Self::Repeats(distance) => repeats(size, distance as usize, &mut random, &mut out),
            Self::Compressed => compressed(size, &mut random, &mut out),
            Self::High => {
                random.bytes(size, &mut out);
                out.iter_mut().for_each(|byte| *byte = 144 + *byte % 112);
            }
        }
        out.truncate(size);
        out
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Rows => f.write_str("rows"),
            Self::Zeros => f.write_str("zeros"),
            Self::Random => f.write_str("random"),
            Self::Repeats(distance) => write!(f, "repeats-{distance}"),
            Self::Compressed => f.write_str("compressed"),
            Self::High => f.write_str("high"),
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        if let Some(distance) = name.strip_prefix("repeats-") {
            return distance
                .parse()
                .map(Self::Repeats)
                .map_err(|_| format!("no distance: {distance:?}"));
        }
        Self::ALL
            .into_iter()
            .find(|kind| kind.to_string() == name)
            .ok_or_else(|| {
                let names = Self::ALL.map(|kind| kind.to_string());
                format!("no kind of data {name:?}; there are {}", names.join(", "))
            })
    }
}

const WORDS: [&str; 32] = [
    "the ",
    "the ",
    "the ",
    "of ",
    "of ",
    "and ",
    "and ",
    "to ",
    "a ",
    "in ",
    "was ",
    "it ",
    "block ",
    "page ",
    "engine ",
    "reader ",
    "writer ",
    "memory ",
    "before ",
    "after ",
    "window ",
    "between ",
    "compressed ",
    "distance ",
    "thousand ",
    "morning ",
    "question ",
    "harbour ",
    "station ",
    "measured ",
    "yesterday ",
    "everything ",
];

fn text(size: usize, random: &mut Random, out: &mut Vec<u8>) {
    while out.len() < size {
        for _ in 0..4 + random.below(12) {
            out.extend_from_slice(random.pick(&WORDS).as_bytes());
            // A number now and then, or the text would be too easy.
            if random.below(6) == 0 {
                out.extend_from_slice(random.below(10_000).to_string().as_bytes());
                out.push(b' ');
            }
        }
        out.pop();
        out.extend_from_slice(b". ");
    }
}

fn rows(size: usize, random: &mut Random, out: &mut Vec<u8>) {
    let mut time = 1_700_000_000_000_u64;
    let mut value = 20_000_i32;
    while out.len() < size {
        time += 1_000 + random.below(20) as u64;
        value += random.below(101) as i32 - 50;
        out.extend_from_slice(&[0x24, 0, 8]);
        out.extend_from_slice(&time.to_be_bytes());
        out.extend_from_slice(&[8, 0, 4]);
        out.extend_from_slice(&value.to_be_bytes());
        out.extend_from_slice(
            random
                .pick(&["ok", "ok", "ok", "late", "out of range"])
                .as_bytes(),
        );
        out.extend_from_slice(b"machine-00");
        out.push(b'0' + random.below(10) as u8);
    }
}

fn repeats(size: usize, distance: usize, random: &mut Random, out: &mut Vec<u8>) {
    random.bytes(size.min(distance), out);
    while out.len() < size && !out.is_empty() {
        let from = out.len() - distance.min(out.len());
        let end = out.len().min(from + size - out.len());
        out.extend_from_within(from..end);
    }
}

fn compressed(size: usize, random: &mut Random, out: &mut Vec<u8>) {
    while out.len() < size {
        let mut block = Vec::new();
        text(4_096, random, &mut block);
        let unit = plain::write(Format::Lz4Block, &block);
        out.extend_from_slice(&unit.unwrap_or(block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_the_kind() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert!("prose".parse::<Kind>().unwrap_err().contains("rows"));
    }

    #[test]
    fn lengths_are_exact_and_shorter_ones_are_beginnings() {
        for kind in Kind::ALL {
            let long = kind.make(70_000, 1);
            for size in [0, 1, 17, 4_096, 65_537] {
                assert_eq!(kind.make(size, 1), long[..size], "{kind}");
            }
            assert_eq!(long.len(), 70_000);
        }
    }

    #[test]
    fn kinds_are_what_they_say() {
        let ratio = |kind: Kind| {
            let unit = plain::write(Format::DeflateRaw, &kind.make(65_536, 1)).unwrap();
            unit.len() * 100 / 65_536
        };
        assert!(ratio(Kind::Text) < 70);
        assert!(ratio(Kind::Rows) < 70);
        assert!(ratio(Kind::Zeros) < 2);
        assert!(ratio(Kind::Repeats(4_096)) < 15);
        for kind in [Kind::Random, Kind::Compressed, Kind::High] {
            assert!(ratio(kind) > 80, "{kind}");
        }
        let repeats = Kind::Repeats(32_768).make(65_536, 1);
        assert_eq!(repeats[..32_768], repeats[32_768..]);
    }
}

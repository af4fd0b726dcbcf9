//! Zstandard's sequences, from LZ4s or from a producer, checked before anybody makes a frame of
//! them.
//!
//! A sequence is some literals and a match. What is checked is all that decoding relies on, down to
//! the bytes: the literals of a frame come from the source itself, so that a frame whose matches
//! repeat what the source has there decodes to the source.
//!
//! LZ4s is what devices write when sequences are wanted. A block of it is a row of: a token with the
//! count of literals in its upper four bits and that of the match in its lower, each followed by
//! bytes of 255 and a last one if it is 15; the literals; a distance in two bytes, little-endian. A
//! match of count 0 is none, another is 2 longer than its count. The last has literals alone.
//! QATzip writes the length of the block in four bytes before it.

use compressor_api::inspect::Malformed;

use crate::ffi::ZSTD_Sequence;

/// The shortest match of Zstandard.
const MIN_MATCH: usize = 3;

/// What is added to a match's count in LZ4s.
const LESS_IN_LZ4S: usize = 2;

/// The largest distance that devices find, in bytes.
pub(crate) const WINDOW: usize = 32 << 10;

/// The most sequences that so much content has, the delimiter included.
#[cfg(test)]
const fn most(content_len: usize) -> usize {
    content_len / MIN_MATCH + 2
}

/// Reads what QATzip writes for LZ4s: one block with its length, which is all of `output` and
/// describes `src`. Leaves the sequences in `sequences`, a delimiter with the last literals as the
/// last.
///
/// # Errors
///
/// How it does not describe `src`.
pub(crate) fn from_lz4s(
    output: &[u8],
    src: &[u8],
    sequences: &mut Vec<ZSTD_Sequence>,
) -> Result<(), Malformed> {
    let (len, mut rest) = output.split_first_chunk().ok_or(Malformed::Truncated)?;
    if u32::from_le_bytes(*len) as usize != rest.len() {
        return Err(Malformed::Length);
    }
    sequences.clear();
    let mut check = Check::new(src);
    loop {
        let (token, after) = rest.split_first().ok_or(Malformed::Truncated)?;
        rest = after;
        let literals = count(token >> 4, &mut rest)?;
        rest = rest.get(literals..).ok_or(Malformed::OutOfBounds)?;
        check.literals(literals)?;
        if rest.is_empty() {
            push(sequences, check.end()?)?;
            return Ok(());
        }
        let (distance, after) = rest.split_first_chunk().ok_or(Malformed::Truncated)?;
        rest = after;
        let matched = count(token & 0x0F, &mut rest)?;
        if matched != 0 {
            let distance = usize::from(u16::from_le_bytes(*distance));
            push(sequences, check.matched(distance, matched + LESS_IN_LZ4S)?)?;
        }
        if rest.is_empty() {
            push(sequences, check.end()?)?;
            return Ok(());
        }
    }
}

/// Checks the sequences of a producer in place: they describe `src`, and the last of them is the
/// delimiter.
///
/// # Errors
///
/// How they do not.
pub(crate) fn check(sequences: &[ZSTD_Sequence], src: &[u8]) -> Result<(), Malformed> {
    let (last, before) = sequences.split_last().ok_or(Malformed::Truncated)?;
    let mut check = Check::new(src);
    for sequence in before {
        check.literals(sequence.litLength as usize)?;
        check.matched(sequence.offset as usize, sequence.matchLength as usize)?;
    }
    if last.offset != 0 || last.matchLength != 0 {
        return Err(Malformed::Reserved);
    }
    check.literals(last.litLength as usize)?;
    check.end().map(drop)
}

/// Follows sequences through the source.
struct Check<'a> {
    src: &'a [u8],
    /// As much of the source was described.
    at: usize,
    /// So many of it are literals that no sequence has yet.
    pending: usize,
}

impl<'a> Check<'a> {
    const fn new(src: &'a [u8]) -> Self {
        Self {
            src,
            at: 0,
            pending: 0,
        }
    }

    fn literals(&mut self, len: usize) -> Result<(), Malformed> {
        let at = self.at.checked_add(len).filter(|at| *at <= self.src.len());
        self.at = at.ok_or(Malformed::OutOfBounds)?;
        self.pending += len;
        Ok(())
    }

    fn matched(&mut self, distance: usize, len: usize) -> Result<ZSTD_Sequence, Malformed> {
        if distance == 0 || distance > WINDOW || len < MIN_MATCH {
            return Err(Malformed::OutOfBounds);
        }
        let from = self
            .at
            .checked_sub(distance)
            .ok_or(Malformed::OutOfBounds)?;
        let end = self.at.checked_add(len).ok_or(Malformed::OutOfBounds)?;
        let here = self.src.get(self.at..end).ok_or(Malformed::OutOfBounds)?;
        // Shorter than `end`, since the distance is not 0.
        if self.src.get(from..from + len) != Some(here) {
            return Err(Malformed::Checksum);
        }
        self.at = end;
        Ok(sequence(distance, std::mem::take(&mut self.pending), len))
    }

    /// The delimiter, with the literals that are left; an error if some of the source is.
    fn end(&mut self) -> Result<ZSTD_Sequence, Malformed> {
        if self.at != self.src.len() {
            return Err(Malformed::Length);
        }
        Ok(sequence(0, self.pending, 0))
    }
}

/// Its numbers are lengths within one block.
const fn sequence(offset: usize, literals: usize, matched: usize) -> ZSTD_Sequence {
    ZSTD_Sequence {
        offset: offset as u32,
        litLength: literals as u32,
        matchLength: matched as u32,
        rep: 0,
    }
}

/// Adds a sequence within the room that was made for them.
fn push(sequences: &mut Vec<ZSTD_Sequence>, sequence: ZSTD_Sequence) -> Result<(), Malformed> {
    if sequences.len() == sequences.capacity() {
        return Err(Malformed::Length);
    }
    sequences.push(sequence);
    Ok(())
}

/// A count that starts in four bits and goes on in bytes of 255.
fn count(nibble: u8, rest: &mut &[u8]) -> Result<usize, Malformed> {
    let mut count = usize::from(nibble);
    if nibble == 15 {
        loop {
            let (byte, after) = rest.split_first().ok_or(Malformed::Truncated)?;
            *rest = after;
            count += usize::from(*byte);
            if *byte != 255 {
                break;
            }
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::sequence_bound;

    /// What is reserved for them is enough for whatever a device writes.
    #[test]
    fn libzstds_bound_is_above_what_matches_of_three_bytes_come_to() {
        for len in (0..5_000).chain([128 << 10]) {
            assert!(sequence_bound(len) >= most(len), "{len}");
        }
    }

    fn read(block: &[u8], src: &[u8]) -> Result<Vec<(u32, u32, u32)>, Malformed> {
        let output = [&(block.len() as u32).to_le_bytes()[..], block].concat();
        let mut sequences = Vec::with_capacity(most(src.len()));
        from_lz4s(&output, src, &mut sequences)?;
        check(&sequences, src).unwrap();
        let parts = |s: &ZSTD_Sequence| (s.litLength, s.offset, s.matchLength);
        Ok(sequences.iter().map(parts).collect())
    }

    #[test]
    fn literals_and_matches_are_read() {
        assert_eq!(read(b"\x50hello", b"hello"), Ok(vec![(5, 0, 0)]));
        assert_eq!(
            read(b"\x31abc\x03\x00\x10d", b"abcabcd"),
            Ok(vec![(3, 3, 3), (1, 0, 0)])
        );
        // Overlapping, and of a length that goes on.
        let src = [b'a'; 40];
        assert_eq!(
            read(b"\x1fa\x01\x00\x16\x00", &src),
            Ok(vec![(1, 1, 39), (0, 0, 0)])
        );
    }

    #[test]
    fn a_match_of_nothing_leaves_its_literals_to_the_next() {
        assert_eq!(
            read(b"\x20ab\x00\x00\x11c\x03\x00\x00", b"abcabc"),
            Ok(vec![(3, 3, 3), (0, 0, 0)])
        );
        assert_eq!(read(b"\x20ab\x00\x00\x10c", b"abc"), Ok(vec![(3, 0, 0)]));
    }

    #[test]
    fn what_does_not_describe_the_source_is_refused() {
        for (block, src, fault) in [
            (&b""[..], &b""[..], Malformed::Truncated),
            (b"\x50hell", b"hello", Malformed::OutOfBounds),
            (b"\x50hello", b"hello!", Malformed::Length),
            (b"\x50hello", b"hell", Malformed::OutOfBounds),
            (b"\x31abc\x03", b"abcabc", Malformed::Truncated),
            (b"\x31abc\x00\x00\x00", b"abcabc", Malformed::OutOfBounds),
            (b"\x31abc\x04\x00\x00", b"abcabc", Malformed::OutOfBounds),
            (b"\x31abc\x03\x00\x00", b"abcab", Malformed::OutOfBounds),
            (b"\x31abc\x03\x00\x00", b"abcabx", Malformed::Checksum),
            (b"\x31abc\x02\x00\x00", b"abcabc", Malformed::Checksum),
            (b"\x3fabc\x03\x00", b"abcabc", Malformed::Truncated),
            (b"\xf0\xff\xff", b"abcabc", Malformed::Truncated),
        ] {
            assert_eq!(read(block, src), Err(fault), "{block:x?}");
        }
        let mut sequences = Vec::with_capacity(9);
        for output in [
            &b""[..],
            b"\x01\0\0",
            b"\x02\0\0\0\x00",
            b"\x01\0\0\0\x00\x00",
        ] {
            assert!(
                from_lz4s(output, b"", &mut sequences).is_err(),
                "{output:x?}"
            );
        }
    }

    #[test]
    fn a_match_reaches_back_as_far_as_the_window_and_no_further() {
        let noise: Vec<u8> = (0..WINDOW as u32 + 1)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        for (distance, fault) in [(WINDOW, None), (WINDOW + 1, Some(Malformed::OutOfBounds))] {
            let from = noise.len() - distance;
            let src = [&noise[..], &noise[from..from + 8]].concat();
            let sequences = [sequence(distance, noise.len(), 8), sequence(0, 0, 0)];
            assert_eq!(check(&sequences, &src).err(), fault, "{distance}");
        }
    }

    #[test]
    fn a_producers_sequences_are_refused_alike() {
        let src = b"abcabcd";
        let good = [sequence(3, 3, 3), sequence(0, 1, 0)];
        assert_eq!(check(&good, src), Ok(()));
        for (sequences, fault) in [
            (&[][..], Malformed::Truncated),
            (&good[..1], Malformed::Reserved),
            (&[sequence(3, 3, 3), sequence(0, 0, 0)], Malformed::Length),
            (
                &[sequence(3, 3, 3), sequence(0, 2, 0)],
                Malformed::OutOfBounds,
            ),
            (
                &[sequence(0, 3, 3), sequence(0, 1, 0)],
                Malformed::OutOfBounds,
            ),
            (
                &[sequence(4, 3, 3), sequence(0, 1, 0)],
                Malformed::OutOfBounds,
            ),
            (
                &[sequence(3, 3, 2), sequence(0, 2, 0)],
                Malformed::OutOfBounds,
            ),
            (&[sequence(2, 3, 3), sequence(0, 1, 0)], Malformed::Checksum),
            (&[sequence(3, 3, 3), sequence(0, 1, 3)], Malformed::Reserved),
        ] {
            assert_eq!(check(sequences, src), Err(fault), "{sequences:?}");
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig {
            failure_persistence: None,
            ..proptest::prelude::ProptestConfig::default()
        })]

        /// Bytes that have LZ4s's shape more often than not, over a source that repeats a lot.
        #[test]
        fn whatever_a_device_writes_is_refused_or_describes_the_source(
            src in proptest::collection::vec(0..2_u8, 0..60),
            runs in proptest::collection::vec((0..5_u8, 0..6_u8, 0..8_u8), 0..6),
            last in 0..20_u8,
        ) {
            let mut block = Vec::new();
            for (literals, matched, distance) in runs {
                block.push(literals << 4 | matched);
                block.resize(block.len() + usize::from(literals), 0);
                block.extend([distance, 0]);
            }
            block.push(last.min(14) << 4);
            block.resize(block.len() + usize::from(last.min(14)), 0);
            if let Ok(sequences) = read(&block, &src) {
                let described: u32 = sequences.iter().map(|(l, _, m)| l + m).sum();
                assert_eq!(described as usize, src.len());
                let mut at = 0;
                for (literals, distance, matched) in sequences {
                    at += literals as usize;
                    for here in at..at + matched as usize {
                        assert_eq!(src[here], src[here - distance as usize]);
                    }
                    at += matched as usize;
                }
            }
        }

        #[test]
        fn no_bytes_make_it_panic(
            output in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80),
            src in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40),
        ) {
            let _ = read(&output, &src);
            let mut sequences = Vec::with_capacity(most(src.len()));
            let _ = from_lz4s(&output, &src, &mut sequences);
        }
    }
}

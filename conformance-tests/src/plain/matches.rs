//! Finds what repeats: greedily, one candidate a position.

/// No match starts in the last bytes of the content: LZ4 forbids it, the others do not mind.
const LAST_START: usize = 12;

/// No match reaches into the last bytes of the content, for the same reason.
const LAST_LITERALS: usize = 5;

/// Shortest match, that of LZ4.
const MIN_LENGTH: usize = 4;

/// Literals, then a match.
pub(super) struct Sequence<'a> {
    pub literals: &'a [u8],
    pub distance: usize,
    pub length: usize,
}

/// The content as sequences, and the literals after the last of them.
pub(super) fn find(content: &[u8], max_distance: usize) -> (Vec<Sequence<'_>>, &[u8]) {
    let mut sequences = Vec::new();
    let mut last_seen = vec![0_usize; 1 << 14];
    let mut literals_from = 0;
    let mut at = 0;
    while at + LAST_START <= content.len() {
        let found = probe(content, at, max_distance, &mut last_seen)
            .map(|found| (at - found, common(content, found, at)))
            .filter(|(_, length)| *length >= MIN_LENGTH);
        let Some((distance, length)) = found else {
            at += 1;
            continue;
        };
        sequences.push(Sequence {
            literals: content.get(literals_from..at).unwrap_or_default(),
            distance,
            length,
        });
        at += length;
        literals_from = at;
    }
    (sequences, content.get(literals_from..).unwrap_or_default())
}

/// Where the same four bytes were seen last, if that is near enough; remembers this place.
fn probe(content: &[u8], at: usize, max_distance: usize, last_seen: &mut [usize]) -> Option<usize> {
    let four = content.get(at..)?.first_chunk::<MIN_LENGTH>()?;
    let hash = u32::from_le_bytes(*four).wrapping_mul(2_654_435_761) >> (32 - 14);
    // Places are kept with 1 added, so that 0 is none.
    let seen = std::mem::replace(last_seen.get_mut(hash as usize)?, at + 1);
    seen.checked_sub(1)
        .filter(|found| at - found <= max_distance)
}

/// How many bytes from `at` on are the same as from `found` on.
fn common(content: &[u8], found: usize, at: usize) -> usize {
    let end = content.len().saturating_sub(LAST_LITERALS);
    let here = content.get(at..end).unwrap_or_default();
    let there = content.get(found..).unwrap_or_default();
    here.iter().zip(there).take_while(|(a, b)| a == b).count()
}

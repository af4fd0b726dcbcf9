//! How much content a raw Deflate stream has, found without decoding it.
//!
//! A decoder made for speed cannot always say why it stopped. libdeflate reads a truncated stream on
//! in zeros, which may decode to more than there is room for; ISA-L may call a match invalid that
//! begins in content it had no room for. This walk tells corrupt from too long: it follows the
//! symbols, adds up the lengths and copies nothing, so it needs neither window nor output, and
//! allocates nothing.
//!
//! It is exactly as strict as zlib, symbol by symbol: RFC 1951 with the limits that zlib puts on
//! code lengths. It is several times slower than a decoder, so it is for the paths that fail.

use super::Malformed;

/// What there is in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The stream ends.
    Ended {
        /// Bytes of the input that belong to it.
        read: usize,
        /// Bytes of content.
        content: usize,
    },
    /// More content comes out than the limit; the walk stopped there.
    Beyond,
}

/// Walks the raw Deflate stream at the start of `src`, until more than `limit` bytes come out.
///
/// # Errors
///
/// How the stream breaks before it ends and before more than `limit` bytes come out:
/// [`Malformed::Truncated`] if `src` ends; [`Malformed::Checksum`] if a stored block contradicts its
/// length; [`Malformed::Length`] if code lengths do not make a code; [`Malformed::OutOfBounds`] if a
/// match begins before the content, or a repeated code length goes beyond the last one;
/// [`Malformed::Reserved`] for block types, numbers of codes, symbols and codewords that the format
/// never uses.
pub fn extent(src: &[u8], limit: usize) -> Result<Extent, Malformed> {
    let mut walk = Walk {
        bits: Bits::new(src),
        content: 0,
        limit,
    };
    let mut fixed = None;
    loop {
        let last = walk.bits.take(1)? == 1;
        let within = match walk.bits.take(2)? {
            0 => walk.stored()?,
            1 => {
                // Kept, or a stream of many short fixed blocks would spend its time here.
                let codes = match &fixed {
                    Some(codes) => codes,
                    None => fixed.insert(Codes::fixed()?),
                };
                walk.compressed(codes)?
            }
            2 => {
                let codes = Codes::read(&mut walk.bits)?;
                walk.compressed(&codes)?
            }
            _ => return Err(Malformed::Reserved),
        };
        if !within {
            return Ok(Extent::Beyond);
        }
        if last {
            return Ok(Extent::Ended {
                read: src.len() - walk.bits.whole_bytes(),
                content: walk.content,
            });
        }
    }
}

struct Walk<'a> {
    bits: Bits<'a>,
    content: usize,
    limit: usize,
}

impl Walk<'_> {
    /// Adds to the content; whether it is still within the limit.
    fn add(&mut self, len: usize) -> bool {
        self.content = self.content.saturating_add(len);
        self.content <= self.limit
    }

    /// The rest of a stored block; whether its content is within the limit.
    fn stored(&mut self) -> Result<bool, Malformed> {
        self.bits.align();
        let len = self.bits.take(16)?;
        if self.bits.take(16)? != len ^ 0xFFFF {
            return Err(Malformed::Checksum);
        }
        let len = len as usize;
        let there = self.bits.skip_bytes(len);
        if !self.add(there) {
            Ok(false)
        } else if there < len {
            Err(Malformed::Truncated)
        } else {
            Ok(true)
        }
    }

    /// The rest of a block of symbols; whether its content is within the limit.
    fn compressed(&mut self, codes: &Codes) -> Result<bool, Malformed> {
        loop {
            let len = match codes.literals.decode(&mut self.bits)? {
                0..END_OF_BLOCK => 1,
                END_OF_BLOCK => return Ok(true),
                symbol => {
                    let len = self.with_extra(&LENGTHS, symbol - END_OF_BLOCK - 1)?;
                    let symbol = codes.distances.decode(&mut self.bits)?;
                    let distance = self.with_extra(&DISTANCES, symbol)?;
                    if distance > self.content {
                        return Err(Malformed::OutOfBounds);
                    }
                    len
                }
            };
            if !self.add(len) {
                return Ok(false);
            }
        }
    }

    /// The value of a symbol: its base in `table`, and the extra bits that follow.
    fn with_extra(&mut self, table: &[(u16, u8)], symbol: u16) -> Result<usize, Malformed> {
        let (base, extra) = *table.get(usize::from(symbol)).ok_or(Malformed::Reserved)?;
        Ok(usize::from(base) + self.bits.take(u32::from(extra))? as usize)
    }
}

const END_OF_BLOCK: u16 = 256;

/// Of the length symbols, from 257 on: base and number of extra bits (RFC 1951, section 3.2.5).
#[rustfmt::skip]
const LENGTHS: [(u16, u8); 29] = [
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0),
    (11, 1), (13, 1), (15, 1), (17, 1), (19, 2), (23, 2), (27, 2), (31, 2),
    (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4),
    (131, 5), (163, 5), (195, 5), (227, 5), (258, 0),
];

/// Of the distance symbols: base and number of extra bits (RFC 1951, section 3.2.5).
#[rustfmt::skip]
const DISTANCES: [(u16, u8); 30] = [
    (1, 0), (2, 0), (3, 0), (4, 0), (5, 1), (7, 1), (9, 2), (13, 2),
    (17, 3), (25, 3), (33, 4), (49, 4), (65, 5), (97, 5), (129, 6), (193, 6),
    (257, 7), (385, 7), (513, 8), (769, 8), (1025, 9), (1537, 9), (2049, 10), (3073, 10),
    (4097, 11), (6145, 11), (8193, 12), (12289, 12), (16385, 13), (24577, 13),
];

/// The two codes of a block.
struct Codes {
    literals: Code,
    distances: Code,
}

/// The order in which the lengths of the code for code lengths are stored (section 3.2.7).
const CODE_LENGTH_ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

impl Codes {
    /// Those of fixed blocks (section 3.2.6).
    fn fixed() -> Result<Self, Malformed> {
        let mut lens = [8; 288];
        for (symbol, len) in lens.iter_mut().enumerate() {
            match symbol {
                144..256 => *len = 9,
                256..280 => *len = 7,
                _ => {}
            }
        }
        Ok(Self {
            literals: Code::new(&lens)?,
            distances: Code::new(&[5; 32])?,
        })
    }

    /// Those at the start of a dynamic block (section 3.2.7).
    fn read(bits: &mut Bits<'_>) -> Result<Self, Malformed> {
        let literals = 257 + bits.take(5)? as usize;
        let distances = 1 + bits.take(5)? as usize;
        let stored = 4 + bits.take(4)? as usize;
        if literals > 286 || distances > 30 {
            return Err(Malformed::Reserved);
        }

        let mut lens = [0; CODE_LENGTH_ORDER.len()];
        for symbol in CODE_LENGTH_ORDER.into_iter().take(stored) {
            let len = lens.get_mut(symbol).ok_or(Malformed::OutOfBounds)?;
            *len = bits.take(3)? as u8;
        }
        let code = Code::new(&lens)?;
        if !code.complete {
            return Err(Malformed::Length);
        }

        let mut lens = [0; 286 + 30];
        let lens = lens
            .get_mut(..literals + distances)
            .ok_or(Malformed::OutOfBounds)?;
        code.read_lens(bits, lens)?;
        let (literals, distances) = lens
            .split_at_checked(literals)
            .ok_or(Malformed::OutOfBounds)?;
        // A block that cannot end.
        if literals.get(usize::from(END_OF_BLOCK)) == Some(&0) {
            return Err(Malformed::Length);
        }
        Ok(Self {
            literals: Code::new(literals)?,
            distances: Code::new(distances)?,
        })
    }
}

/// Longest codeword, in bits.
const MAX_LEN: usize = 15;

/// A Huffman code of Deflate: codewords in the order of their lengths, then of their symbols
/// (section 3.2.2).
///
/// Codewords are compared as 15-bit numbers, shorter ones filled up with zeros at the right. In that
/// form they ascend, so the length of the next one is the first whose `end` lies above the next 15
/// bits.
struct Code {
    /// For each length, from 1 on.
    ranks: [Rank; MAX_LEN],
    /// By codeword.
    symbols: [u16; 288],
    /// Whether every sequence of bits begins with a codeword.
    complete: bool,
}

/// The codewords of one length.
#[derive(Clone, Copy, Default)]
struct Rank {
    /// The first one.
    start: u32,
    /// Just after the last one.
    end: u32,
    /// Place of the first one's symbol.
    symbol: usize,
}

impl Code {
    /// The code with these lengths of codewords by symbol; 0 for symbols that have none.
    fn new(lens: &[u8]) -> Result<Self, Malformed> {
        let mut counts = [0; MAX_LEN + 1];
        for len in lens {
            *counts.get_mut(usize::from(*len)).ok_or(Malformed::Length)? += 1;
        }
        let mut ranks = [Rank::default(); MAX_LEN];
        let (mut next, mut ranked) = (0, 0);
        for ((len, count), rank) in (1..).zip(counts.into_iter().skip(1)).zip(&mut ranks) {
            (rank.start, rank.symbol) = (next, ranked);
            next += count << (MAX_LEN - len);
            rank.end = next;
            ranked += count as usize;
        }

        let mut symbols = [0; 288];
        let mut places = ranks.map(|rank| rank.symbol);
        for (symbol, len) in (0..).zip(lens).filter(|(_, len)| **len > 0) {
            let place = places.get_mut(usize::from(*len) - 1);
            let place = place.ok_or(Malformed::Length)?;
            *symbols.get_mut(*place).ok_or(Malformed::Length)? = symbol;
            *place += 1;
        }

        let all = 1 << MAX_LEN;
        let complete = next == all;
        // Alone, a code of one codeword of one bit may leave the other one unused, and a code for
        // distances that are never used may be empty.
        let alone = lens.iter().all(|len| *len <= 1);
        if next > all || !(complete || alone) {
            return Err(Malformed::Length);
        }
        Ok(Self {
            ranks,
            symbols,
            complete,
        })
    }

    /// The next symbol.
    fn decode(&self, bits: &mut Bits<'_>) -> Result<u16, Malformed> {
        let next = bits.peek_codeword();
        let (len, rank) = (1..)
            .zip(&self.ranks)
            .find(|(_, rank)| next < rank.end)
            .ok_or(Malformed::Reserved)?;
        bits.consume(len)?;
        let place = rank.symbol + ((next - rank.start) >> (MAX_LEN as u32 - len)) as usize;
        self.symbols.get(place).copied().ok_or(Malformed::Reserved)
    }

    /// Code lengths, as this code for them stores them.
    fn read_lens(&self, bits: &mut Bits<'_>, lens: &mut [u8]) -> Result<(), Malformed> {
        let mut at = 0;
        while at < lens.len() {
            let (len, times) = match self.decode(bits)? {
                16 => {
                    let before = at.checked_sub(1).and_then(|before| lens.get(before));
                    (*before.ok_or(Malformed::OutOfBounds)?, 3 + bits.take(2)?)
                }
                17 => (0, 3 + bits.take(3)?),
                18 => (0, 11 + bits.take(7)?),
                len => (len as u8, 1),
            };
            let end = at + times as usize;
            lens.get_mut(at..end)
                .ok_or(Malformed::OutOfBounds)?
                .fill(len);
            at = end;
        }
        Ok(())
    }
}

/// The input, bit by bit from the lowest of each byte.
struct Bits<'a> {
    rest: &'a [u8],
    /// Bits that were loaded and not consumed, from the lowest; zeros above them.
    held: u64,
    /// How many.
    count: u32,
}

impl<'a> Bits<'a> {
    fn new(src: &'a [u8]) -> Self {
        Self {
            rest: src,
            held: 0,
            count: 0,
        }
    }

    /// Loads whole bytes until at least 56 bits are held, or `src` ends.
    fn load(&mut self) {
        while self.count < 56 {
            let Some((byte, rest)) = self.rest.split_first() else {
                return;
            };
            self.held |= u64::from(*byte) << self.count;
            self.count += 8;
            self.rest = rest;
        }
    }

    /// The next 15 bits as a codeword: the first of them is its highest. Zeros beyond the end.
    fn peek_codeword(&mut self) -> u32 {
        self.load();
        let low = (self.held & ((1 << MAX_LEN) - 1)) as u32;
        low.reverse_bits() >> (u32::BITS - MAX_LEN as u32)
    }

    fn consume(&mut self, bits: u32) -> Result<(), Malformed> {
        self.count = self.count.checked_sub(bits).ok_or(Malformed::Truncated)?;
        self.held >>= bits;
        Ok(())
    }

    /// The next number of up to 16 bits.
    fn take(&mut self, bits: u32) -> Result<u32, Malformed> {
        self.load();
        let number = self.held & ((1 << bits) - 1);
        self.consume(bits)?;
        Ok(number as u32)
    }

    /// Goes on to the next whole byte.
    fn align(&mut self) {
        self.held >>= self.count % 8;
        self.count -= self.count % 8;
    }

    /// Skips whole bytes; how many of `len` there were.
    fn skip_bytes(&mut self, len: usize) -> usize {
        let held = len.min(self.count as usize / 8);
        self.held >>= 8 * held;
        self.count -= 8 * held as u32;
        let rest = self.rest.get(len - held..).unwrap_or_default();
        let skipped = held + self.rest.len() - rest.len();
        self.rest = rest;
        skipped
    }

    /// Bytes of which no bit was consumed.
    fn whole_bytes(&self) -> usize {
        self.rest.len() + self.count as usize / 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, self_test};

    // The tests beside zlib are among those of compressor-deflate.

    #[test]
    fn content_is_counted_up_to_the_limit() {
        let unit = self_test::unit(Format::DeflateRaw);
        let read = unit.len();
        let content = self_test::CONTENT.len();
        let ended = Ok(Extent::Ended { read, content });
        assert_eq!(extent(unit, content), ended);
        assert_eq!(extent(&[unit, b"after"].concat(), usize::MAX), ended);
        assert_eq!(extent(unit, content - 1), Ok(Extent::Beyond));
        assert_eq!(
            extent(&unit[..read - 1], content),
            Err(Malformed::Truncated)
        );
    }

    #[test]
    fn each_kind_of_block_is_followed() {
        for (stream, content) in [
            (&b"\x01\x05\0\xfa\xffhello"[..], 5),
            (b"\0\x02\0\xfd\xffhe\x01\x03\0\xfc\xffllo", 5),
            (b"\xcb\x48\xcd\xc9\xc9\x07\0", 5),
            (b"\x73\x74\x1c\x05\xa3\x60\x14\x0c\x77\0\0", 1_000),
            // "h", then a match that begins where the content does.
            (b"\xcb\0\x02\0", 4),
        ] {
            let read = stream.len();
            assert_eq!(extent(stream, content), Ok(Extent::Ended { read, content }));
        }
    }

    /// 88 bytes by zlib with Huffman codes alone, whose lengths repeat in each of the three ways, more
    /// often than the least.
    const REPEATED_LENGTHS: &[u8] = b"\x05\xc1\xd7\x02\x80\x10\x00\x00\xc0\x6f\x2b\x29\x21\x99\xa1\xa9\
        \xa9\xe1\xff\x9f\xbb\xcb\x50\xdb\x4d\xc7\x57\x36\x7a\xd8\x9e\x82\x48\x1f\x62\x5e\x73\x3b\x9f\xa9\
        \x62\x66\xdc\x5f\x48\x55\xbf\xde\x00\x0b\xb7\x5c\x19\x6a\xbb\xe9\xf8\xca\x46\x0f\xdb\x53\x10\xe9\
        \x43\xcc\x6b\x6e\xe7\x33\x55\xcc\x8c\xfb\x0b\xa9\xea\xd7\x1b\x60\xe1\x96\xeb\x07";

    #[test]
    fn code_lengths_repeat() {
        let (read, content) = (REPEATED_LENGTHS.len(), 88);
        assert_eq!(
            extent(REPEATED_LENGTHS, content),
            Ok(Extent::Ended { read, content })
        );
    }

    #[test]
    fn faults_have_their_names() {
        for (stream, fault) in [
            (&b""[..], Malformed::Truncated),
            (b"\x07", Malformed::Reserved),
            (b"\x01\x05\0\xfb\xffhello", Malformed::Checksum),
            (b"\x01\x05\0\xfa\xffhell", Malformed::Truncated),
            // "h", then a match one byte before the content.
            (b"\xcb\0\x42\0", Malformed::OutOfBounds),
        ] {
            assert_eq!(extent(stream, 100), Err(fault), "{stream:x?}");
        }
    }

    /// The start of a last, dynamic block with so many codes of each kind, and no code for their
    /// lengths.
    fn dynamic(literals: u32, distances: u32) -> [u8; 5] {
        let header = 0b101 | (literals - 257) << 3 | (distances - 1) << 8;
        let [a, b, c, d] = header.to_le_bytes();
        [a, b, c, d, 0]
    }

    #[test]
    fn as_many_codes_as_there_are_symbols_and_no_more() {
        // What follows is no code, so this is how far it gets.
        for (literals, distances) in [(257, 1), (286, 1), (257, 30), (286, 30)] {
            let walked = extent(&dynamic(literals, distances), 100);
            assert_eq!(walked, Err(Malformed::Length), "{literals} {distances}");
        }
        for (literals, distances) in [(287, 1), (288, 1), (257, 31), (257, 32), (287, 31)] {
            let walked = extent(&dynamic(literals, distances), 100);
            assert_eq!(walked, Err(Malformed::Reserved), "{literals} {distances}");
        }
    }
}

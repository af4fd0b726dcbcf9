//! Deflate (RFC 1951).

use super::matches::find;
use super::{Content, Reading};

/// Largest distance.
const MAX_DISTANCE: usize = 32 << 10;

/// Longest match.
const MAX_LENGTH: usize = 258;

/// Longest code, in bits.
const MAX_BITS: usize = 15;

const END_OF_BLOCK: u16 = 256;

/// Base length and extra bits of the symbols 257 to 285 (section 3.2.5).
const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];

/// Base distance and extra bits of the symbols 0 to 29 (section 3.2.5).
const DISTANCES: [(u16, u8); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1_025, 9),
    (1_537, 9),
    (2_049, 10),
    (3_073, 10),
    (4_097, 11),
    (6_145, 11),
    (8_193, 12),
    (12_289, 12),
    (16_385, 13),
    (24_577, 13),
];

/// The order in which the lengths of the code-length code are sent (section 3.2.7).
const CODE_LENGTH_ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// One stream that takes up all of `src`.
pub(super) fn read(src: &[u8], limit: usize) -> Result<Content, Reading> {
    let stream = Stream::read(src, limit)?;
    match stream.rest {
        [] => stream.content(),
        _ => Err(stream.content.corrupt()),
    }
}

/// One stream, and what follows it.
pub(super) struct Stream<'a> {
    pub content: Content,
    lax: bool,
    pub rest: &'a [u8],
}

impl<'a> Stream<'a> {
    /// The stream that `src` starts with.
    pub(super) fn read(src: &'a [u8], limit: usize) -> Result<Self, Reading> {
        let mut reader = Reader {
            bits: Bits { src, at: 0 },
            content: Content::default(),
            limit,
            lax: false,
        };
        reader.stream()?;
        Ok(Self {
            content: reader.content,
            lax: reader.lax,
            rest: src.get(reader.bits.at.div_ceil(8)..).unwrap_or_default(),
        })
    }

    /// The content of a stream that is right in all other respects.
    pub(super) fn content(self) -> Result<Content, Reading> {
        match self.lax {
            true => Err(Reading::Lax(self.content)),
            false => Ok(self.content),
        }
    }
}

struct Bits<'a> {
    src: &'a [u8],
    /// Bits read.
    at: usize,
}

impl<'a> Bits<'a> {
    fn bit(&mut self) -> Option<u16> {
        let byte = self.src.get(self.at / 8)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Some(u16::from(bit))
    }

    /// A number, lowest bit first.
    fn number(&mut self, bits: u8) -> Option<u16> {
        (0..bits).try_fold(0, |value, at| Some(value | self.bit()? << at))
    }

    /// The bytes after the rest of this one.
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let start = self.at.div_ceil(8);
        let bytes = self.src.get(start..)?.get(..count)?;
        self.at = (start + count) * 8;
        Some(bytes)
    }
}

struct Reader<'a> {
    bits: Bits<'a>,
    content: Content,
    limit: usize,
    lax: bool,
}

impl Reader<'_> {
    fn stream(&mut self) -> Result<(), Reading> {
        loop {
            let last = self.number(1)?;
            match self.number(2)? {
                0 => self.stored()?,
                1 => {
                    let (literals, distances) = fixed();
                    self.block(&literals, &distances)?;
                }
                2 => {
                    let (literals, distances) = self.dynamic()?;
                    self.block(&literals, &distances)?;
                }
                _ => return Err(self.content.corrupt()),
            }
            if last == 1 {
                return Ok(());
            }
        }
    }

    fn stored(&mut self) -> Result<(), Reading> {
        let sizes = self.bits.bytes(4).and_then(|sizes| sizes.first_chunk());
        let [a, b, c, d] = *sizes.ok_or_else(|| self.content.corrupt())?;
        let len = u16::from_le_bytes([a, b]);
        if len != !u16::from_le_bytes([c, d]) {
            return Err(self.content.corrupt());
        }
        let bytes = self.bits.bytes(len.into());
        let bytes = bytes.ok_or_else(|| self.content.corrupt())?;
        self.content.literals(bytes, self.limit)
    }

    fn dynamic(&mut self) -> Result<(Code, Code), Reading> {
        let literals = usize::from(self.number(5)?) + 257;
        let distances = usize::from(self.number(5)?) + 1;
        // More than there are symbols; what is more is not used.
        self.lax |= literals > 286 || distances > 30;
        let sent = usize::from(self.number(4)?) + 4;
        let mut lengths = [0; 19];
        for symbol in CODE_LENGTH_ORDER.into_iter().take(sent) {
            let bits = self.number(3)?;
            if let Some(length) = lengths.get_mut(symbol) {
                *length = bits as u8;
            }
        }
        let code_lengths = self.code(&lengths, false)?;

        let mut lengths = Vec::new();
        while lengths.len() < literals + distances {
            let (length, times) = match self.symbol(&code_lengths)? {
                length @ 0..16 => (length as u8, 1),
                16 => {
                    let last = lengths.last().copied();
                    let last = last.ok_or_else(|| self.content.corrupt())?;
                    (last, self.number(2)? + 3)
                }
                17 => (0, self.number(3)? + 3),
                _ => (0, self.number(7)? + 11),
            };
            lengths.extend(std::iter::repeat_n(length, times.into()));
        }
        if lengths.len() > literals + distances {
            return Err(self.content.corrupt());
        }
        let (for_literals, for_distances) = lengths.split_at(literals);
        Ok((
            self.code(for_literals, true)?,
            self.code(for_distances, true)?,
        ))
    }

    /// The code with these lengths. One symbol of one bit, or none at all, is a code that leaves
    /// something out and that decoders take where `sparse` is allowed, which not all agree on.
    fn code(&mut self, lengths: &[u8], sparse: bool) -> Result<Code, Reading> {
        let code = Code::new(lengths);
        match code.left_out() {
            Some(0) => Ok(code),
            Some(_) if code.is_sparse() => {
                self.lax |= !sparse;
                Ok(code)
            }
            _ => Err(self.content.corrupt()),
        }
    }

    fn block(&mut self, literals: &Code, distances: &Code) -> Result<(), Reading> {
        loop {
            match self.symbol(literals)? {
                END_OF_BLOCK => return Ok(()),
                literal @ 0..END_OF_BLOCK => self.content.literals(&[literal as u8], self.limit)?,
                symbol => {
                    let length = self.value(&LENGTHS, symbol - END_OF_BLOCK - 1)?;
                    let symbol = self.symbol(distances)?;
                    let distance = self.value(&DISTANCES, symbol)?;
                    self.content.copy(distance, length, self.limit)?;
                }
            }
        }
    }

    /// Base and extra bits of a symbol.
    fn value(&mut self, table: &[(u16, u8)], symbol: u16) -> Result<usize, Reading> {
        let entry = table.get(usize::from(symbol)).copied();
        let (base, extra) = entry.ok_or_else(|| self.content.corrupt())?;
        Ok(usize::from(base) + usize::from(self.number(extra)?))
    }

    fn symbol(&mut self, code: &Code) -> Result<u16, Reading> {
        let symbol = code.read(&mut self.bits);
        symbol.ok_or_else(|| self.content.corrupt())
    }

    fn number(&mut self, bits: u8) -> Result<u16, Reading> {
        let number = self.bits.number(bits);
        number.ok_or_else(|| self.content.corrupt())
    }
}

/// A canonical prefix code: how many codes there are of each length, and their symbols in order.
struct Code {
    counts: [u16; MAX_BITS + 1],
    symbols: Vec<u16>,
}

impl Code {
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; MAX_BITS + 1];
        for length in lengths {
            if let Some(count) = counts.get_mut(usize::from(*length)) {
                *count += 1;
            }
        }
        // Length 0 is no code.
        let [none, with_code @ ..] = &mut counts;
        *none = 0;
        let mut places = [0_u16; MAX_BITS + 1];
        let mut next = 0;
        for (place, count) in places.iter_mut().skip(1).zip(with_code) {
            *place = next;
            next += *count;
        }
        let mut symbols = vec![0; next.into()];
        for (symbol, length) in (0..).zip(lengths).filter(|(_, length)| **length > 0) {
            let Some(place) = places.get_mut(usize::from(*length)) else {
                continue;
            };
            if let Some(to) = symbols.get_mut(usize::from(*place)) {
                *to = symbol;
            }
            *place += 1;
        }
        Self { counts, symbols }
    }

    /// How many codes of the longest length could be added; `None` if there are too many already.
    fn left_out(&self) -> Option<u32> {
        self.counts
            .iter()
            .skip(1)
            .try_fold(1_u32, |left, count| (left * 2).checked_sub((*count).into()))
    }

    fn is_sparse(&self) -> bool {
        let [_, of_one_bit, ..] = self.counts;
        self.symbols.is_empty() || self.symbols.len() == 1 && of_one_bit == 1
    }

    fn read(&self, bits: &mut Bits<'_>) -> Option<u16> {
        // Codes of one length are consecutive numbers, and follow on from the shorter ones.
        let (mut code, mut first, mut index) = (0_usize, 0, 0);
        for count in self.counts.iter().skip(1) {
            code |= usize::from(bits.bit()?);
            let count = usize::from(*count);
            if code < first + count {
                return self.symbols.get(index + code - first).copied();
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// The code of block type 1, for literals and lengths (section 3.2.6).
fn fixed_length(symbol: u16) -> u8 {
    match symbol {
        0..144 => 8,
        144..256 => 9,
        256..280 => 7,
        _ => 8,
    }
}

fn fixed() -> (Code, Code) {
    let literals: Vec<u8> = (0..288).map(fixed_length).collect();
    (Code::new(&literals), Code::new(&[5; 32]))
}

/// One final block with the fixed code.
pub(super) fn write(content: &[u8], window: usize) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.number(0b011, 3);
    let (sequences, tail) = find(content, window.min(MAX_DISTANCE));
    for sequence in sequences {
        writer.literals(sequence.literals);
        writer.matched(sequence.distance, sequence.length);
    }
    writer.literals(tail);
    writer.symbol(END_OF_BLOCK);
    writer.unit
}

/// See [`write_distant`](super::write_distant).
pub(super) fn write_distant(content: &[u8], distance: usize) -> Option<Vec<u8>> {
    if !(1..=MAX_DISTANCE).contains(&distance) {
        return None;
    }
    let (literals, repeated) = content.split_at_checked(distance)?;
    let mut writer = Writer::default();
    writer.number(0b011, 3);
    writer.literals(literals);
    writer.matched(distance, repeated.len());
    writer.symbol(END_OF_BLOCK);
    Some(writer.unit)
}

#[derive(Default)]
struct Writer {
    unit: Vec<u8>,
    /// Bits used in the last byte; 0 if it is full.
    used: u8,
}

impl Writer {
    fn bit(&mut self, bit: bool) {
        if self.used == 0 {
            self.unit.push(0);
        }
        if let Some(last) = self.unit.last_mut() {
            *last |= u8::from(bit) << self.used;
        }
        self.used = (self.used + 1) % 8;
    }

    /// A number, lowest bit first.
    fn number(&mut self, value: usize, bits: u8) {
        (0..bits).for_each(|at| self.bit(value >> at & 1 == 1));
    }

    /// A code, highest bit first.
    fn code(&mut self, value: u16, bits: u8) {
        (0..bits)
            .rev()
            .for_each(|at| self.bit(value >> at & 1 == 1));
    }

    fn symbol(&mut self, symbol: u16) {
        let code = match symbol {
            0..144 => 0b0011_0000 + symbol,
            144..256 => 0b1_1001_0000 + (symbol - 144),
            256..280 => symbol - 256,
            _ => 0b1100_0000 + (symbol - 280),
        };
        self.code(code, fixed_length(symbol));
    }

    fn literals(&mut self, literals: &[u8]) {
        literals
            .iter()
            .for_each(|literal| self.symbol((*literal).into()));
    }

    /// A match of any length from 3 on, in as many parts as it needs.
    fn matched(&mut self, distance: usize, mut length: usize) {
        while length > 0 {
            // What is left is never shorter than the shortest match.
            let part = match length {
                ..=MAX_LENGTH => length,
                _ => MAX_LENGTH.min(length - 3),
            };
            let (symbol, extra, bits) = symbol_of(&LENGTHS, part);
            self.symbol(END_OF_BLOCK + 1 + symbol);
            self.number(extra, bits);
            let (symbol, extra, bits) = symbol_of(&DISTANCES, distance);
            self.code(symbol, 5);
            self.number(extra, bits);
            length -= part;
        }
    }
}

/// The symbol of a length or distance, the extra bits, and how many they are.
fn symbol_of(table: &[(u16, u8)], value: usize) -> (u16, usize, u8) {
    let at = table.partition_point(|(base, _)| usize::from(*base) <= value);
    let at = at.saturating_sub(1);
    let (base, bits) = table.get(at).copied().unwrap_or_default();
    (at as u16, value - usize::from(base), bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_block_is_read() {
        for (unit, content) in [
            (&b"\x03\x00"[..], &b""[..]),
            (b"\x4b\x4c\x4a\x06\x00", b"abc"),
            (b"\x01\x03\x00\xfc\xffabc", b"abc"),
            (b"\x00\x01\x00\xfe\xffa\x01\x01\x00\xfe\xffb", b"ab"),
            (b"\x73\x74\xa4\x0c\x00\x00", &[b'A'; 64]),
        ] {
            assert_eq!(read(unit, 100).unwrap().bytes, content, "{unit:x?}");
        }
    }

    #[test]
    fn what_cannot_be_is_corrupt() {
        for unit in [
            &b""[..],
            b"\x03",
            b"\x03\x00\x00",
            b"\x07",
            b"\x01\x03\x00\xfc\xfeabc",
            b"\x01\x03\x00\xfc\xffab",
            b"\x4b\x4c\x4a\x06",
            // A match before anything it could copy.
            b"\x03\x02\x00",
        ] {
            assert!(
                matches!(read(unit, 100), Err(Reading::Corrupt { .. })),
                "{unit:x?}"
            );
        }
    }

    #[test]
    fn tables_have_no_gap() {
        for table in [&LENGTHS[..28], &DISTANCES] {
            for pair in table.windows(2) {
                assert_eq!(u32::from(pair[0].0) + (1 << pair[0].1), pair[1].0.into());
            }
        }
    }
}

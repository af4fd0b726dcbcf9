//! Writes Deflate streams bit by bit, also such as no encoder writes.

/// A stream in the making.
#[derive(Default)]
pub struct Writer {
    pub bytes: Vec<u8>,
    bits: usize,
}

/// The order in which the lengths of the code for code lengths are stored (RFC 1951, section
/// 3.2.7).
const CODE_LENGTH_ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

impl Writer {
    /// A last block with the fixed codes, which wants symbols.
    pub fn fixed() -> Self {
        Self::default().number(1, 1).number(1, 2)
    }

    /// A last block with a code for code lengths of this many literals and distances, which wants
    /// code lengths.
    pub fn dynamic(literals: usize, distances: usize, code_lens: [u8; 19]) -> Self {
        let head = Self::default()
            .number(1, 1)
            .number(2, 2)
            .number(literals as u32 - 257, 5)
            .number(distances as u32 - 1, 5)
            .number(15, 4);
        CODE_LENGTH_ORDER.into_iter().fold(head, |head, symbol| {
            head.number(code_lens[symbol].into(), 3)
        })
    }

    /// A last block with codes of these lengths, which wants symbols.
    pub fn with_codes(literals: &[u8], distances: &[u8]) -> Self {
        // Sixteen codewords of 4 bits, for the lengths 0 to 15, and none for repeats.
        let mut code_lens = [4; 19];
        code_lens[16..].fill(0);
        let head = Self::dynamic(literals.len(), distances.len(), code_lens);
        let lens = literals.iter().chain(distances);
        lens.fold(head, |head, len| head.codeword(u32::from(*len), 4))
    }

    /// A number, from its lowest bit.
    pub fn number(mut self, number: u32, bits: u32) -> Self {
        for bit in 0..bits {
            if self.bits.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let last = self.bytes.last_mut().unwrap();
            *last |= (((number >> bit) & 1) as u8) << (self.bits % 8);
            self.bits += 1;
        }
        self
    }

    /// A codeword, from its highest bit.
    pub fn codeword(self, codeword: u32, bits: u32) -> Self {
        self.number(codeword.reverse_bits() >> (u32::BITS - bits), bits)
    }
}

/// The lengths of a code with codewords for some of `count` symbols.
pub fn lens(count: usize, some: &[(usize, u8)]) -> Vec<u8> {
    let mut lens = vec![0; count];
    for (symbol, len) in some {
        lens[*symbol] = *len;
    }
    lens
}

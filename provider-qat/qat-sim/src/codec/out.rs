/// Writes to a slice as long as there is room.
#[derive(Debug)]
pub(super) struct Out<'a> {
    dst: &'a mut [u8],
    len: usize,
}

impl<'a> Out<'a> {
    pub(super) const fn new(dst: &'a mut [u8]) -> Self {
        Self { dst, len: 0 }
    }

    /// Bytes written.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// What was written.
    pub(super) fn written(&self) -> &[u8] {
        self.dst.get(..self.len).unwrap_or_default()
    }

    /// What is left, to be written by somebody else who says how much it was.
    pub(super) fn rest(&mut self) -> &mut [u8] {
        self.dst.get_mut(self.len..).unwrap_or_default()
    }

    pub(super) const fn skip(&mut self, bytes: usize) {
        self.len += bytes;
    }

    pub(super) fn byte(&mut self, byte: u8) -> Option<()> {
        self.bytes(&[byte])
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.len.checked_add(bytes.len())?;
        self.dst.get_mut(self.len..end)?.copy_from_slice(bytes);
        self.len = end;
        Some(())
    }

    /// Repeats what was written `offset` bytes ago, which is at least 1.
    pub(super) fn copy(&mut self, offset: usize, len: usize) -> Option<()> {
        let mut from = self.len.checked_sub(offset)?;
        let end = self
            .len
            .checked_add(len)
            .filter(|end| *end <= self.dst.len())?;
        while self.len < end {
            // What overlaps repeats with this period.
            let n = offset.min(end - self.len);
            self.dst.copy_within(from..from + n, self.len);
            (from, self.len) = (from + n, self.len + n);
        }
        Some(())
    }

    /// A length as LZ4 writes what does not fit its nibble: 255s, and what is left.
    pub(super) fn extended(&mut self, length: usize) -> Option<()> {
        let Some(mut rest) = length.checked_sub(15) else {
            return Some(());
        };
        while rest >= 255 {
            self.byte(255)?;
            rest -= 255;
        }
        self.byte(u8::try_from(rest).ok()?)
    }

    /// A token of LZ4 or LZ4s with its literals: the nibble of the match is `matched`, as far as
    /// it fits.
    pub(super) fn token(&mut self, literals: &[u8], matched: usize) -> Option<()> {
        let nibble = |length: usize| u8::try_from(length.min(15)).ok();
        self.byte(nibble(literals.len())? << 4 | nibble(matched)?)?;
        self.extended(literals.len())?;
        self.bytes(literals)
    }
}

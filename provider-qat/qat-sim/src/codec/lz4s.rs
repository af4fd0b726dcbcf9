//! LZ4s, which devices alone write: LZ4 whose match lengths count from 2, where a nibble of 0 is no
//! match. QATzip puts the length of each block before it.

use super::out::Out;
use super::sequences::Finder;
use crate::fault::Kind;
use crate::script::Work;
use crate::setup::Setup;

/// What a match length is counted from: a nibble of 1 is a match of 3 bytes.
const BASE: usize = 2;

/// Runs of literals are cut to this length, with no match in between.
const MOST_LITERALS: usize = 8 << 10;

#[derive(Debug)]
pub(crate) struct Lz4s {
    finder: Finder,
    min_match: usize,
    work: Work,
}

impl Lz4s {
    /// For matches of 3, or of 4 bytes at least.
    pub(crate) fn new(setup: &Setup, work: Work) -> Self {
        Self {
            finder: Finder::new(setup.level),
            min_match: setup.min_match,
            work,
        }
    }

    pub(super) fn compress(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        fault: Option<Kind>,
    ) -> Option<usize> {
        let mut out = Out::new(dst.get_mut(4..)?);
        let mut spoil = match fault {
            Some(kind @ (Kind::ZeroOffset | Kind::FarOffset | Kind::WrongSum)) => Some(kind),
            _ => None,
        };
        let last = match self.work {
            Work::Stored => 0,
            Work::Fast => self
                .finder
                .find(src, self.min_match, |literals, offset, len| {
                    let (mut offset, mut matched) = (offset, len - BASE);
                    match spoil.take() {
                        Some(Kind::ZeroOffset) => offset = 0,
                        Some(Kind::FarOffset) => offset = usize::from(u16::MAX),
                        Some(_) => matched = matched.saturating_sub(1),
                        None => {}
                    }
                    let literals = cut(&mut out, literals)?;
                    out.token(literals, matched)?;
                    out.bytes(&u16::try_from(offset).ok()?.to_le_bytes())?;
                    out.extended(matched)
                })?,
        };
        let rest = cut(&mut out, src.get(last..)?)?;
        // Where nothing repeats there is no match to spoil, but a literal to leave out.
        let rest = match spoil {
            Some(_) => rest.get(1..).unwrap_or_default(),
            None => rest,
        };
        out.token(rest, 0)?;
        let len = out.len();
        let header = u32::try_from(len).ok()?.to_le_bytes();
        dst.first_chunk_mut().map(|first| *first = header)?;
        Some(4 + len)
    }
}

/// Writes literals as long as there are many; returns those that are left.
fn cut<'a>(out: &mut Out<'_>, mut literals: &'a [u8]) -> Option<&'a [u8]> {
    while literals.len() > MOST_LITERALS {
        let (many, rest) = literals.split_at(MOST_LITERALS);
        out.token(many, 0)?;
        out.bytes(&[0; 2])?;
        literals = rest;
    }
    Some(literals)
}

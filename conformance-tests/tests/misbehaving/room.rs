//! Lies about room, and mistakes with it.

use compressor_api::{Capabilities, DecompressSession, Error, ErrorKind, Format, OutputNeed};
use compressor_conformance::{Options, Subject, run};

use crate::wrapper::{Compress, Decompress, Misbehaves, fail, misbehaving};

/// "Does not fit", even with room.
#[derive(Debug)]
struct OverflowAlways;

impl Misbehaves for OverflowAlways {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        Err(fail(ErrorKind::OutputTooSmall))
    }
}

/// A bound that is one byte short of what the worst content needs.
#[derive(Debug)]
struct BoundOneShort;

impl Misbehaves for BoundOneShort {
    fn bound(&self, len: usize, right: Option<usize>) -> Option<usize> {
        match len {
            0 => right,
            _ => Some(len + len / 255 + 1),
        }
    }
}

/// A bound of 0 for nothing.
#[derive(Debug)]
struct BoundOfZero;

impl Misbehaves for BoundOfZero {
    fn bound(&self, len: usize, _: Option<usize>) -> Option<usize> {
        Some(len)
    }
}

/// A bound that wraps around.
#[derive(Debug)]
struct BoundWraps;

impl Misbehaves for BoundWraps {
    fn bound(&self, len: usize, _: Option<usize>) -> Option<usize> {
        Some(len.wrapping_add(len / 8).wrapping_add(64))
    }
}

/// No bound for what it takes.
#[derive(Debug)]
struct NoBound;

impl Misbehaves for NoBound {
    fn bound(&self, len: usize, right: Option<usize>) -> Option<usize> {
        right.filter(|_| len < 1 << 20)
    }
}

/// Needs the bound, and keeps no scratch.
#[derive(Debug)]
struct NeedsTheBound;

impl Misbehaves for NeedsTheBound {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        match dst.len() < src.len() + src.len() / 8 + 64 {
            true => Err(fail(ErrorKind::OutputTooSmall)),
            false => base.compress(src, dst),
        }
    }
}

/// Needs the bound as well, and lists it: that is nothing wrong.
#[derive(Debug)]
struct ListsThatItNeedsTheBound(ErrorKind);

impl Misbehaves for ListsThatItNeedsTheBound {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listed
            .into_iter()
            .map(|entry| entry.with_output(OutputNeed::Bound))
            .collect()
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        NeedsTheBound
            .compress(call)
            .map_err(|error| match error.kind() {
                ErrorKind::OutputTooSmall => fail(self.0),
                kind => fail(kind),
            })
    }
}

#[test]
fn who_lists_that_it_needs_the_bound_may_need_it() {
    let how = ListsThatItNeedsTheBound(ErrorKind::OutputTooSmall);
    let subject = Subject::new(misbehaving(crate::plain(Format::Zlib), how));
    let report = run(&subject, &Options::quick().only("room"), |_| {});
    assert!(report.conforms(), "{report}");
}

/// Decodes in steps of eight bytes, so an exact fit is too small.
#[derive(Debug)]
struct NeedsSlack;

impl Misbehaves for NeedsSlack {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let n = base.decompress(src, dst)?;
        match n > 0 && n + 8 > dst.len() {
            true => Err(fail(ErrorKind::OutputTooSmall)),
            false => Ok(n),
        }
    }
}

/// Cuts the content where `dst` ends, and says OK.
#[derive(Debug)]
struct CutsContent;

impl Misbehaves for CutsContent {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let mut whole = vec![0; dst.len() + 70_000];
        let n = base.decompress(src, &mut whole)?.min(dst.len());
        dst[..n].copy_from_slice(&whole[..n]);
        Ok(n)
    }
}

/// An empty `dst` is called a mistake.
#[derive(Debug)]
struct RefusesEmptyDst;

impl Misbehaves for RefusesEmptyDst {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        match dst.is_empty() {
            true => Err(fail(ErrorKind::InvalidArgument)),
            false => base.compress(src, dst),
        }
    }
}

/// Content that does not fill `dst` is fine by `decompress_exact`.
#[derive(Debug)]
struct ExactIsAtMost;

impl Misbehaves for ExactIsAtMost {
    fn decompress_exact(
        &self,
        base: &mut dyn DecompressSession,
        src: &[u8],
        dst: &mut [u8],
    ) -> Option<Result<(), Error>> {
        Some(base.decompress(src, dst).map(|_| ()))
    }
}

/// `decompress_exact` says that a larger `dst` would help.
#[derive(Debug)]
struct ExactIsTooSmall;

impl Misbehaves for ExactIsTooSmall {
    fn decompress_exact(
        &self,
        base: &mut dyn DecompressSession,
        src: &[u8],
        dst: &mut [u8],
    ) -> Option<Result<(), Error>> {
        match base.decompress(src, dst) {
            Err(error) if error.kind() == ErrorKind::OutputTooSmall => Some(Err(error)),
            _ => None,
        }
    }
}

/// Asks for more room than any machine has; whoever believes it ends the process.
#[derive(Debug)]
struct BoundOfAbsurdSize;

impl Misbehaves for BoundOfAbsurdSize {
    fn bound(&self, _: usize, right: Option<usize>) -> Option<usize> {
        right.map(|_| 1 << 46)
    }
}

/// Asks for a gigabyte, which there is, for every block.
#[derive(Debug)]
struct BoundOfAGigabyte;

impl Misbehaves for BoundOfAGigabyte {
    fn bound(&self, len: usize, right: Option<usize>) -> Option<usize> {
        right.map(|right| right.max(len.saturating_add(1 << 30)))
    }
}

crate::each_caught! {
    lists_that_it_needs_the_bound_and_blames_the_spec: ListsThatItNeedsTheBound(ErrorKind::Unsupported), Zlib => "exact-fit";
    bound_of_absurd_size: BoundOfAbsurdSize, Zlib => "bound-plausible";
    bound_of_absurd_size_ends_no_other_check: BoundOfAbsurdSize, Snappy => "round-trip";
    bound_of_a_gigabyte: BoundOfAGigabyte, Lz4Block => "bound-plausible";
    overflow_always: OverflowAlways, Lz4Sized => "bound-suffices";
    bound_one_short: BoundOneShort, Lz4Block => "bound-suffices";
    bound_of_zero: BoundOfZero, None => "bound-plausible";
    bound_wraps: BoundWraps, Zlib => "bound-plausible";
    no_bound: NoBound, Zlib => "bound-plausible";
    needs_the_bound: NeedsTheBound, Snappy => "exact-fit";
    needs_slack: NeedsSlack, Lz4Block => "exact-fit";
    cuts_content: CutsContent, Zlib => "exact-fit";
    cuts_content_everywhere: CutsContent, Lz4Sized => "every-room";
    refuses_empty_dst: RefusesEmptyDst, Zlib => "every-room";
    exact_is_at_most: ExactIsAtMost, Zlib => "exact-length";
    exact_is_too_small: ExactIsTooSmall, Snappy => "exact-length";
}

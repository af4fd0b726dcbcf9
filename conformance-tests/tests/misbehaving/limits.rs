//! Limits that are not what is listed.

use compressor_api::{Capabilities, Effective, EffectiveSide, Error, ErrorKind, Spec};

use crate::wrapper::{Compress, Decompress, Misbehaves, fail};

fn listing(
    listed: Vec<Capabilities>,
    limit: impl Fn(Capabilities) -> Capabilities,
) -> Vec<Capabilities> {
    listed.into_iter().map(limit).collect()
}

/// Takes less than it lists.
#[derive(Debug)]
struct TakesLess;

impl Misbehaves for TakesLess {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing(listed, |entry| entry.with_input(0, 10_000))
    }

    fn bound(&self, len: usize, right: Option<usize>) -> Option<usize> {
        right.filter(|_| len <= 10_000)
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        match src.len() < 10_000 {
            true => base.compress(src, dst),
            false => Err(fail(ErrorKind::Unsupported)),
        }
    }
}

/// Past its limit it compresses a part, and says OK.
#[derive(Debug)]
struct CutsPastItsLimit;

impl Misbehaves for CutsPastItsLimit {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing(listed, |entry| entry.with_input(0, 10_000))
    }

    fn bound(&self, len: usize, right: Option<usize>) -> Option<usize> {
        right.filter(|_| len <= 10_000)
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        base.compress(&src[..src.len().min(10_000)], dst)
    }
}

/// Below its least input it reads past the end, and compresses what it finds there.
#[derive(Debug)]
struct PadsShortInput;

impl Misbehaves for PadsShortInput {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing(listed, |entry| match entry.direction {
            compressor_api::Direction::Compress => entry.with_input(20, 1 << 20),
            compressor_api::Direction::Decompress => entry,
        })
    }

    fn bound(&self, len: usize, right: Option<usize>) -> Option<usize> {
        right.filter(|_| len <= 1 << 20)
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        let mut padded = src.to_vec();
        padded.resize(src.len().max(20), 0);
        base.compress(&padded, dst)
    }
}

/// Gives less than it lists.
#[derive(Debug)]
struct GivesLess;

impl Misbehaves for GivesLess {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing(listed, |entry| entry.with_max_output(20_000))
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let n = base.decompress(src, dst)?;
        match n < 20_000 {
            true => Ok(n),
            false => Err(fail(ErrorKind::Unsupported)),
        }
    }
}

/// Goes by the room and not by the content: with more of it than the content needs, what is listed
/// for the content is refused.
#[derive(Debug)]
struct GoesByTheRoom;

impl Misbehaves for GoesByTheRoom {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing(listed, |entry| entry.with_max_output(20_000))
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let room = dst.len();
        match base.decompress(src, dst)? {
            n if n < room && n > 19_000 => Err(fail(ErrorKind::Unsupported)),
            n => Ok(n),
        }
    }
}

/// With one byte more than the content needs, the content comes out wrong.
#[derive(Debug)]
struct WrongWithMoreRoom;

impl Misbehaves for WrongWithMoreRoom {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing(listed, |entry| entry.with_max_output(20_000))
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let n = base.decompress(src, dst)?;
        if n < dst.len() && n > 19_000 {
            dst[n / 2] ^= 1;
        }
        Ok(n)
    }
}

/// Keeps 4 KiB of history, and lists all that the format has: matches further back come out wrong.
#[derive(Debug)]
struct ShortHistory;

impl Misbehaves for ShortHistory {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let n = base.decompress(src, dst)?;
        if n > 4_096 {
            dst[4_096..n].fill(0);
        }
        Ok(n)
    }
}

/// Lists 4 KiB, and reaches further back.
#[derive(Debug)]
struct ReachesFurther;

impl Misbehaves for ReachesFurther {
    fn list(&self, listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listing(listed, |entry| entry.with_window(4 << 10))
    }
}

/// Reaches as far as it lists, and further than effective() says.
#[derive(Debug)]
struct ReachesFurtherThanItSays;

impl Misbehaves for ReachesFurtherThanItSays {
    fn effective(&self, _: &Spec, right: Effective) -> Effective {
        let side = |side: EffectiveSide| EffectiveSide::new(side.provider, side.level, 1 << 10);
        Effective::new(right.compress.map(side), right.decompress)
    }
}

crate::each_caught! {
    takes_less: TakesLess, Lz4Block => "input-limits";
    cuts_past_its_limit: CutsPastItsLimit, Lz4Block => "input-limits";
    pads_short_input: PadsShortInput, Zlib => "input-limits";
    goes_by_the_room: GoesByTheRoom, Lz4Sized => "output-limit";
    wrong_with_more_room: WrongWithMoreRoom, Snappy => "output-limit";
    gives_less: GivesLess, Lz4Sized => "output-limit";
    short_history: ShortHistory, Snappy => "window-resolved";
    reaches_further: ReachesFurther, Lz4Block => "window-kept";
    reaches_further_than_it_says: ReachesFurtherThanItSays, Snappy => "window-kept";
}

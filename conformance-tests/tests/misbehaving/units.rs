//! What is written is not what was asked for.

use std::ops::RangeInclusive;

use compressor_api::{Capabilities, Direction, Error, ErrorKind, Format, LevelRange};
use compressor_conformance::{Options, Subject, run};

use crate::wrapper::{Compress, Decompress, Memory, Misbehaves, fail};

/// OK, but the output holds only the first n − 1 bytes.
#[derive(Debug)]
struct ConsumesLess;

impl Misbehaves for ConsumesLess {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        base.compress(&src[..src.len().saturating_sub(1)], dst)
    }
}

/// OK with 0 bytes for a block that is not empty.
#[derive(Debug)]
struct OkWithZero;

impl Misbehaves for OkWithZero {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        Ok(0)
    }
}

/// Fills all of `dst`, then fails.
#[derive(Debug)]
struct ScribblesThenFails;

impl Misbehaves for ScribblesThenFails {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { dst, .. } = call;
        dst.fill(0xAA);
        Err(fail(ErrorKind::Device))
    }
}

/// The same for reading.
#[derive(Debug)]
struct ScribblesOverContent;

impl Misbehaves for ScribblesOverContent {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { dst, .. } = call;
        dst.fill(0xAA);
        Err(fail(ErrorKind::Device))
    }
}

/// A code that nobody documented.
#[derive(Debug)]
struct UnknownErrorCode;

impl Misbehaves for UnknownErrorCode {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        Err(Error::with_native(
            ErrorKind::Device,
            compressor_conformance::plain::ID,
            -9_999,
        ))
    }
}

/// The same error for ever.
#[derive(Debug)]
struct PermanentError;

impl Misbehaves for PermanentError {
    fn compress(&self, _: Compress<'_>) -> Result<usize, Error> {
        Err(fail(ErrorKind::Device))
    }
}

/// Flips a bit every third call, and says OK.
#[derive(Debug)]
struct FlipsBit;

impl Misbehaves for FlipsBit {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        let n = base.compress(src, dst)?;
        if memory.calls.is_multiple_of(3) && n > 0 {
            dst[n / 2] ^= 0x10;
        }
        Ok(n)
    }
}

/// The same for reading.
#[derive(Debug)]
struct FlipsBitOfContent;

impl Misbehaves for FlipsBitOfContent {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress {
            memory,
            base,
            src,
            dst,
        } = call;
        let n = base.decompress(src, dst)?;
        if memory.calls.is_multiple_of(3) && n > 0 {
            dst[n / 2] ^= 0x10;
        }
        Ok(n)
    }
}

/// Reads back what it wrote, and nobody else does: each byte is inverted.
#[derive(Debug)]
struct PrivateFormat;

impl Misbehaves for PrivateFormat {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        let n = base.compress(src, dst)?;
        dst[..n].iter_mut().for_each(|byte| *byte = !*byte);
        Ok(n)
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let right: Vec<u8> = src.iter().map(|byte| !byte).collect();
        base.decompress(&right, dst)
    }
}

/// An LZ4 frame where a raw block was asked for.
#[derive(Debug)]
struct FrameInsteadOfBlock;

impl Misbehaves for FrameInsteadOfBlock {
    fn bound(&self, _: usize, right: Option<usize>) -> Option<usize> {
        right?.checked_add(15)
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        let head = b"\x04\x22\x4d\x18\x60\x40\x82";
        let room = dst
            .len()
            .checked_sub(15)
            .ok_or(fail(ErrorKind::OutputTooSmall))?;
        let n = base.compress(src, &mut dst[11..11 + room])?;
        dst[..7].copy_from_slice(head);
        dst[7..11].copy_from_slice(&u32::try_from(n).unwrap().to_le_bytes());
        dst[11 + n..15 + n].fill(0);
        Ok(n + 15)
    }
}

/// Above its buffer size, several streams in a row.
#[derive(Debug)]
struct MultiStream;

impl MultiStream {
    const BUFFER: usize = 4_096;
}

impl Misbehaves for MultiStream {
    fn bound(&self, _: usize, right: Option<usize>) -> Option<usize> {
        right?.checked_mul(2)
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        if src.is_empty() {
            return base.compress(src, dst);
        }
        let mut written = 0;
        for part in src.chunks(Self::BUFFER) {
            written += base.compress(part, &mut dst[written..])?;
        }
        Ok(written)
    }
}

/// The body is right, the checksum at the end byte-swapped.
#[derive(Debug)]
struct WrongChecksum;

impl Misbehaves for WrongChecksum {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        let n = base.compress(src, dst)?;
        dst[n - 4..n].reverse();
        Ok(n)
    }
}

/// Lists levels, and fails one of them.
#[derive(Debug)]
struct FailsLevel;

impl Misbehaves for FailsLevel {
    fn list(&self, mut listed: Vec<Capabilities>) -> Vec<Capabilities> {
        listed
            .iter_mut()
            .for_each(|entry| entry.levels = LevelRange::new(1, 9, 6));
        listed
    }

    fn open(
        &self,
        _: Direction,
        compressor: &std::sync::Arc<crate::wrapper::Wrapped>,
    ) -> Result<Memory, Error> {
        Ok(Memory {
            failed: compressor.spec().level() == 9,
            ..Memory::default()
        })
    }

    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress {
            memory,
            base,
            src,
            dst,
        } = call;
        match memory.failed {
            true => Err(fail(ErrorKind::Unsupported)),
            false => base.compress(src, dst),
        }
    }
}

/// Says that there is nothing to compress.
#[derive(Debug)]
struct RefusesEmpty;

impl Misbehaves for RefusesEmpty {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        match src.is_empty() {
            true => Err(fail(ErrorKind::InvalidArgument)),
            false => base.compress(src, dst),
        }
    }
}

/// Reads units up to a size that it does not list.
#[derive(Debug)]
struct ReadsOnlySmall;

impl Misbehaves for ReadsOnlySmall {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        match src.len() > 20_000 {
            true => Err(fail(ErrorKind::Unsupported)),
            false => base.decompress(src, dst),
        }
    }
}

/// Wrong bytes, but only of content of some lengths.
#[derive(Debug)]
struct WrongAt(RangeInclusive<usize>);

impl WrongAt {
    /// Longer than any block that engines write.
    const LONG: Self = Self(200 << 10..=usize::MAX);
    /// A length like any other.
    const ONE: Self = Self(9_000..=9_000);
}

impl Misbehaves for WrongAt {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
        match self.0.contains(&src.len()) {
            true => base.compress(&src[..src.len() - 1], dst),
            false => base.compress(src, dst),
        }
    }

    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let n = base.decompress(src, dst)?;
        if self.0.contains(&n) {
            dst[n / 2] ^= 1;
        }
        Ok(n)
    }
}

crate::each_caught! {
    wrong_when_long: WrongAt::LONG, Lz4Block => "any-length";
    wrong_at_one_length: WrongAt::ONE, Snappy => "any-length";
    consumes_less: ConsumesLess, Zlib => "consumes-all";
    ok_with_zero: OkWithZero, Snappy => "unit-not-empty";
    scribbles_then_fails: ScribblesThenFails, Lz4Block => "round-trip";
    scribbles_over_content: ScribblesOverContent, Lz4Block => "reads-every-writer";
    permanent_error: PermanentError, Lz4Sized => "round-trip";
    unknown_error_code: UnknownErrorCode, Gzip => "round-trip";
    flips_bit: FlipsBit, Zlib => "steady";
    flips_bit_of_content: FlipsBitOfContent, Snappy => "steady";
    private_format: PrivateFormat, Zlib => "known-answer";
    private_format_written: PrivateFormat, Lz4Sized => "round-trip";
    frame_instead_of_block: FrameInsteadOfBlock, Lz4Block => "round-trip";
    multi_stream: MultiStream, Zlib => "round-trip";
    wrong_checksum: WrongChecksum, Zlib => "round-trip";
    fails_level: FailsLevel, Zlib => "serves-every-level";
    refuses_empty: RefusesEmpty, DeflateRaw => "empty-content";
    reads_only_small: ReadsOnlySmall, Lz4Sized => "reads-every-writer";
    vectors_of_a_private_format: PrivateFormat, Snappy => "frozen-vectors";
}

#[test]
fn a_reference_codec_does_not_read_a_private_format() {
    let reference = || crate::plain(Format::Lz4Sized);
    let base = || Subject::new(reference()).with_reference(reference());
    let subject = || {
        let subject = crate::misbehaving(reference(), PrivateFormat);
        Subject::new(subject).with_reference(reference())
    };
    crate::caught("reference-reads", &base, &subject);
}

/// Compressing and decompressing each, by lengths that the other checks do not have.
#[test]
fn each_direction_is_tried_at_any_length() {
    for how in [|| WrongAt::LONG, || WrongAt::ONE] {
        let subject = Subject::new(crate::misbehaving(crate::plain(Format::Snappy), how()));
        let report = run(&subject, &Options::quick().only("any-length"), |_| {});
        let directions: Vec<_> = { report.failures() }
            .filter_map(|(row, _)| row.direction.as_deref())
            .collect();
        for direction in ["compress", "decompress"] {
            assert!(directions.contains(&direction), "{report}");
        }
    }
}

/// Another seed is other lengths, and the line of a failure leads back to the one that was drawn.
#[test]
fn lengths_are_drawn_from_the_seed() {
    let size = |seed| {
        let subject = crate::misbehaving(crate::plain(Format::Lz4Block), WrongAt::LONG);
        let options = Options::quick().only("any-length").with_seed(seed);
        let report = run(&Subject::new(subject), &options, |_| {});
        let (_, failure) = report.failures().next().unwrap();
        let mut fields = failure.reproduction.split(' ');
        assert!(
            fields.any(|field| field == format!("seed={seed}")),
            "{report}"
        );
        let size = { failure.reproduction.split(' ') }.find(|field| field.starts_with("size="));
        size.unwrap().to_owned()
    };
    assert_eq!(size(1), size(1));
    assert_ne!(size(1), size(2));
}

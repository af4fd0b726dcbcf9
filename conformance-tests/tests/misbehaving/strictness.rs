//! Takes what is no unit.

use compressor_api::{Error, ErrorKind, Format, Spec};

use crate::wrapper::{Decompress, Misbehaves, fail};

/// Tries again with bytes taken off the end, as decoders of streams do that stop at the end of the
/// first.
#[derive(Debug)]
struct AcceptsTrailing;

impl Misbehaves for AcceptsTrailing {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let mut result = base.decompress(src, dst);
        for end in (src.len().saturating_sub(8)..src.len()).rev() {
            if result.is_ok() {
                break;
            }
            result = base.decompress(&src[..end], dst).or(result);
        }
        result
    }
}

/// Takes a second unit for more content.
#[derive(Debug)]
struct AcceptsSecondUnit;

impl Misbehaves for AcceptsSecondUnit {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let whole = base.decompress(src, dst);
        if whole.is_ok() {
            return whole;
        }
        for at in 1..src.len() {
            if let Ok(first) = base.decompress(&src[..at], dst)
                && let Ok(second) = base.decompress(&src[at..], &mut dst[first..])
            {
                return Ok(first + second);
            }
        }
        whole
    }
}

/// Says OK of half the content when the unit ends too early.
#[derive(Debug)]
struct AcceptsTruncated;

impl Misbehaves for AcceptsTruncated {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        match base.decompress(src, dst) {
            Err(error) if src.len() > 8 && error.kind() == ErrorKind::CorruptInput => {
                Ok(dst.len() / 2)
            }
            other => other,
        }
    }
}

/// Does not look at the last four bytes, the checksum.
#[derive(Debug)]
struct IgnoresChecksum;

impl Misbehaves for IgnoresChecksum {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let right = base.decompress(src, dst);
        let Some((body, _)) = src.split_last_chunk::<4>() else {
            return right;
        };
        if right.is_ok() || !src.starts_with(b"\x78") {
            return right;
        }
        // Without a checksum the body is raw Deflate.
        let raw = crate::plain(Format::DeflateRaw);
        let spec = Spec::new(Format::DeflateRaw);
        let mut session = raw.compressor(&spec)?.decompress_session()?;
        session
            .decompress(body.get(2..).unwrap_or_default(), dst)
            .or(right)
    }
}

/// Does not look at the declared length.
#[derive(Debug)]
struct IgnoresLength;

impl Misbehaves for IgnoresLength {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        let right = base.decompress(src, dst);
        let Some(block) = src.get(4..) else {
            return right;
        };
        let raw = crate::plain(Format::Lz4Block);
        let spec = Spec::new(Format::Lz4Block);
        let mut session = raw.compressor(&spec)?.decompress_session()?;
        right.or_else(|error| session.decompress(block, dst).map_err(|_| error))
    }
}

/// Returns the bytes as they are if they do not decode.
#[derive(Debug)]
struct ReturnsRaw;

impl Misbehaves for ReturnsRaw {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        base.decompress(src, dst).or_else(|error| {
            dst.get_mut(..src.len()).ok_or(error)?.copy_from_slice(src);
            Ok(src.len())
        })
    }
}

/// Takes no bytes for no content.
#[derive(Debug)]
struct AcceptsNothing;

impl Misbehaves for AcceptsNothing {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        match src.is_empty() {
            true => Ok(0),
            false => base.decompress(src, dst),
        }
    }
}

/// Blames the device for bad data.
#[derive(Debug)]
struct BlamesDevice;

impl Misbehaves for BlamesDevice {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        base.decompress(src, dst)
            .map_err(|error| match error.kind() {
                ErrorKind::CorruptInput => fail(ErrorKind::Device),
                _ => error,
            })
    }
}

/// One more than is declared.
#[derive(Debug)]
struct WrongDeclaredLen;

impl Misbehaves for WrongDeclaredLen {
    fn declared(&self, _: &[u8], right: Result<Option<u64>, Error>) -> Result<Option<u64>, Error> {
        right.map(|len| len.map(|len| len + 1))
    }
}

/// Believes a header that cannot be.
#[derive(Debug)]
struct BelievesHeader;

impl Misbehaves for BelievesHeader {
    fn declared(&self, _: &[u8], right: Result<Option<u64>, Error>) -> Result<Option<u64>, Error> {
        right.or(Ok(Some(0)))
    }
}

/// Takes the memory that a header declares before it looks at the rest.
#[derive(Debug)]
struct BelievesDeclaredLength;

impl Misbehaves for BelievesDeclaredLength {
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
        if let Some((len, _)) = src.split_first_chunk::<4>() {
            let mut scratch = Vec::<u8>::new();
            let _ = scratch.try_reserve_exact(u32::from_le_bytes(*len) as usize);
            std::hint::black_box(&scratch);
        }
        base.decompress(src, dst)
    }
}

crate::each_caught! {
    believes_declared_length: BelievesDeclaredLength, Lz4Sized => "lying-length";
    accepts_trailing: AcceptsTrailing, Zlib => "trailing-bytes";
    accepts_trailing_of_a_block: AcceptsTrailing, Snappy => "trailing-bytes";
    accepts_second_unit: AcceptsSecondUnit, Gzip => "second-unit";
    accepts_truncated: AcceptsTruncated, Lz4Sized => "truncation";
    accepts_truncated_zlib: AcceptsTruncated, Zlib => "truncation";
    ignores_checksum: IgnoresChecksum, Zlib => "wrong-checksum";
    ignores_checksum_of_flipped: IgnoresChecksum, Zlib => "bit-flips";
    ignores_length: IgnoresLength, Lz4Sized => "lying-length";
    returns_raw: ReturnsRaw, Zlib => "foreign-formats";
    returns_raw_garbage: ReturnsRaw, DeflateRaw => "garbage";
    accepts_nothing: AcceptsNothing, Snappy => "empty-unit";
    blames_device: BlamesDevice, Lz4Block => "bit-flips";
    wrong_declared_len: WrongDeclaredLen, Snappy => "declared-length";
    believes_header: BelievesHeader, Lz4Sized => "declared-length";
}

//! Bytes that nobody may touch, or that come back.

use compressor_api::{CompressSession, DecompressSession, Error, ErrorKind};

use crate::wrapper::{Memory, Misbehaves};

/// Says that it wrote more than there is room for: whoever slices by that reads past `dst`.
#[derive(Debug)]
struct LengthBeyondDst;

impl Misbehaves for LengthBeyondDst {
    fn compress(
        &self,
        _: &mut Memory,
        base: &mut dyn CompressSession,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        match base.compress(src, dst) {
            Err(error) if error.kind() == ErrorKind::OutputTooSmall => Ok(dst.len() + 1),
            other => other,
        }
    }
}

/// Says OK of what it could not decode, and leaves what was there.
#[derive(Debug)]
struct LeavesWhatWasThere;

impl Misbehaves for LeavesWhatWasThere {
    fn decompress(
        &self,
        _: &mut Memory,
        base: &mut dyn DecompressSession,
        src: &[u8],
        dst: &mut [u8],
    ) -> Result<usize, Error> {
        match base.decompress(src, dst) {
            Err(error) if error.kind() == ErrorKind::CorruptInput => Ok(dst.len()),
            other => other,
        }
    }
}

crate::each_caught! {
    length_beyond_dst: LengthBeyondDst, Zlib => "writes-within-dst";
    leaves_what_was_there: LeavesWhatWasThere, Gzip => "no-leftovers";
    leaves_what_was_there_of_a_match: LeavesWhatWasThere, Lz4Block => "no-leftovers";
}

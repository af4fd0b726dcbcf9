//! Bytes that nobody may touch, or that come back.

use compressor_api::{Error, ErrorKind};

use crate::wrapper::{Compress, Decompress, Misbehaves};

/// Says that it wrote more than there is room for: whoever slices by that reads past `dst`.
#[derive(Debug)]
struct LengthBeyondDst;

impl Misbehaves for LengthBeyondDst {
    fn compress(&self, call: Compress<'_>) -> Result<usize, Error> {
        let Compress { base, src, dst, .. } = call;
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
    fn decompress(&self, call: Decompress<'_>) -> Result<usize, Error> {
        let Decompress { base, src, dst, .. } = call;
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

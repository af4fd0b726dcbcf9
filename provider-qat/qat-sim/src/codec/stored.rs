//! Units that hold their content as it is: all of the work of a device whose own work is to be
//! cheap.

use compressor_api::framed::GZIP_HEADER;
use xxhash_rust::xxh64::xxh64;

use super::out::Out;

/// The longest stored block of Deflate (RFC 1951, section 3.2.4).
const DEFLATE_BLOCK: usize = 65_535;

/// The longest block of Zstandard (RFC 8878, section 3.1.1.2.4).
const ZSTD_BLOCK: usize = 128 << 10;

/// A window of 32 KiB, the fastest level (RFC 1950, section 2.2).
const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];

/// Writes a stream of `zlib`.
pub(super) fn zlib(src: &[u8], dst: &mut [u8]) -> Option<usize> {
    let mut out = Out::new(dst);
    out.bytes(&ZLIB_HEADER)?;
    blocks(src, &mut out)?;
    out.bytes(&libdeflater::adler32(src).to_be_bytes())?;
    Some(out.len())
}

/// Writes a member of `gzip`.
pub(super) fn gzip(src: &[u8], dst: &mut [u8]) -> Option<usize> {
    let mut out = Out::new(dst);
    out.bytes(&GZIP_HEADER)?;
    blocks(src, &mut out)?;
    out.bytes(&libdeflater::crc32(src).to_le_bytes())?;
    // Modulo 2³², as the format has it.
    out.bytes(&(src.len() as u32).to_le_bytes())?;
    Some(out.len())
}

/// Writes a stream of Deflate.
pub(super) fn deflate_raw(src: &[u8], dst: &mut [u8]) -> Option<usize> {
    let mut out = Out::new(dst);
    blocks(src, &mut out)?;
    Some(out.len())
}

/// Writes a frame of Zstandard that is one segment, with its content's length and, if `checksum` says
/// so, checksum.
pub(super) fn zstd(src: &[u8], dst: &mut [u8], checksum: bool) -> Option<usize> {
    const MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();
    /// The length in four bytes, a single segment.
    const DESCRIPTOR: u8 = 0b1010_0000;
    const CHECKSUM: u8 = 0b0000_0100;
    let mut out = Out::new(dst);
    out.bytes(&MAGIC)?;
    out.byte(DESCRIPTOR | if checksum { CHECKSUM } else { 0 })?;
    out.bytes(&u32::try_from(src.len()).ok()?.to_le_bytes())?;
    each(src, ZSTD_BLOCK, |block, last| {
        // Of type 0, which is raw.
        let header = (block.len() as u32) << 3 | u32::from(last);
        let [header @ .., _] = header.to_le_bytes();
        out.bytes(&header)?;
        out.bytes(block)
    })?;
    if checksum {
        out.bytes(&(xxh64(src, 0) as u32).to_le_bytes())?;
    }
    Some(out.len())
}

/// Writes stored blocks of Deflate.
fn blocks(src: &[u8], out: &mut Out<'_>) -> Option<()> {
    each(src, DEFLATE_BLOCK, |block, last| {
        let len = u16::try_from(block.len()).ok()?;
        out.byte(last.into())?;
        out.bytes(&len.to_le_bytes())?;
        out.bytes(&(!len).to_le_bytes())?;
        out.bytes(block)
    })
}

/// Calls `write` with each block, of which there is at least one, and whether it is the last.
fn each(src: &[u8], most: usize, mut write: impl FnMut(&[u8], bool) -> Option<()>) -> Option<()> {
    let mut rest = src;
    loop {
        let (block, after) = rest.split_at(rest.len().min(most));
        write(block, after.is_empty())?;
        if after.is_empty() {
            return Some(());
        }
        rest = after;
    }
}

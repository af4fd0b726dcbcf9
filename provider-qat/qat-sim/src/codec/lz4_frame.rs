//! LZ4 frames as QATzip puts them around a device's blocks (`qatzip_lz4.c`): content length and
//! checksum of the content always, no checksum of blocks, no dictionary. It gives a device no other
//! frames to read.

use qatzip_sys as qz;
use xxhash_rust::xxh32::xxh32;

use super::Decoded;
use super::lz4::{Broken, Encoder, decode};
use super::out::Out;

const MAGIC: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];

/// Version 01, content length, content checksum.
const FLAGS: u8 = 0b0100_1100;

/// Those that are looked at: version, block checksum, content length, content checksum, dictionary.
const FLAGS_THAT_COUNT: u8 = 0b1101_1101;

/// Blocks of up to 64 KiB.
const BLOCKS: u8 = 0x40;
const MOST_BLOCK: usize = 64 << 10;

/// The top bit of a block's length: the data is not compressed.
const STORED: u32 = 1 << 31;

/// Magic number, flags, block size, content length, checksum of the header.
const HEADER: usize = 15;

/// Writes a frame; `None` if there is no room for it.
pub(super) fn write(encoder: &mut Encoder, src: &[u8], dst: &mut [u8]) -> Option<usize> {
    let mut out = Out::new(dst);
    out.bytes(&MAGIC)?;
    out.bytes(&[FLAGS, BLOCKS])?;
    out.bytes(&(src.len() as u64).to_le_bytes())?;
    let checksum = xxh32(out.written().get(MAGIC.len()..)?, 0);
    out.byte((checksum >> 8) as u8)?;
    for content in src.chunks(MOST_BLOCK) {
        let rest = out.rest();
        // Not longer than its content, or not compressed.
        let room = rest.len().min(4 + content.len() - 1);
        let block = rest
            .get_mut(4..room)
            .and_then(|dst| encoder.block(content, dst));
        match block {
            Some(len) => {
                out.bytes(&u32::try_from(len).ok()?.to_le_bytes())?;
                out.skip(len);
            }
            None => {
                let len = u32::try_from(content.len()).ok()?;
                out.bytes(&(len | STORED).to_le_bytes())?;
                out.bytes(content)?;
            }
        }
    }
    out.bytes(&[0; 4])?;
    out.bytes(&xxh32(src, 0).to_le_bytes())?;
    Some(out.len())
}

/// Reads the frame at the start of `src`, if it is one that a device is given.
pub(super) fn read(src: &[u8], dst: &mut [u8], most: usize) -> Decoded {
    let Some(frame) = Frame::parse(src) else {
        return Decoded::failed(qz::QZ_FAIL);
    };
    if frame.content > most {
        return Decoded::failed(qz::QZ_FAIL);
    }
    let Some(dst) = dst.get_mut(..frame.content) else {
        return Decoded::failed(qz::QZ_BUF_ERROR);
    };
    let mut out = Out::new(dst);
    let right = frame.decode(&mut out).is_ok()
        && out.len() == frame.content
        && xxh32(out.written(), 0) == frame.checksum;
    if right {
        Decoded::done(frame.len, frame.content)
    } else {
        Decoded::failed(qz::QZ_DATA_ERROR)
    }
}

struct Frame<'a> {
    content: usize,
    blocks: &'a [u8],
    checksum: u32,
    len: usize,
}

impl<'a> Frame<'a> {
    fn parse(src: &'a [u8]) -> Option<Self> {
        let (header, blocks) = src.split_at_checked(HEADER)?;
        let (magic, descriptor) = header.split_at_checked(MAGIC.len())?;
        let (flags, lengths) = descriptor.split_first()?;
        let content = u64::from_le_bytes(*lengths.get(1..)?.first_chunk()?);
        let checksum = xxh32(descriptor.get(..HEADER - MAGIC.len() - 1)?, 0) >> 8;
        if magic != MAGIC
            || flags & FLAGS_THAT_COUNT != FLAGS
            || header.last() != Some(&(checksum as u8))
        {
            return None;
        }
        let mut end = 0;
        loop {
            let length = u32::from_le_bytes(*blocks.get(end..)?.first_chunk()?);
            end += 4;
            if length == 0 {
                break;
            }
            end += (length & !STORED) as usize;
        }
        let checksum = u32::from_le_bytes(*blocks.get(end..)?.first_chunk()?);
        Some(Self {
            content: usize::try_from(content).ok()?,
            blocks: blocks.get(..end - 4)?,
            checksum,
            len: HEADER + end + 4,
        })
    }

    fn decode(&self, out: &mut Out<'_>) -> Result<(), Broken> {
        let mut blocks = self.blocks;
        while let Some((length, rest)) = blocks.split_first_chunk() {
            let length = u32::from_le_bytes(*length);
            let (block, rest) = rest
                .split_at_checked((length & !STORED) as usize)
                .ok_or(Broken::Data)?;
            if length & STORED != 0 {
                out.bytes(block).ok_or(Broken::NoRoom)?;
            } else {
                decode(block, out)?;
            }
            blocks = rest;
        }
        Ok(())
    }
}

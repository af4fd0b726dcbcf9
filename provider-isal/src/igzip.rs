//! The one place that calls ISA-L.

use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;

use compressor_api::Format;

use crate::bindings::{
    COMP_OK, IGZIP_DEFLATE, IGZIP_GZIP_NO_HDR, IGZIP_ZLIB_NO_HDR, ISAL_DECOMP_OK, ISAL_DEFLATE,
    ISAL_GZIP_NO_HDR, ISAL_ZLIB_NO_HDR, inflate_state, isal_zstream,
};
use crate::level::{self, Level};
use crate::library::Library;
use crate::zeroed::Zeroed;

/// What ISA-L returned other than success.
pub(crate) type Code = c_int;

/// How streams are compressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) format: Format,
    pub(crate) level: Level,
    /// Base-2 logarithm of the largest match distance.
    pub(crate) window_log: u8,
}

/// A compressor with all its memory.
pub(crate) struct Deflater {
    library: Arc<Library>,
    settings: Settings,
    area: Box<DeflateArea>,
}

/// On a cache line, as ISA-L's header recommends.
#[repr(C, align(64))]
struct DeflateArea {
    stream: isal_zstream,
    buffer: LevelBuffer,
}

#[repr(C, align(64))]
struct LevelBuffer([u8; level::MAX_BUFFER]);

// SAFETY: numbers, arrays of them, and raw pointers, which are null when they are zero.
unsafe impl Zeroed for DeflateArea {}

// SAFETY: ISA-L ties a stream to no thread. The pointers in it lead into this value's own memory,
// into the library's tables, which nobody writes, or nowhere.
unsafe impl Send for Deflater {}

impl Deflater {
    /// `None` if there is no memory for it.
    pub(crate) fn new(library: Arc<Library>, settings: Settings) -> Option<Self> {
        Some(Self {
            library,
            settings,
            area: DeflateArea::zeroed()?,
        })
    }

    /// Writes `src` as one raw stream, and what follows it in the format, to `dst`; returns their
    /// length.
    ///
    /// `src` and `dst` are shorter than 4 GiB. In a `dst` below the bound, what would just fit may
    /// be refused: ISA-L writes whole words.
    pub(crate) fn deflate(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, Code> {
        let igzip = &self.library.igzip;
        let DeflateArea { stream, buffer } = &mut *self.area;
        // SAFETY: it sets fields of the stream.
        unsafe { igzip.isal_deflate_stateless_init(stream) };
        stream.level = self.settings.level.number().into();
        stream.level_buf = buffer.0.as_mut_ptr();
        stream.level_buf_size = self.settings.level.buffer();
        stream.gzip_flag = match self.settings.format {
            Format::Zlib => IGZIP_ZLIB_NO_HDR,
            Format::Gzip => IGZIP_GZIP_NO_HDR,
            _ => IGZIP_DEFLATE,
        } as u16;
        stream.hist_bits = self.settings.window_log.into();
        stream.end_of_stream = 1;
        stream.next_in = readable(src);
        stream.avail_in = src.len() as u32;
        stream.next_out = dst.as_mut_ptr();
        stream.avail_out = dst.len() as u32;
        // SAFETY: the stream was initialised. ISA-L reads `avail_in` bytes from `src`, writes
        // `avail_out` bytes to `dst` and `level_buf_size` bytes to the buffer, which is at least as
        // long; the lengths fit, says the caller. Its types are not const, but it only reads `src`.
        let code = unsafe { igzip.isal_deflate_stateless(stream) };
        stream.next_in = ptr::null_mut();
        stream.next_out = ptr::null_mut();
        match code {
            // A success that left some of `src` is none.
            COMP_OK if stream.avail_in == 0 => used(dst, stream.avail_out).ok_or(code),
            code => Err(code),
        }
    }
}

/// A decompressor with all its memory.
pub(crate) struct Inflater {
    library: Arc<Library>,
    format: Format,
    area: Box<InflateArea>,
}

#[repr(C, align(64))]
struct InflateArea {
    state: inflate_state,
    /// Stands in for a `dst` of no bytes.
    nothing: [u8; 64],
}

// SAFETY: as for `DeflateArea`; the union has numbers only.
unsafe impl Zeroed for InflateArea {}

// SAFETY: as for `Deflater`.
unsafe impl Send for Inflater {}

/// A raw stream that was read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inflated {
    /// Bytes of the input that belong to it.
    pub(crate) read: usize,
    /// Bytes of content.
    pub(crate) written: usize,
    /// The checksum of the content that goes with the format, 0 if none does.
    pub(crate) checksum: u32,
}

impl Inflater {
    /// `None` if there is no memory for it.
    pub(crate) fn new(library: Arc<Library>, format: Format) -> Option<Self> {
        Some(Self {
            library,
            format,
            area: InflateArea::zeroed()?,
        })
    }

    /// Reads the raw stream at the start of `src`, and ignores what follows it.
    ///
    /// `src` and `dst` are shorter than 4 GiB.
    pub(crate) fn inflate(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Inflated, Code> {
        let InflateArea { state, nothing } = &mut *self.area;
        state.crc_flag = match self.format {
            Format::Zlib => ISAL_ZLIB_NO_HDR,
            Format::Gzip => ISAL_GZIP_NO_HDR,
            _ => ISAL_DEFLATE,
        } as u32;
        state.next_in = readable(src);
        state.avail_in = src.len() as u32;
        state.next_out = match dst {
            [] => nothing.as_mut_ptr(),
            _ => dst.as_mut_ptr(),
        };
        state.avail_out = dst.len() as u32;
        // SAFETY: the state was zeroed, which is what initialising it does, and each call begins
        // with a state of its own making. ISA-L reads `avail_in` bytes from `src` and writes
        // `avail_out` bytes to `dst`; the lengths fit, says the caller. Its types are not const,
        // but it only reads `src`.
        let code = unsafe { self.library.igzip.isal_inflate_stateless(state) };
        state.next_in = ptr::null_mut();
        state.next_out = ptr::null_mut();
        match code {
            ISAL_DECOMP_OK => Ok(Inflated {
                read: used(src, state.avail_in).ok_or(code)?,
                written: used(dst, state.avail_out).ok_or(code)?,
                checksum: state.crc,
            }),
            code => Err(code),
        }
    }
}

/// Where ISA-L reads from. It computes addresses near both ends before it looks at the length, so
/// the address of no bytes has to be a real one.
fn readable(src: &[u8]) -> *mut u8 {
    static NOTHING: [u8; 64] = [0; 64];
    match src {
        [] => NOTHING.as_ptr(),
        _ => src.as_ptr(),
    }
    .cast_mut()
}

/// How much of a buffer was used, if this many bytes of it are left; `None` if ISA-L claims that more
/// are left than there were, which is no success.
fn used(buffer: &[u8], left: u32) -> Option<usize> {
    buffer.len().checked_sub(left as usize)
}

#[cfg(test)]
#[path = "../../compressor-deflate/tests/agreement/writer.rs"]
#[allow(dead_code, reason = "fixed codes are enough here")]
mod writer;

#[cfg(test)]
mod tests {
    use super::writer::Writer;
    use super::*;

    /// As C has them; the generated declarations leave the inside of most structs out.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn structs_are_as_large_as_in_c() {
        assert_eq!(size_of::<isal_zstream>(), 82_384);
        assert_eq!(size_of::<inflate_state>(), 87_368);
    }

    #[test]
    fn more_left_than_there_was_is_no_length() {
        assert_eq!(used(&[0; 5], 0), Some(5));
        assert_eq!(used(&[0; 5], 5), Some(0));
        assert_eq!(used(&[0; 5], 6), None);
        assert_eq!(used(&[], u32::MAX), None);
    }

    /// A distance of 0, which is what ISA-L's tables have for these, would never end, or would give
    /// back what was in `dst` before.
    #[test]
    fn symbols_that_the_format_reserves_are_refused() {
        let Some(library) = Library::of_this_machine() else {
            return;
        };
        let library = Arc::new(library);
        let literals =
            |count| (0..count).fold(Writer::fixed(), |stream, _| stream.codeword(0x91, 8));
        let end = |stream: Writer| stream.number(0, 16).bytes;
        for format in [Format::Zlib, Format::Gzip] {
            let mut inflater = Inflater::new(Arc::clone(&library), format).unwrap();
            let mut dst = [0xA5; 10_000];
            // Near the end of a stream ISA-L reads carefully, far from it in a hurry.
            for (before, after) in [(1, 0), (400, 0), (1, 5_000), (400, 5_000)] {
                let good = [end(literals(before)), vec![0x91; after]].concat();
                let read = inflater.inflate(&good, &mut dst[..before]);
                assert_eq!(read.unwrap().written, before);
                for (length, distance) in [
                    (0b1100_0110, 0),
                    (0b1100_0111, 0),
                    (0b1100_0101, 30),
                    (0b1100_0101, 31),
                ] {
                    let stream = literals(before).codeword(length, 8).codeword(distance, 5);
                    let src = [end(stream), vec![0x91; after]].concat();
                    for room in [before - 1, before, before + 10, before + 9_000] {
                        let read = inflater.inflate(&src, &mut dst[..room]);
                        assert!(read.is_err(), "{length:b} {distance}: {read:?}");
                    }
                }
            }
        }
    }
}

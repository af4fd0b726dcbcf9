//! `zlib`, `deflate-raw` and `gzip`: zlib itself.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use compressor_api::Format;
use libz_sys as z;

use super::Direct;

/// zlib's own default.
const MEM_LEVEL: c_int = 8;

pub struct Zlib {
    // Boxes, because zlib keeps the addresses.
    deflate: Box<z::z_stream>,
    inflate: Box<z::z_stream>,
}

impl Zlib {
    pub fn new(format: Format, level: c_int) -> Self {
        let window_bits = match format {
            Format::DeflateRaw => -15,
            Format::Gzip => 15 + 16,
            _ => 15,
        };
        let size = size_of::<z::z_stream>() as c_int;
        let deflate = stream(|stream| {
            // SAFETY: zeroed, so that zlib takes its own allocator; version and size are those of
            // the library linked.
            unsafe {
                z::deflateInit2_(
                    stream,
                    level,
                    z::Z_DEFLATED,
                    window_bits,
                    MEM_LEVEL,
                    z::Z_DEFAULT_STRATEGY,
                    z::zlibVersion(),
                    size,
                )
            }
        });
        // SAFETY: as above.
        let inflate = stream(|stream| unsafe {
            z::inflateInit2_(stream, window_bits, z::zlibVersion(), size)
        });
        Self { deflate, inflate }
    }
}

fn stream(init: impl FnOnce(*mut z::z_stream) -> c_int) -> Box<z::z_stream> {
    let mut stream = Box::new(MaybeUninit::<z::z_stream>::zeroed());
    assert_eq!(init(stream.as_mut_ptr()), z::Z_OK);
    // SAFETY: its function pointers are set now, and everything else may be zero.
    unsafe { stream.assume_init() }
}

/// Points the stream to `src` and `dst`.
fn feed(stream: &mut z::z_stream, src: &[u8], dst: &mut [u8]) {
    stream.next_in = src.as_ptr().cast_mut();
    stream.avail_in = src.len() as z::uInt;
    stream.next_out = dst.as_mut_ptr();
    stream.avail_out = dst.len() as z::uInt;
}

impl Direct for Zlib {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        let stream = &mut *self.deflate;
        // SAFETY: initialised, and fed with live slices that do not overlap.
        let code = unsafe {
            z::deflateReset(stream);
            feed(stream, src, dst);
            z::deflate(stream, z::Z_FINISH)
        };
        assert_eq!(code, z::Z_STREAM_END);
        dst.len() - stream.avail_out as usize
    }

    fn decompress(&mut self, unit: &[u8], dst: &mut [u8]) -> usize {
        let stream = &mut *self.inflate;
        // SAFETY: as in `compress`.
        let code = unsafe {
            z::inflateReset(stream);
            feed(stream, unit, dst);
            z::inflate(stream, z::Z_FINISH)
        };
        assert_eq!(code, z::Z_STREAM_END);
        dst.len() - stream.avail_out as usize
    }
}

impl Drop for Zlib {
    fn drop(&mut self) {
        // SAFETY: initialised, and not used again.
        unsafe {
            z::deflateEnd(&mut *self.deflate);
            z::inflateEnd(&mut *self.inflate);
        }
    }
}

//! The one place that talks to zlib.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use compressor_api::Direction;
use libz_sys as z;

use crate::settings::{MEM_LEVEL, Settings};

/// What zlib returned that is neither an end nor a success.
pub(crate) type Code = c_int;

/// How a run over a whole `src` and `dst` came out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The stream ended.
    Ended {
        /// Bytes of `src` that it took.
        consumed: usize,
        /// Bytes of `dst` that it gave.
        produced: usize,
    },
    /// More came out than `dst` has room for.
    Overflowed,
    /// `src` was used up before the stream ended.
    Starved,
    /// zlib refused.
    Failed(Code),
}

/// A `z_stream` with all that zlib allocated for it, for one direction.
pub(crate) struct Stream {
    /// Never moves: zlib keeps its address, and refuses a stream that is elsewhere.
    z: NonNull<z::z_stream>,
    direction: Direction,
    /// The most that zlib is given at once, in and out: its counts are 32 bits wide.
    piece: usize,
}

// SAFETY: zlib ties a stream to no thread, and everything the pointer leads to belongs to this
// value alone, which gives it out by `&mut` only.
unsafe impl Send for Stream {}

impl Stream {
    /// A stream that compresses.
    pub(crate) fn deflate(settings: Settings) -> Result<Self, Code> {
        Self::new(Direction::Compress, |z| {
            // SAFETY: `z` points to zeroed memory of a `z_stream`: no allocator is set, so zlib
            // takes its own. The version and the size are those of the library linked.
            unsafe {
                z::deflateInit2_(
                    z,
                    settings.level,
                    z::Z_DEFLATED,
                    settings.deflate_window_bits(),
                    MEM_LEVEL,
                    z::Z_DEFAULT_STRATEGY,
                    z::zlibVersion(),
                    size_of::<z::z_stream>() as c_int,
                )
            }
        })
    }

    /// A stream that decompresses.
    pub(crate) fn inflate(settings: Settings) -> Result<Self, Code> {
        Self::new(Direction::Decompress, |z| {
            // SAFETY: as in `deflate`.
            unsafe {
                z::inflateInit2_(
                    z,
                    settings.inflate_window_bits(),
                    z::zlibVersion(),
                    size_of::<z::z_stream>() as c_int,
                )
            }
        })
    }

    fn new(
        direction: Direction,
        init: impl FnOnce(*mut z::z_stream) -> Code,
    ) -> Result<Self, Code> {
        // As `MaybeUninit`, because a zeroed `z_stream` has null function pointers until `init`.
        let zeroed = Box::into_raw(Box::new(MaybeUninit::<z::z_stream>::zeroed()));
        match init(zeroed.cast()) {
            z::Z_OK => Ok(Self {
                // SAFETY: it comes from a box.
                z: unsafe { NonNull::new_unchecked(zeroed.cast()) },
                direction,
                piece: u32::MAX as usize,
            }),
            code => {
                // SAFETY: it comes from a box, and a failed `init` keeps nothing of it.
                drop(unsafe { Box::from_raw(zeroed) });
                Err(code)
            }
        }
    }

    /// Runs one whole stream from `src` to `dst`, afresh. Writes nothing beyond `dst`.
    pub(crate) fn run(&mut self, src: &[u8], dst: &mut [u8]) -> Outcome {
        match self.reset() {
            z::Z_OK => {}
            code => return Outcome::Failed(code),
        }
        let (mut consumed, mut produced) = (0, 0);
        loop {
            let rest = src.get(consumed..).unwrap_or_default();
            let room = dst.get_mut(produced..).unwrap_or_default();
            // A full `dst` does not tell whether the stream is over: zlib says so only when it has
            // room left. One spare byte makes it tell, and what comes out there did not fit.
            let full = room.is_empty();
            let mut spare = [0];
            let step = self.step(rest, if full { &mut spare } else { room });
            if full && step.produced > 0 {
                return Outcome::Overflowed;
            }
            consumed += step.consumed;
            produced += step.produced;
            match step.code {
                z::Z_STREAM_END => return Outcome::Ended { consumed, produced },
                // There was room, so it is input that is missing.
                z::Z_OK | z::Z_BUF_ERROR if step.consumed == 0 && step.produced == 0 => {
                    return Outcome::Starved;
                }
                z::Z_OK | z::Z_BUF_ERROR => {}
                code => return Outcome::Failed(code),
            }
        }
    }

    fn reset(&mut self) -> Code {
        let z = self.z.as_ptr();
        // SAFETY: `init` succeeded on this address, in this direction.
        unsafe {
            match self.direction {
                Direction::Compress => z::deflateReset(z),
                Direction::Decompress => z::inflateReset(z),
            }
        }
    }

    /// One call of zlib, with as much of `src` and `dst` as it takes at once.
    fn step(&mut self, src: &[u8], dst: &mut [u8]) -> Step {
        let (given, room) = (src.len().min(self.piece), dst.len().min(self.piece));
        let flush = if given == src.len() {
            z::Z_FINISH
        } else {
            z::Z_NO_FLUSH
        };
        let z = self.z.as_ptr();
        // SAFETY: `init` succeeded on this address, in this direction. zlib reads `given` bytes
        // within `src` and writes `room` bytes within `dst`, neither of which is null, and it
        // forgets both at the end. `piece` is at most `u32::MAX`, so that nothing is cut off.
        unsafe {
            // zlib's type is not const, but it only reads.
            (*z).next_in = src.as_ptr().cast_mut();
            (*z).avail_in = given as z::uInt;
            (*z).next_out = dst.as_mut_ptr();
            (*z).avail_out = room as z::uInt;
            let code = match self.direction {
                Direction::Compress => z::deflate(z, flush),
                Direction::Decompress => z::inflate(z, flush),
            };
            (*z).next_in = ptr::null_mut();
            (*z).next_out = ptr::null_mut();
            Step {
                consumed: given.saturating_sub((*z).avail_in as usize),
                produced: room.saturating_sub((*z).avail_out as usize),
                code,
            }
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let z = self.z.as_ptr();
        // SAFETY: `init` succeeded on this address, in this direction, and it comes from a box of
        // memory of the same layout. Nobody uses it after this.
        unsafe {
            // The code says whether the stream was used up; nothing depends on it.
            let _ = match self.direction {
                Direction::Compress => z::deflateEnd(z),
                Direction::Decompress => z::inflateEnd(z),
            };
            drop(Box::from_raw(z.cast::<MaybeUninit<z::z_stream>>()));
        }
    }
}

/// What one call of zlib did.
struct Step {
    consumed: usize,
    produced: usize,
    code: Code,
}

#[cfg(test)]
impl Stream {
    /// zlib's own bound for what `src_len` bytes compress to.
    pub(crate) fn bound(&self, src_len: usize) -> usize {
        // SAFETY: `init` succeeded on this address.
        let bound = unsafe { z::deflateBound(self.z.as_ptr(), src_len as z::uLong) };
        bound as usize
    }

    fn in_pieces_of(mut self, piece: usize) -> Self {
        self.piece = piece;
        self
    }

    /// From now on zlib is refused all memory that it asks for.
    pub(crate) fn out_of_memory(&mut self) {
        unsafe extern "C" fn refuse(_: z::voidpf, _: z::uInt, _: z::uInt) -> z::voidpf {
            ptr::null_mut()
        }
        // SAFETY: zlib may find no memory at any time; what it has, it frees as before.
        unsafe { (*self.z.as_ptr()).zalloc = refuse }
    }
}

#[cfg(test)]
mod tests {
    use compressor_api::{Format, Spec, self_test};

    use super::*;

    const FORMATS: [Format; 3] = [Format::Zlib, Format::DeflateRaw, Format::Gzip];

    fn settings(format: Format, level: i32) -> Settings {
        Settings::of(&Spec::new(format).with_level(level).unwrap()).unwrap()
    }

    /// Counts that do not fit zlib's 32 bits are 4 GiB away; a smaller piece leads the same way.
    #[test]
    fn what_zlib_cannot_count_is_given_in_pieces() {
        let content = self_test::CONTENT.repeat(30);
        for format in FORMATS {
            for level in [0, 1, 6] {
                for piece in [1, 7, 4_096, 65_536] {
                    let mut stream = Stream::deflate(settings(format, level))
                        .unwrap()
                        .in_pieces_of(piece);
                    let mut unit = vec![0; 2 * content.len()];
                    let Outcome::Ended { consumed, produced } = stream.run(&content, &mut unit)
                    else {
                        panic!("{format}, level {level}, pieces of {piece}: no end");
                    };
                    assert_eq!(consumed, content.len());

                    let unit = &unit[..produced];
                    for piece in [1, 7, 4_096, u32::MAX as usize] {
                        let mut stream = Stream::inflate(settings(format, level))
                            .unwrap()
                            .in_pieces_of(piece);
                        let mut out = vec![0; content.len()];
                        assert_eq!(
                            stream.run(unit, &mut out),
                            Outcome::Ended {
                                consumed: unit.len(),
                                produced: content.len()
                            },
                            "{format}, level {level}, pieces of {piece}"
                        );
                        assert!(out == content);
                        assert_eq!(
                            stream.run(unit, &mut out[1..]),
                            Outcome::Overflowed,
                            "{format}, level {level}, pieces of {piece}"
                        );
                        assert_eq!(
                            stream.run(&unit[..unit.len() - 1], &mut out),
                            Outcome::Starved,
                            "{format}, level {level}, pieces of {piece}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_stream_may_move_between_runs() {
        let streams: Vec<Stream> = (0..3)
            .map(|_| Stream::inflate(settings(Format::Zlib, 6)).unwrap())
            .collect();
        for mut stream in streams {
            let mut out = vec![0; self_test::CONTENT.len()];
            let outcome = stream.run(self_test::unit(Format::Zlib), &mut out);
            assert!(matches!(outcome, Outcome::Ended { .. }), "{outcome:?}");
            assert_eq!(out, self_test::CONTENT);
        }
    }

    #[test]
    fn a_stream_that_cannot_be_made_says_why() {
        let refused = Stream::new(Direction::Compress, |_| z::Z_MEM_ERROR);
        assert_eq!(refused.err(), Some(z::Z_MEM_ERROR));
    }
}

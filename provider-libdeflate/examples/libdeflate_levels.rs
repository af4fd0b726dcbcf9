//! Measures every level of libdeflate against every level of zlib: what the table of levels in this
//! crate's documentation was made from.
//!
//! For each level of zlib, and each of libdeflate: length of the units through length of zlib's (the
//! worst over kinds of data and block sizes, so at most 1 means that it is never longer), and how
//! many times as fast (the geometric mean over them).

use std::error::Error;
use std::ffi::c_int;
use std::ops::Range;
use std::time::Duration;

use compressor_api::{CompressSession, Format, Spec};
use compressor_benches::data::{Kind, generate};
use compressor_benches::measure::{Median, Pace, interleave};
use libdeflate_sys as sys;

const KINDS: [Kind; 4] = [Kind::Text, Kind::Rows, Kind::WideRows, Kind::Logs];
const BLOCK_SIZES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];
const ZLIB_LEVELS: Range<usize> = 1..10;
const LIBDEFLATE_LEVELS: Range<usize> = 1..13;

fn main() -> Result<(), Box<dyn Error>> {
    let mut cases = Vec::new();
    for kind in KINDS {
        let data = generate(kind, 1, 1 << 20).bytes;
        for block_size in BLOCK_SIZES {
            eprintln!("{kind}, {} KiB", block_size >> 10);
            cases.push(Case::measure(&data, block_size)?);
        }
    }

    print!("zlib \\ libdeflate");
    LIBDEFLATE_LEVELS.for_each(|level| print!("{level:>14}"));
    println!();
    for zlib in ZLIB_LEVELS {
        print!("{zlib:>17}");
        for libdeflate in LIBDEFLATE_LEVELS {
            let compared: Vec<(f64, f64)> = cases
                .iter()
                .filter_map(|case| case.compare(zlib, libdeflate))
                .collect();
            let longest = compared.iter().map(|(len, _)| *len).fold(0.0, f64::max);
            let logs = compared.iter().map(|(_, speedup)| speedup.ln());
            let speedup = (logs.sum::<f64>() / compared.len() as f64).exp();
            print!("{:>14}", format!("{longest:.4} {speedup:>4.2}x"));
        }
        println!();
    }
    Ok(())
}

/// One kind of data in blocks of one size: each level's length of all units, and its median CPU time
/// for a round. Levels of zlib come first.
struct Case {
    lens: Vec<usize>,
    times: Vec<f64>,
}

impl Case {
    fn measure(data: &[u8], block_size: usize) -> Result<Self, Box<dyn Error>> {
        let blocks: Vec<&[u8]> = data.chunks(block_size).collect();
        let mut levels: Vec<Box<dyn CompressSession>> = Vec::new();
        for level in ZLIB_LEVELS {
            let spec = Spec::new(Format::DeflateRaw).with_level(level.try_into()?)?;
            let compressor = compressor_deflate::factory().compressor(&spec)?;
            levels.push(compressor.compress_session()?);
        }
        for level in LIBDEFLATE_LEVELS {
            levels.push(Box::new(Libdeflate::new(level.try_into()?)));
        }

        let mut dst = vec![0; 2 * block_size];
        let mut lens = Vec::new();
        for level in &mut levels {
            let mut len = 0;
            for block in &blocks {
                len += level.compress(block, &mut dst)?;
            }
            lens.push(len);
        }

        let mut lanes: Vec<_> = levels
            .iter_mut()
            .map(|level| {
                let (blocks, mut dst) = (&blocks, dst.clone());
                move |ops: Range<usize>| {
                    for block in blocks
                        .iter()
                        .cycle()
                        .skip(ops.start % blocks.len())
                        .take(ops.len())
                    {
                        level.compress(block, &mut dst)?;
                    }
                    Ok::<(), compressor_api::Error>(())
                }
            })
            .collect();
        let rounds = interleave(&mut lanes, &Pace::new(Duration::from_secs(4)), |_| {})?;
        let median = |lane| {
            let seconds = rounds.laps(lane).iter().map(|lap| lap.cpu.as_secs_f64());
            Median::of(seconds).map_or(f64::NAN, |median| median.value)
        };
        Ok(Self {
            times: (0..lens.len()).map(median).collect(),
            lens,
        })
    }

    /// Length through length, and how many times as fast.
    fn compare(&self, zlib: usize, libdeflate: usize) -> Option<(f64, f64)> {
        let zlib = zlib - ZLIB_LEVELS.start;
        let libdeflate = ZLIB_LEVELS.len() + libdeflate - LIBDEFLATE_LEVELS.start;
        let len = *self.lens.get(libdeflate)? as f64 / *self.lens.get(zlib)? as f64;
        Some((len, self.times.get(zlib)? / self.times.get(libdeflate)?))
    }
}

/// libdeflate at any of its levels, which the provider does not offer.
struct Libdeflate(*mut sys::libdeflate_compressor);

// SAFETY: libdeflate ties a compressor to no thread.
unsafe impl Send for Libdeflate {}

impl Libdeflate {
    fn new(level: c_int) -> Self {
        // SAFETY: takes any level.
        let compressor = unsafe { sys::libdeflate_alloc_compressor(level) };
        assert!(!compressor.is_null(), "no compressor of level {level}");
        Self(compressor)
    }
}

impl CompressSession for Libdeflate {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, compressor_api::Error> {
        // SAFETY: reads within `src`, writes within `dst`.
        let n = unsafe {
            sys::libdeflate_deflate_compress(
                self.0,
                src.as_ptr().cast(),
                src.len(),
                dst.as_mut_ptr().cast(),
                dst.len(),
            )
        };
        assert!(n > 0, "twice the block is more than enough");
        Ok(n)
    }
}

impl Drop for Libdeflate {
    fn drop(&mut self) {
        // SAFETY: not used after this.
        unsafe { sys::libdeflate_free_compressor(self.0) }
    }
}

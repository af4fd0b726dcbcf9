//! Measures ISA-L's four levels beside zlib and libdeflate: what the table of levels in this crate's
//! documentation was chosen by.
//!
//! For each kind of data and size of blocks: the length of all `zlib` units through zlib's at level 6,
//! the throughput of the CPU, and the median over the rounds of how many times as fast as zlib at
//! level 6 that is. Readers get the units that zlib wrote, `own` those of the same library. For the
//! longest blocks also the length that comes of what else ISA-L can be told: how many symbols a
//! Deflate block may have, after which the Huffman codes are renewed, and a smaller window.

use std::error::Error;
use std::ops::Range;
use std::time::Duration;

use compressor_api::{CompressSession, CompressorFactory, DecompressSession, Format, Params, Spec};
use compressor_benches::data::{Kind, generate};
use compressor_benches::measure::{Median, Pace, interleave};

#[allow(
    clippy::all,
    clippy::undocumented_unsafe_blocks,
    dead_code,
    missing_docs,
    non_camel_case_types,
    non_upper_case_globals,
    reason = "generated"
)]
#[path = "../src/bindings.rs"]
mod bindings;

const KINDS: [Kind; 4] = [Kind::Text, Kind::Rows, Kind::WideRows, Kind::Logs];
const BLOCK_SIZES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];
const BASELINE: usize = 0;

fn main() -> Result<(), Box<dyn Error>> {
    let pace = Pace::new(Duration::from_secs(3));
    for kind in KINDS {
        let data = generate(kind, 1, 1 << 20).bytes;
        for block_size in BLOCK_SIZES {
            println!("{kind}, {} KiB", block_size >> 10);
            let blocks: Vec<&[u8]> = data.chunks(block_size).collect();
            measure(&blocks, &pace)?;
        }
        let [.., longest] = BLOCK_SIZES;
        let blocks: Vec<&[u8]> = data.chunks(longest).collect();
        lengths(&blocks)?;
    }
    Ok(())
}

/// What becomes of the length at the levels that could serve.
fn lengths(blocks: &[&[u8]]) -> Result<(), Box<dyn Error>> {
    let len = |writer: &mut dyn CompressSession| -> Result<usize, Box<dyn Error>> {
        Ok(write_all(writer, blocks)?.iter().map(Vec::len).sum())
    };
    let zlib = len(&mut *writer(&*compressor_deflate::factory(), 6)?)?;
    for level in [2, 3] {
        let symbols = [1, 2, 4, 8, 16, 64, 128].map(|k| (k << 10, WINDOW_LOG));
        let windows = [11, 12, 13, 14].map(|log| (SYMBOLS, log));
        for (symbols, window_log) in symbols.into_iter().chain(windows) {
            let own = len(&mut Isal::told(level, symbols, window_log)?)?;
            let ratio = own as f64 / zlib as f64;
            let window = (1 << window_log) >> 10;
            println!("  isal {level}, {symbols:>6} symbols, window {window:>2} KiB  {ratio:>6.4}");
        }
    }
    Ok(())
}

fn measure(blocks: &[&[u8]], pace: &Pace) -> Result<(), Box<dyn Error>> {
    let isal = provider_isal::PROVIDER
        .opener
        .open(&Params::parse(provider_isal::PROVIDER.params, [])?)?;
    let zlib = compressor_deflate::factory();
    let libdeflate = provider_libdeflate::factory();

    let mut writers: Vec<(String, Box<dyn CompressSession>)> = vec![
        ("zlib 6".into(), writer(&*zlib, 6)?),
        ("zlib 1".into(), writer(&*zlib, 1)?),
        ("libdeflate for 6".into(), writer(&*libdeflate, 6)?),
        ("libdeflate for 1".into(), writer(&*libdeflate, 1)?),
    ];
    for level in 0..4 {
        writers.push((format!("isal {level}"), Box::new(Isal::new(level)?)));
    }
    let mut lens = Vec::new();
    let mut units = Vec::new();
    for (_, writer) in &mut writers {
        let written = write_all(&mut **writer, blocks)?;
        lens.push(written.iter().map(Vec::len).sum::<usize>());
        units.push(written);
    }
    let content_len = blocks.iter().map(|block| block.len()).sum::<usize>() / blocks.len();
    let rows = race(
        writers.iter_mut().map(|(_, writer)| {
            let mut dst = vec![0; 2 * content_len];
            move |op: usize| {
                let block = blocks.iter().cycle().nth(op % blocks.len());
                writer.compress(block.ok_or(NO_BLOCK)?, &mut dst).map(drop)
            }
        }),
        pace,
    )?;
    for (((name, _), len), (time, speedup)) in writers.iter().zip(&lens).zip(rows) {
        let ratio = *len as f64 / *lens.get(BASELINE).ok_or("no baseline")? as f64;
        let speed = content_len as f64 / time / 1e6;
        println!("  compress    {name:<18} {ratio:>6.3} {speed:>6.0} MB/s {speedup:>6.2}x");
    }

    let [by_zlib, .., by_isal_1, _, by_isal_3] = units.as_slice() else {
        return Err("fewer writers than expected".into());
    };
    let mut readers = [
        (("zlib", by_zlib), reader(&*zlib)?),
        (("libdeflate", by_zlib), reader(&*libdeflate)?),
        (("isal", by_zlib), reader(&*isal)?),
        (("isal, own 1", by_isal_1), reader(&*isal)?),
        (("isal, own 3", by_isal_3), reader(&*isal)?),
    ];
    let rows = race(
        readers.iter_mut().map(|((_, units), reader)| {
            let mut dst = vec![0; content_len];
            move |op: usize| {
                let unit = units.iter().cycle().nth(op % units.len());
                reader.decompress(unit.ok_or(NO_BLOCK)?, &mut dst).map(drop)
            }
        }),
        pace,
    )?;
    for (((name, _), _), (time, speedup)) in readers.iter().zip(rows) {
        let speed = content_len as f64 / time / 1e6;
        println!("  decompress  {name:<18}        {speed:>6.0} MB/s {speedup:>6.2}x");
    }
    Ok(())
}

const NO_BLOCK: compressor_api::Error = compressor_api::Error::new(
    compressor_api::ErrorKind::InvalidArgument,
    provider_isal::PROVIDER.id,
);

fn writer(
    factory: &dyn CompressorFactory,
    level: i32,
) -> Result<Box<dyn CompressSession>, Box<dyn Error>> {
    let spec = Spec::new(Format::Zlib).with_level(level)?;
    Ok(factory.compressor(&spec)?.compress_session()?)
}

fn reader(factory: &dyn CompressorFactory) -> Result<Box<dyn DecompressSession>, Box<dyn Error>> {
    let compressor = factory.compressor(&Spec::new(Format::Zlib))?;
    Ok(compressor.decompress_session()?)
}

fn write_all(
    writer: &mut dyn CompressSession,
    blocks: &[&[u8]],
) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let mut units = Vec::new();
    for block in blocks {
        let mut unit = vec![0; block.len() * 2];
        let n = writer.compress(block, &mut unit)?;
        unit.truncate(n);
        units.push(unit);
    }
    Ok(units)
}

/// For each lane: seconds of CPU an operation, and how many times as fast as the baseline.
fn race(
    lanes: impl Iterator<Item = impl FnMut(usize) -> Result<(), compressor_api::Error>>,
    pace: &Pace,
) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let mut lanes: Vec<_> = lanes
        .map(|mut lane| move |ops: Range<usize>| ops.into_iter().try_for_each(&mut lane))
        .collect();
    let rounds = interleave(&mut lanes, pace, |_| {})?;
    let seconds = |lane| rounds.laps(lane).iter().map(|lap| lap.cpu.as_secs_f64());
    (0..lanes.len())
        .map(|lane| {
            let speedups = seconds(BASELINE)
                .zip(seconds(lane))
                .map(|(base, own)| base / own);
            let time = Median::of(seconds(lane)).ok_or("no rounds")?.value;
            let speedup = Median::of(speedups).ok_or("no rounds")?.value;
            Ok((time / rounds.ops_per_round() as f64, speedup))
        })
        .collect()
}

/// ISA-L at any of its levels, which the provider does not offer.
struct Isal {
    igzip: bindings::Igzip,
    stream: Box<bindings::isal_zstream>,
    level: u32,
    window_log: u16,
    buffer: Vec<u8>,
}

/// What ISA-L's header calls the default for the symbols of a Deflate block.
const SYMBOLS: usize = 64 << 10;
/// The largest window there is.
const WINDOW_LOG: u16 = 15;

// SAFETY: ISA-L ties a stream to no thread.
unsafe impl Send for Isal {}

impl Isal {
    fn new(level: u32) -> Result<Self, Box<dyn Error>> {
        Self::told(level, SYMBOLS, WINDOW_LOG)
    }

    /// With so many symbols in a Deflate block, each of which takes 4 bytes of the buffer.
    fn told(level: u32, symbols: usize, window_log: u16) -> Result<Self, Box<dyn Error>> {
        let default = match level {
            0 | 1 => bindings::ISAL_DEF_LVL1_DEFAULT,
            2 => bindings::ISAL_DEF_LVL2_DEFAULT,
            _ => bindings::ISAL_DEF_LVL3_DEFAULT,
        };
        let buffer_len = (default as usize + 4 * symbols).saturating_sub(4 * SYMBOLS);
        // SAFETY: ISA-L runs nothing when it is loaded, and its functions have these types.
        let igzip = unsafe { bindings::Igzip::new("libisal.so.2") }?;
        Ok(Self {
            igzip,
            // SAFETY: numbers and pointers, for which zeros will do.
            stream: Box::new(unsafe { std::mem::zeroed() }),
            level,
            window_log,
            buffer: vec![0; buffer_len],
        })
    }
}

impl CompressSession for Isal {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, compressor_api::Error> {
        let stream = &mut *self.stream;
        // SAFETY: it sets fields of the stream.
        unsafe { self.igzip.isal_deflate_stateless_init(stream) };
        stream.level = self.level;
        stream.level_buf = self.buffer.as_mut_ptr();
        stream.level_buf_size = self.buffer.len() as u32;
        // IGZIP_ZLIB
        stream.gzip_flag = 3;
        stream.hist_bits = self.window_log;
        stream.end_of_stream = 1;
        stream.next_in = src.as_ptr().cast_mut();
        stream.avail_in = src.len() as u32;
        stream.next_out = dst.as_mut_ptr();
        stream.avail_out = dst.len() as u32;
        // SAFETY: initialised, and the lengths are those of the buffers.
        let code = unsafe { self.igzip.isal_deflate_stateless(stream) };
        assert_eq!(code, 0, "twice the block is more than enough");
        Ok(dst.len() - stream.avail_out as usize)
    }
}

//! Chunk files from end to end, software and accelerator side by side.
//!
//! ```sh
//! cargo bench -p chunk-file
//! ```
//!
//! prints, of one run:
//!
//! - `write`, `sequence`: 16 KiB chunks of rows, Deflate at level 6, one thread; compress or
//!   decompress, CRC and file. `write` also at `Effort::Speed`, which ISA-L serves where it is
//!   installed.
//! - `read`: 20 ranges of 100 bytes within 4 chunks and within 20, one by one and by `read_many`,
//!   without a cache.
//!
//! All read what software wrote.
//!
//! What is compared takes turns ([`interleave`]). Times and CPU times are medians of quiet rounds,
//! "as fast" and "of its CPU" medians of what they were of the first line's in the same round.
//! Pairs are in `/dev/shm` if there is one, so that the disk is not what is measured. The numbers of
//! a run are in the documentation of the crate.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark stops where something fails"
)]

use std::convert::Infallible;
use std::hint::black_box;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chunk_file::{Pair, Params, Reader, ReaderOptions, Writer, WriterOptions};
use compressor::{Compressor, Effort, Engine, Policy};
use compressor_benches::data::{Kind, generate};
use compressor_benches::measure::{Lap, Median, Pace, Rounds, interleave};
use tempfile::TempDir;

const CHUNK: usize = 16 << 10;
/// Chunks that are written in one operation, and read in sequence.
const WRITTEN: usize = 128;
/// Chunks that are read at random.
const RANDOM: u64 = 1024;

/// One line of a comparison: what is measured, and the operation.
struct Lane<'a> {
    name: String,
    run: Box<dyn FnMut() + 'a>,
}

impl<'a> Lane<'a> {
    fn new(name: impl Into<String>, run: impl FnMut() + 'a) -> Self {
        let (name, run) = (name.into(), Box::new(run));
        Self { name, run }
    }
}

fn main() {
    // `cargo bench` says so; as a test, it only has to work.
    let measured = std::env::args().any(|arg| arg == "--bench");
    let pace = Pace::new(if measured {
        Duration::from_secs(15)
    } else {
        Duration::ZERO
    });
    let dir = directory();
    println!("pairs in {}", dir.path().display());
    write(&dir, &pace);
    sequence(&dir, &pace);
    for chunks in [4, 20] {
        read(&dir, chunks, &pace);
    }
}

fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

fn params() -> Params {
    Params::from_cql([("class", "DeflateCompressor")]).unwrap()
}

fn software() -> Arc<dyn Compressor> {
    let engine = Engine::builder().policy(Policy::software_only());
    engine.build().unwrap().compressor(params().spec()).unwrap()
}

/// Who is compared; the first is what the others are compared with. Any number can be.
fn codecs() -> Vec<(String, Arc<dyn Compressor>)> {
    let accelerated = Engine::new().unwrap().compressor(params().spec()).unwrap();
    let sides = accelerated.effective();
    let name = |side: Option<compressor::EffectiveSide>| side.unwrap().provider.as_str();
    let by = format!("{}/{}", name(sides.compress), name(sides.decompress));
    vec![("software".into(), software()), (by, accelerated)]
}

/// The same, and whoever writes fastest.
fn writers() -> Vec<(String, Arc<dyn Compressor>)> {
    let spec = params().spec().clone().with_effort(Effort::Speed);
    let fast = Engine::new().unwrap().compressor(&spec).unwrap();
    let by = fast.effective().compress.unwrap().provider;
    let mut codecs = codecs();
    codecs.push((format!("{by}, Effort::Speed"), fast));
    codecs
}

fn write_pair(pair: &Pair, codec: &Arc<dyn Compressor>, content: &[u8]) -> u64 {
    let options = WriterOptions::new();
    let mut writer = Writer::create(pair, params(), codec.clone(), options).unwrap();
    writer.write_all(content).unwrap();
    writer.finish().unwrap().file_len
}

fn remove(pair: &Pair) {
    std::fs::remove_file(pair.data()).unwrap();
    std::fs::remove_file(pair.info()).unwrap();
}

fn write(dir: &TempDir, pace: &Pace) {
    let content = generate(Kind::Rows, 1, CHUNK * WRITTEN).bytes;
    let pair = Pair::new(dir.path(), "nb-1-big");
    let codecs = writers();
    println!();
    for (name, codec) in &codecs {
        let file_len = write_pair(&pair, codec, &content);
        remove(&pair);
        let ratio = file_len as f64 / content.len() as f64;
        println!("{name}: data file through content {ratio:.4}");
    }
    let lanes = codecs.iter().map(|(name, codec)| {
        let (pair, content) = (&pair, &content);
        Lane::new(name, move || {
            write_pair(pair, codec, content);
            remove(pair);
        })
    });
    compare("write", content.len(), lanes.collect(), pace);
}

fn sequence(dir: &TempDir, pace: &Pace) {
    let content = generate(Kind::Rows, 1, CHUNK * WRITTEN).bytes;
    let pair = Pair::new(dir.path(), "nb-2-big");
    write_pair(&pair, &software(), &content);
    let lanes = codecs().into_iter().map(|(name, codec)| {
        let reader = Reader::open_as(&pair, codec, ReaderOptions::default()).unwrap();
        let mut buffer = vec![0; 64 << 10];
        Lane::new(name, move || {
            let mut sequence = reader.sequential();
            while sequence.read(&mut buffer).unwrap() != 0 {}
            black_box(&buffer);
        })
    });
    compare("sequence", content.len(), lanes.collect(), pace);
}

/// 20 ranges of 100 bytes in so many chunks, the chunks far from each other.
fn ranges(chunks: u64) -> Vec<Range<u64>> {
    (0..20)
        .map(|at| {
            let chunk = at % chunks * (RANDOM / chunks);
            let start = chunk * CHUNK as u64 + at * 701;
            start..start + 100
        })
        .collect()
}

fn read(dir: &TempDir, chunks: u64, pace: &Pace) {
    let content = generate(Kind::Rows, 1, CHUNK * RANDOM as usize).bytes;
    let pair = Pair::new(dir.path(), &format!("nb-{chunks}-random"));
    write_pair(&pair, &software(), &content);
    let ranges = &ranges(chunks);
    for (name, codec) in codecs() {
        let reader = &Reader::open_as(&pair, codec, ReaderOptions::default()).unwrap();
        let single = Lane::new("20 × read_at", || {
            for range in ranges {
                let mut item = vec![0; 100];
                reader.read_at(range.start, &mut item).unwrap();
                black_box(item);
            }
        });
        let many = Lane::new("read_many", || {
            black_box(reader.read_many(ranges));
        });
        let title = format!("read within {chunks} chunks, {name}");
        compare(&title, 20 * 100, vec![single, many], pace);
    }
}

/// Measures operations on so many bytes side by side, and prints a line of each.
fn compare(title: &str, bytes: usize, mut lanes: Vec<Lane<'_>>, pace: &Pace) {
    let mut work: Vec<_> = lanes
        .iter_mut()
        .map(|lane| {
            |ops: Range<usize>| {
                ops.for_each(|_| (lane.run)());
                Ok::<(), Infallible>(())
            }
        })
        .collect();
    let Ok(rounds) = interleave(&mut work, pace, |_| ());
    drop(work);
    let quiet = rounds.quiet();
    println!("\n{title}: {} of {} rounds", quiet.len(), rounds.len());
    println!(
        "  {:<28} {:>10} {:>10} {:>12} {:>8} {:>10}",
        "", "µs", "MB/s", "CPU ns/byte", "as fast", "of its CPU"
    );
    let quiet_laps = |lane| -> Vec<Lap> {
        let laps = rounds.laps(lane).iter().enumerate();
        let quiet = laps.filter(|(round, _)| quiet.contains(round));
        quiet.map(|(_, lap)| *lap).collect()
    };
    let first = quiet_laps(0);
    for (nth, lane) in lanes.iter().enumerate() {
        let own = quiet_laps(nth);
        let median = |of: fn(&Lap) -> Duration| per_op(&rounds, own.iter().map(of));
        let (wall, cpu) = (median(|lap| lap.wall), median(|lap| lap.cpu));
        println!(
            "  {:<28} {:>10.1} {:>10.1} {:>12.3} {:>8.2} {:>10.2}",
            lane.name,
            wall * 1e6,
            bytes as f64 / wall / 1e6,
            cpu * 1e9 / bytes as f64,
            quotient(&first, &own, |lap| lap.wall),
            quotient(&own, &first, |lap| lap.cpu),
        );
    }
}

/// The median, in seconds an operation.
fn per_op(rounds: &Rounds, times: impl Iterator<Item = Duration>) -> f64 {
    let ops = rounds.ops_per_round() as f64;
    Median::of(times.map(|time| time.as_secs_f64() / ops)).map_or(0.0, |median| median.value)
}

/// The median over the rounds of what one took through what the other took.
fn quotient(one: &[Lap], other: &[Lap], of: fn(&Lap) -> Duration) -> f64 {
    let quotients = one
        .iter()
        .zip(other)
        .map(|(one, other)| of(one).as_secs_f64() / of(other).as_secs_f64());
    Median::of(quotients).map_or(0.0, |median| median.value)
}

//! Throughput by format, level or effort, provider, block size and direction, one at a time.
//!
//! For two providers side by side in one run, which is what a speed-up should be quoted from, use
//! `compressor bench`.
//!
//! ```sh
//! cargo bench -p compressor-benches --bench codecs              # all
//! cargo bench -p compressor-benches --bench codecs -- zlib/6    # what has this in its name
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark may stop at the first surprise"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use compressor::{Compressor, Direction, Effort, Engine, Format, Spec};
use compressor_benches::data::{Kind, generate};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Lengths of blocks in bytes.
const BLOCK_SIZES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];

/// How much data the operations go over.
const LEN: usize = 1 << 20;

criterion_group! {
    name = codecs;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = all
}
criterion_main!(codecs);

/// The levels that are measured: the default, and for the formats that engines use most a fast and
/// a thorough one.
fn levels(format: Format) -> &'static [i32] {
    match format {
        Format::Zlib => &[1, 6, 9],
        Format::Zstd => &[1, 3, 9],
        Format::Lz4Block | Format::Lz4Sized => &[0, 9],
        Format::DeflateRaw | Format::Gzip => &[6],
        _ => &[0],
    }
}

fn all(criterion: &mut Criterion) {
    let engine = Engine::new().unwrap();
    let data = generate(Kind::Rows, 1, LEN).bytes;
    for format in Format::ALL {
        for level in levels(format) {
            let spec = Spec::new(format).with_level(*level).unwrap();
            for direction in Direction::BOTH {
                one(criterion, &engine, &spec, direction, &data);
            }
        }
        efforts(criterion, &engine, format, &data);
    }
}

/// What an engine makes for each effort; what it reads does not depend on that.
fn efforts(criterion: &mut Criterion, engine: &Engine, format: Format, data: &[u8]) {
    let mut group = criterion.benchmark_group(format!("{format}/effort/compress"));
    for size in BLOCK_SIZES {
        group.throughput(Throughput::Bytes(size as u64));
        for effort in Effort::ALL {
            let spec = Spec::new(format).with_effort(effort);
            let compressor = engine.compressor(&spec).unwrap();
            let mut operation = operation(&*compressor, Direction::Compress, data, size);
            group.bench_function(BenchmarkId::new(effort.name(), size), |bencher| {
                bencher.iter(&mut operation);
            });
        }
    }
}

fn one(criterion: &mut Criterion, engine: &Engine, spec: &Spec, direction: Direction, data: &[u8]) {
    let selection = engine.select(spec).unwrap();
    let software = selection.software.clone();
    let software_id = software.effective().compress.unwrap().provider;
    let mut providers: Vec<(&str, Arc<dyn Compressor>)> = vec![(software_id.as_str(), software)];
    if let Some(accelerator) = selection.accelerator(direction) {
        providers.push((
            accelerator.provider.as_str(),
            accelerator.compressor.clone(),
        ));
    }
    let mut group =
        criterion.benchmark_group(format!("{}/{}/{direction}", spec.format(), spec.level()));
    for size in BLOCK_SIZES {
        group.throughput(Throughput::Bytes(size as u64));
        for (provider, compressor) in &providers {
            let mut operation = operation(&**compressor, direction, data, size);
            group.bench_function(BenchmarkId::new(*provider, size), |bencher| {
                bencher.iter(&mut operation);
            });
        }
    }
}

/// Compresses or decompresses the next block, over and over through the data.
fn operation<'a>(
    compressor: &dyn Compressor,
    direction: Direction,
    data: &'a [u8],
    size: usize,
) -> Box<dyn FnMut() + 'a> {
    let mut dst = vec![0; compressor.max_compressed_len(size).unwrap().max(size)];
    let mut writer = compressor.compress_session().unwrap();
    match direction {
        Direction::Compress => {
            let mut blocks = data.chunks_exact(size).cycle();
            Box::new(move || {
                black_box(writer.compress(blocks.next().unwrap(), &mut dst).unwrap());
            })
        }
        Direction::Decompress => {
            let units: Vec<Vec<u8>> = data
                .chunks_exact(size)
                .map(|block| {
                    let len = writer.compress(block, &mut dst).unwrap();
                    dst[..len].to_vec()
                })
                .collect();
            let mut reader = compressor.decompress_session().unwrap();
            let mut next = 0;
            Box::new(move || {
                reader
                    .decompress_exact(&units[next], &mut dst[..size])
                    .unwrap();
                next = (next + 1) % units.len();
            })
        }
    }
}

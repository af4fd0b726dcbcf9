//! Batches, by the number of threads that they are spread over; 0 is the calling thread, one job
//! after the other.
//!
//! ```sh
//! cargo bench -p compressor-benches --bench batches
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark may stop at the first surprise"
)]

use std::sync::Arc;
use std::time::Duration;

use compressor::{Accelerated, Compressor, Engine, Format, Job, Spec};
use compressor_benches::data::{Kind, generate};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// How many threads a batch is spread over.
const THREADS: [usize; 4] = [0, 1, 2, 4];

/// Length of a block in bytes.
const BLOCK: usize = 16 << 10;

/// How many blocks are in a batch: 1 MiB, as a flush may have at hand.
const JOBS: usize = 64;

criterion_group! {
    name = batches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = all
}
criterion_main!(batches);

fn all(criterion: &mut Criterion) {
    let data = generate(Kind::Rows, 1, BLOCK * JOBS).bytes;
    for format in [Format::Zlib, Format::Zstd, Format::Lz4Block] {
        compress(criterion, format, &data);
        decompress(criterion, format, &data);
    }
}

fn compressor(format: Format, threads: usize) -> Arc<Accelerated> {
    let engine = Engine::builder().batch_threads(threads).build().unwrap();
    engine.compressor(&Spec::new(format)).unwrap()
}

fn compress(criterion: &mut Criterion, format: Format, data: &[u8]) {
    let mut group = criterion.benchmark_group(format!("batch/{format}/compress"));
    group.throughput(Throughput::Bytes(data.len() as u64));
    for threads in THREADS {
        let compressor = compressor(format, threads);
        let bound = compressor.max_compressed_len(BLOCK).unwrap();
        let mut units = vec![0; bound * JOBS];
        let mut session = compressor.compress_session().unwrap();
        group.bench_function(BenchmarkId::from_parameter(threads), |bencher| {
            bencher.iter(|| {
                let pairs = data.chunks(BLOCK).zip(units.chunks_mut(bound));
                let mut jobs: Vec<Job<'_>> = pairs.map(|(src, dst)| Job::new(src, dst)).collect();
                session.compress_many(&mut jobs);
                assert!(jobs.iter().all(|job| job.result.is_ok()));
            });
        });
    }
}

fn decompress(criterion: &mut Criterion, format: Format, data: &[u8]) {
    let mut group = criterion.benchmark_group(format!("batch/{format}/decompress"));
    group.throughput(Throughput::Bytes(data.len() as u64));
    for threads in THREADS {
        let compressor = compressor(format, threads);
        let mut writer = compressor.compress_session().unwrap();
        let mut unit = vec![0; compressor.max_compressed_len(BLOCK).unwrap()];
        let units: Vec<Vec<u8>> = data
            .chunks(BLOCK)
            .map(|block| {
                let len = writer.compress(block, &mut unit).unwrap();
                unit[..len].to_vec()
            })
            .collect();
        let mut back = vec![0; data.len()];
        let mut session = compressor.decompress_session().unwrap();
        group.bench_function(BenchmarkId::from_parameter(threads), |bencher| {
            bencher.iter(|| {
                let pairs = units.iter().zip(back.chunks_mut(BLOCK));
                let mut jobs: Vec<Job<'_>> = pairs.map(|(src, dst)| Job::new(src, dst)).collect();
                session.decompress_many(&mut jobs);
                assert!(jobs.iter().all(|job| job.result.is_ok()));
            });
        });
    }
}

//! Chunk files from end to end: compress or decompress, CRC, file.
//!
//! `read` has 20 ranges of 100 bytes within 4 chunks and within 20, one by one and by `read_many`.
//! `write` and `sequence` have 16 KiB chunks of rows, Deflate, by software and by whatever
//! accelerates it. `TMPDIR=/dev/shm` keeps the disk out of it:
//!
//! ```sh
//! TMPDIR=/dev/shm cargo bench -p chunk-file
//! ```
//!
//! On a virtual machine with 2 cores that others kept busy, accelerated by libdeflate: `write` 2.7
//! times as fast as software, `sequence` 2.0 times. `many` within 4 chunks 4.1 times as fast as
//! `single` in software and 3.6 times accelerated, within 20 chunks 1.08 and 1.00 times.
#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark stops where something fails"
)]

use std::hint::black_box;
use std::io::{Read, Write};
use std::ops::Range;
use std::sync::Arc;

use chunk_file::{Pair, Params, Reader, ReaderOptions, Writer, WriterOptions};
use compressor::{Compressor, Engine, Policy};
use compressor_benches::data::{Kind, generate};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const CHUNK: u64 = 16 << 10;
const CHUNKS: u64 = 1024;

fn params() -> Params {
    Params::from_cql([("class", "DeflateCompressor")]).unwrap()
}

fn codecs() -> [(&'static str, Arc<dyn Compressor>); 2] {
    let software = Engine::builder().policy(Policy::software_only());
    let of =
        |engine: Engine| -> Arc<dyn Compressor> { engine.compressor(params().spec()).unwrap() };
    [
        ("software", of(software.build().unwrap())),
        ("accelerated", of(Engine::new().unwrap())),
    ]
}

fn write(pair: &Pair, codec: &Arc<dyn Compressor>, content: &[u8]) {
    let options = WriterOptions::new();
    let mut writer = Writer::create(pair, params(), codec.clone(), options).unwrap();
    writer.write_all(content).unwrap();
    writer.finish().unwrap();
}

fn remove(pair: &Pair) {
    std::fs::remove_file(pair.data()).unwrap();
    std::fs::remove_file(pair.info()).unwrap();
}

fn transfers(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let content = generate(Kind::Rows, 1, (CHUNK * CHUNKS) as usize).bytes;
    let pair = Pair::new(dir.path(), "nb-1-big");

    let mut group = c.benchmark_group("write");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(content.len() as u64));
    for (name, codec) in codecs() {
        group.bench_function(name, |b| {
            b.iter(|| {
                write(&pair, &codec, &content);
                remove(&pair);
            });
        });
    }
    group.finish();

    let [(_, software), _] = codecs();
    write(&pair, &software, &content);
    let mut group = c.benchmark_group("sequence");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(content.len() as u64));
    for (name, codec) in codecs() {
        let reader = Reader::open_as(&pair, codec, ReaderOptions::default()).unwrap();
        let mut buffer = vec![0; 64 << 10];
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut sequence = reader.sequential();
                while sequence.read(&mut buffer).unwrap() != 0 {}
                black_box(&buffer);
            });
        });
    }
    group.finish();
}

/// 20 ranges of 100 bytes in so many chunks, the chunks far from each other.
fn ranges(chunks: u64) -> Vec<Range<u64>> {
    (0..20)
        .map(|at| {
            let chunk = at % chunks * (CHUNKS / chunks);
            let start = chunk * CHUNK + at * 701;
            start..start + 100
        })
        .collect()
}

fn reads(c: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let content = generate(Kind::Rows, 1, (CHUNK * CHUNKS) as usize).bytes;
    let pair = Pair::new(dir.path(), "nb-1-big");
    let [(_, software), _] = codecs();
    write(&pair, &software, &content);

    for (name, codec) in codecs() {
        let reader = Reader::open_as(&pair, codec, ReaderOptions::default()).unwrap();
        let mut group = c.benchmark_group(format!("read/{name}"));
        group.throughput(Throughput::Elements(20));
        for chunks in [4, 20] {
            let ranges = ranges(chunks);
            group.bench_with_input(BenchmarkId::new("single", chunks), &ranges, |b, ranges| {
                b.iter(|| {
                    for range in ranges {
                        let mut item = vec![0; 100];
                        reader.read_at(range.start, &mut item).unwrap();
                        black_box(item);
                    }
                });
            });
            group.bench_with_input(BenchmarkId::new("many", chunks), &ranges, |b, ranges| {
                b.iter(|| black_box(reader.read_many(ranges)));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, transfers, reads);
criterion_main!(benches);

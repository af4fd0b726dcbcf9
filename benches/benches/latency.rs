//! How long operations take while several threads work at once: software alone, and what an engine
//! gets.
//!
//! First come criterion's numbers, the mean of an operation and the throughput of all threads
//! together; then a table of percentiles, of a measurement in which the two take turns. Threads share
//! the compressor and have sessions of their own, as in an engine. More threads than CPUs wait for
//! each other.
//!
//! ```sh
//! cargo bench -p compressor-benches --bench latency                  # both
//! cargo bench -p compressor-benches --bench latency -- percentiles   # the table alone
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark may stop at the first surprise"
)]

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use compressor::{Compressor, Direction, Engine, Format, Spec};
use compressor_benches::data::{Kind, generate};
use compressor_benches::measure::{Contender, SideBySide};
use criterion::{BenchmarkId, Criterion, Throughput};

/// How many threads work at once.
const THREADS: [usize; 3] = [1, 2, 4];

/// Length of a block in bytes.
const BLOCK: usize = 16 << 10;

/// How much data the operations go over.
const LEN: usize = 1 << 20;

fn main() {
    let engine = Engine::new().unwrap();
    let data = generate(Kind::Rows, 1, LEN).bytes;
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args();
    for format in Format::ALL {
        for (name, compressor) in contenders(&engine, format) {
            for direction in Direction::BOTH {
                means(&mut criterion, name, &compressor, direction, &data);
            }
        }
    }
    criterion.final_summary();

    let asked_for = |flag: &str| std::env::args().any(|argument| argument == flag);
    if !asked_for("--list") {
        // `cargo test --benches` only wants to know that it runs.
        let budget = if asked_for("--test") { 1 } else { 500 };
        percentiles(&engine, &data, Duration::from_millis(budget));
    }
}

fn contenders(engine: &Engine, format: Format) -> [(&'static str, Arc<dyn Compressor>); 2] {
    let spec = Spec::new(format);
    let software = engine.select(&spec).unwrap().software;
    [
        ("software", software),
        ("engine", engine.compressor(&spec).unwrap()),
    ]
}

/// Criterion's numbers.
fn means(
    criterion: &mut Criterion,
    name: &str,
    compressor: &Arc<dyn Compressor>,
    direction: Direction,
    data: &[u8],
) {
    let format = compressor.spec().format();
    let mut group = criterion.benchmark_group(format!("{format}/{direction}/{name}"));
    for threads in THREADS {
        group.throughput(Throughput::Bytes((BLOCK * threads) as u64));
        let mut workers: Vec<_> = (0..threads)
            .map(|_| worker(&**compressor, direction, data))
            .collect();
        group.bench_function(BenchmarkId::from_parameter(threads), |bencher| {
            bencher.iter_custom(|operations| at_once(&mut workers, operations));
        });
    }
}

/// Lets every worker do so many operations; the time of the slowest.
fn at_once(workers: &mut [Worker<'_>], operations: u64) -> Duration {
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter_mut()
            .map(|worker| {
                scope.spawn(move || {
                    let start = Instant::now();
                    (0..operations).for_each(|_| worker());
                    start.elapsed()
                })
            })
            .collect();
        let times = threads.into_iter().map(|thread| thread.join().unwrap());
        times.max().unwrap()
    })
}

/// Does the next operation.
type Worker<'a> = Box<dyn FnMut() + Send + 'a>;

fn worker<'a>(compressor: &dyn Compressor, direction: Direction, data: &'a [u8]) -> Worker<'a> {
    let bound = compressor.max_compressed_len(BLOCK).unwrap();
    let mut dst = vec![0; bound.max(BLOCK)];
    let mut writer = compressor.compress_session().unwrap();
    let mut blocks = data.chunks_exact(BLOCK).cycle();
    match direction {
        Direction::Compress => Box::new(move || {
            black_box(writer.compress(blocks.next().unwrap(), &mut dst).unwrap());
        }),
        Direction::Decompress => {
            let mut unit = |block| {
                let len = writer.compress(block, &mut dst).unwrap();
                dst[..len].to_vec()
            };
            let units: Vec<Vec<u8>> = data.chunks_exact(BLOCK).map(&mut unit).collect();
            let mut reader = compressor.decompress_session().unwrap();
            let mut next = 0;
            Box::new(move || {
                reader
                    .decompress_exact(&units[next], &mut dst[..BLOCK])
                    .unwrap();
                next = (next + 1) % units.len();
            })
        }
    }
}

/// Prints the table, with so much time for each line of two contenders.
fn percentiles(engine: &Engine, data: &[u8], budget: Duration) {
    println!("\nMicroseconds an operation on blocks of {BLOCK} bytes\n");
    println!(
        "{:<24} {:<9} {:>7} {:>9} {:>9} {:>9} {:>9} {:>8}",
        "format/direction", "", "threads", "p50", "p99", "p99.9", "longest", "MB/s"
    );
    let block_size = NonZeroUsize::new(BLOCK).unwrap();
    for format in Format::ALL {
        let [software, engine] = contenders(engine, format);
        let names = [software.0, engine.0];
        let [software, engine] =
            [software, engine].map(|(name, compressor)| Contender::new(name, compressor));
        let bench = SideBySide::prepare(software, [engine], data, block_size, &mut |_| {}).unwrap();
        for direction in Direction::BOTH {
            for threads in THREADS.map(|threads| NonZeroUsize::new(threads).unwrap()) {
                let latencies = bench.latency(direction, threads, budget, &mut |_| {});
                for (name, latency) in names.into_iter().zip(latencies.unwrap()) {
                    let [p50, p99, p999, max] =
                        [latency.p50, latency.p99, latency.p999, latency.max]
                            .map(|time| time.as_secs_f64() * 1e6);
                    let place = format!("{format}/{direction}");
                    println!(
                        "{place:<24} {name:<9} {threads:>7} {p50:>9.1} {p99:>9.1} {p999:>9.1} \
                         {max:>9.1} {:>8.0}",
                        latency.mb_per_s
                    );
                }
            }
        }
    }
    if cfg!(debug_assertions) {
        println!("\nBuilt without optimisation: the numbers mean nothing.");
    }
}

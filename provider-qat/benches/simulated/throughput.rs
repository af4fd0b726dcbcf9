//! What callers get of a device, and of a device and the CPU together.

use std::convert::Infallible;
use std::hint::black_box;
use std::ops::Range;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use compressor_api::{CompressSession, Compressor, Direction, Format, Job, Policy, Registry, Spec};
use compressor_benches::data::{Kind, generate};
use compressor_benches::measure::{Median, Pace, interleave};
use compressor_decorator::{Accelerated, Guards, Options};
use provider_qat::PROVIDER;

use crate::Effort;
use crate::direct::Direct;
use crate::sim::{Api, Sim};

const FORMAT: Format = Format::Zlib;

/// Compresses the batches of these numbers.
type Lane<'a> = Box<dyn FnMut(Range<usize>) -> Result<(), Infallible> + 'a>;

/// Blocks in a batch.
const BATCH: usize = 64;

/// Prints what two threads get of a device that serves two at a time.
pub fn two_threads(effort: Effort) {
    println!(
        "SIMULATED: what two threads get of the throughput of a device with two engines, by batches"
    );
    println!(
        "of {BATCH} blocks of {FORMAT} (median and best of {} rounds, by the clock on the wall); and the",
        effort.rounds
    );
    println!(
        "CPU time that decorator and provider take for a block, with what it leaves of the throughput on"
    );
    println!("a machine with a CPU for each thread, whatever else this one is busy with\n");
    println!(
        "{:>8} {:>10} {:>12} {:>10} {:>8} {:>8} {:>10} {:>8}",
        "block", "device", "software", "device/s", "median", "best", "CPU time", "leaves"
    );
    for (block, service) in [(4, 20), (16, 50), (64, 200)] {
        let block = block << 10;
        let service = Duration::from_micros(service);
        let script = format!(
            "work=stored; instances=2; service={}us",
            service.as_micros()
        );
        let host = Host::new(&format!("two-{block}"), &script, "2", "busy");
        let software = host.software(effort, 1, block);
        let capacity = 2.0 / service.as_secs_f64();
        let shares: Vec<f64> = (0..effort.rounds)
            .map(|_| host.accelerated(effort, 2, block) / capacity)
            .collect();
        let own = host.own_time(effort, block, &script);
        let best = shares.iter().copied().fold(0.0, f64::max);
        println!(
            "{:>8} {:>10} {:>12} {:>10.0} {:>7.1}% {:>7.1}% {:>10} {:>7.1}%",
            block,
            format!("{service:?}"),
            format!("{:.0?}", Duration::from_secs_f64(1.0 / software)),
            capacity,
            100.0 * Median::of(shares).unwrap().value,
            100.0 * best,
            format!("{:.1?}", Duration::from_secs_f64(own)),
            100.0 * service.as_secs_f64() / (service.as_secs_f64() + own)
        );
    }
    println!("\nThe target is 90 %.\n");
}

/// Prints what device and CPU do alone, and together.
pub fn saturated(effort: Effort) {
    const BLOCK: usize = 16 << 10;
    let host = Host::new(
        "saturated",
        "work=stored; instances=1; service=400us",
        "1",
        "periodical",
    );
    let cpus = thread::available_parallelism().map_or(2, usize::from);
    let mut rounds = Vec::new();
    for _ in 0..effort.rounds {
        // In turn, so that a machine that slows down slows all of them.
        rounds.push([
            host.accelerated(effort, 1, BLOCK),
            host.software(effort, cpus, BLOCK),
            host.accelerated(effort, cpus + 1, BLOCK),
        ]);
    }
    let median = |of: &dyn Fn(&[f64; 3]) -> f64| Median::of(rounds.iter().map(of)).unwrap().value;
    println!("SIMULATED: blocks of {BLOCK} bytes of {FORMAT} a second, {cpus} CPUs, saturated\n");
    println!("device alone, one thread     {:>8.0}", median(&|r| r[0]));
    println!(
        "CPU alone, {cpus} threads         {:>8.0}",
        median(&|r| r[1])
    );
    println!(
        "together, {} threads          {:>8.0}",
        cpus + 1,
        median(&|r| r[2])
    );
    println!(
        "together is {:.2} times the device and {:.2} times the CPU",
        median(&|r| r[2] / r[0]),
        median(&|r| r[2] / r[1])
    );
}

/// An engine's view of the simulated device.
struct Host {
    sim: Sim,
    accelerated: Arc<Accelerated>,
    software: Arc<dyn Compressor>,
}

impl Host {
    fn new(name: &str, script: &str, in_flight: &str, polling: &str) -> Self {
        let sim = Sim::new(name, Api::V2_5, script);
        let registry = Registry::builder()
            .provider(&PROVIDER)
            .provider(&compressor_deflate::PROVIDER)
            .param("intel.qat", "library_path", &sim.path)
            .param("intel.qat", "max_in_flight", in_flight)
            .param("intel.qat", "polling", polling)
            .build()
            .unwrap();
        let spec = Spec::new(FORMAT);
        let selection = registry.select(&spec, &Policy::default()).unwrap();
        let made = Accelerated::from_selection(&selection, &Guards::new(), Options::new());
        Self {
            sim,
            accelerated: Arc::new(made.unwrap()),
            software: compressor_deflate::factory().compressor(&spec).unwrap(),
        }
    }

    /// Operations a second through the decorator.
    fn accelerated(&self, effort: Effort, threads: usize, block: usize) -> f64 {
        throughput(&*self.accelerated, effort, threads, block)
    }

    fn software(&self, effort: Effort, threads: usize, block: usize) -> f64 {
        throughput(&*self.software, effort, threads, block)
    }

    /// Seconds of CPU time that a block of a batch takes beyond what QATzip takes called directly, with
    /// a device that takes no time; afterwards the device does as `script` says again.
    fn own_time(&self, effort: Effort, block: usize, script: &str) -> f64 {
        self.sim.configure("work=stored");
        let content = generate(Kind::Rows, 1, block * BATCH).bytes;
        let bound = self.accelerated.max_compressed_len(block).unwrap();
        let mut session = self.accelerated.compress_session().unwrap();
        let mut direct = Direct::new(&self.sim, FORMAT, Direction::Compress);
        let (mut room, mut their_room) = (vec![0; bound * BATCH], vec![0; bound * BATCH]);
        let mut lanes: [Lane<'_>; 2] = [
            Box::new(|batches| {
                for _ in batches {
                    compress_batch(&mut *session, &content, &mut room, block, bound);
                }
                Ok(())
            }),
            Box::new(|batches| {
                for _ in batches {
                    let sources = content.chunks_exact(block);
                    for (src, dst) in sources.zip(their_room.chunks_exact_mut(bound)) {
                        black_box(direct.compress(src, dst));
                    }
                }
                Ok(())
            }),
        ];
        let Ok(rounds) = interleave(&mut lanes, &Pace::new(effort.time * 2), |_| {});
        let blocks = (rounds.ops_per_round() * BATCH) as f64;
        let pairs = rounds.laps(0).iter().zip(rounds.laps(1));
        let own = pairs
            .map(|(ours, theirs)| (ours.cpu.as_secs_f64() - theirs.cpu.as_secs_f64()) / blocks);
        let own = Median::of(own).unwrap().value;
        self.sim.configure(script);
        own
    }
}

/// Compresses all blocks of `content` at once; returns how many there are.
fn compress_batch(
    session: &mut dyn CompressSession,
    content: &[u8],
    room: &mut [u8],
    block: usize,
    bound: usize,
) -> usize {
    let sources = content.chunks_exact(block);
    let mut jobs: Vec<Job<'_>> = sources
        .zip(room.chunks_exact_mut(bound))
        .map(|(src, dst)| Job::new(src, dst))
        .collect();
    session.compress_many(&mut jobs);
    assert!(jobs.iter().all(|job| job.result.is_ok()));
    jobs.len()
}

/// Blocks a second of so many threads, each with batches of its own.
fn throughput(compressor: &dyn Compressor, effort: Effort, threads: usize, block: usize) -> f64 {
    let content = generate(Kind::Rows, 1, block * BATCH).bytes;
    let bound = compressor.max_compressed_len(block).unwrap();
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut session = compressor.compress_session().unwrap();
                    let mut room = vec![0; bound * BATCH];
                    let mut batch =
                        || compress_batch(&mut *session, &content, &mut room, block, bound);
                    batch();
                    barrier.wait();
                    let start = Instant::now();
                    let mut done = 0;
                    while start.elapsed() < effort.time {
                        done += batch();
                    }
                    done as f64 / start.elapsed().as_secs_f64()
                })
            })
            .collect();
        let rates = threads.into_iter().map(|thread| thread.join().unwrap());
        rates.sum()
    })
}

//! What the framework adds over calling a library directly, in nanoseconds an operation.
//!
//! Blocks of 4 KiB, where a fixed cost an operation shows most; sessions and contexts made once.
//! For every format, each provider that serves it, and both directions:
//!
//! - `direct`: the library's own functions, with the settings that the provider uses;
//! - `provider`: the provider's session;
//! - `decorated`: the session that an engine hands out, with gates, breaker, permits and counters
//!   before the provider's. Verification is off: operations that are drawn for it cost a
//!   decompression more, by design.
//!
//! First come criterion's numbers for each alone, then a table of the differences. These are of
//! another measurement: the three run in turn, some microseconds each, and what is printed is the
//! median of the difference to `direct` in the same round, so that a machine that slows down
//! meanwhile slows all three. Addresses matter as well, so all contexts and buffers are made anew
//! some times; the interval tells how far the result depends on that. The target is 50 ns. Where a
//! call takes 100 µs, the interval is wider than that, and all it can say is that the cost is not
//! seen; it is the same code that shows its cost where a call takes 1 µs.
//!
//! ```sh
//! cargo bench -p compressor-benches --bench overhead            # both
//! cargo bench -p compressor-benches --bench overhead -- paired  # the table alone
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark may stop at the first surprise"
)]

mod direct;

use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use compressor::decorator::{Options, Verify};
use compressor::{Compressor, Direction, Engine, Format, Policy, Spec};
use compressor_benches::data::{Kind, generate};
use compressor_benches::measure::{Median, Pace, interleave};
use criterion::Criterion;

use direct::{Copy, Direct, Libdeflate, Lz4, Snappy, Zlib, Zstd};

/// Length of a block in bytes.
const BLOCK: usize = 4096;

/// How many blocks the operations go over: few enough to stay in a cache.
const BLOCKS: usize = 16;

/// How often the lanes of a contest are made anew. Where contexts and buffers happen to lie makes
/// differences of up to a few tenths of a percent, which for a slow library are more than the
/// framework.
const SETS: usize = 15;

/// What an operation may cost more than the direct call.
const TARGET_NS: f64 = 50.0;

fn main() {
    let contests = contests();
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args();
    for contest in &contests {
        contest.alone(&mut criterion);
    }
    criterion.final_summary();

    let asked_for = |flag: &str| std::env::args().any(|argument| argument == flag);
    if !asked_for("--list") {
        // `cargo test --benches` only wants to know that it runs.
        let (sets, budget) = if asked_for("--test") {
            (1, 5)
        } else {
            (SETS, 200)
        };
        paired(&contests, sets, Duration::from_millis(budget));
    }
}

/// Three ways to the same result.
struct Contest {
    spec: Spec,
    direction: Direction,
    provider: &'static str,
    compressor: Arc<dyn Compressor>,
    decorated: Arc<dyn Compressor>,
}

/// Every format, by its software codec and by its accelerator, in both directions.
fn contests() -> Vec<Contest> {
    let options = Options::new().verify(Verify::Never);
    let engine = Engine::builder().options(options).build().unwrap();
    let software = Policy::software_only();
    let software = Engine::builder()
        .options(options)
        .policy(software)
        .build()
        .unwrap();
    let mut contests = Vec::new();
    for format in Format::ALL {
        let spec = Spec::new(format);
        for direction in Direction::BOTH {
            let selection = engine.select(&spec).unwrap();
            let compressor = selection.software.clone();
            contests.push(Contest {
                spec: spec.clone(),
                direction,
                provider: compressor.effective().compress.unwrap().provider.as_str(),
                compressor,
                decorated: software.compressor(&spec).unwrap(),
            });
            if let Some(accelerator) = selection.accelerator(direction) {
                if accelerator.provider.as_str() != "libdeflate" {
                    let provider = accelerator.provider;
                    eprintln!("skipped: {format}, {direction}: no direct call of {provider} here");
                    continue;
                }
                contests.push(Contest {
                    spec: spec.clone(),
                    direction,
                    provider: accelerator.provider.as_str(),
                    compressor: accelerator.compressor.clone(),
                    decorated: engine.compressor(&spec).unwrap(),
                });
            }
        }
    }
    contests
}

impl Contest {
    fn name(&self) -> String {
        format!(
            "{}/{}/{}",
            self.spec.format(),
            self.direction,
            self.provider
        )
    }

    /// The three of them, ready to run, made from the `first` on and around.
    fn lanes(&self, first: usize) -> [(&'static str, Lane); 3] {
        let blocks = Blocks::new(&*self.compressor);
        let mut lanes = [0, 1, 2].map(|number| {
            let number = (first + number) % 3;
            let lane = match number {
                0 => ("direct", self.direct(blocks.clone())),
                1 => (
                    "provider",
                    session(&*self.compressor, self.direction, blocks.clone()),
                ),
                _ => (
                    "decorated",
                    session(&*self.decorated, self.direction, blocks.clone()),
                ),
            };
            (number, lane)
        });
        lanes.sort_by_key(|(number, _)| *number);
        lanes.map(|(_, lane)| lane)
    }

    fn direct(&self, blocks: Blocks) -> Lane {
        let (format, direction) = (self.spec.format(), self.direction);
        let level = self.compressor.effective().compress.unwrap().level;
        match (format, self.provider) {
            (_, "libdeflate") => direct(Libdeflate::new(format, level), direction, blocks),
            (Format::None, _) => direct(Copy, direction, blocks),
            (Format::Lz4Block, _) => direct(Lz4::block(), direction, blocks),
            (Format::Lz4Sized, _) => direct(Lz4::sized(), direction, blocks),
            (Format::Zstd, _) => direct(Zstd::new(level), direction, blocks),
            (Format::Snappy, _) => direct(Snappy::new(), direction, blocks),
            (_, "software.deflate") => direct(Zlib::new(format, level), direction, blocks),
            (_, other) => panic!("nobody wrote the direct call of {other}"),
        }
    }

    /// Criterion's numbers.
    fn alone(&self, criterion: &mut Criterion) {
        let mut group = criterion.benchmark_group(self.name());
        for (name, mut lane) in self.lanes(0) {
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|operations| {
                    let start = Instant::now();
                    lane(0..operations as usize).unwrap();
                    start.elapsed()
                });
            });
        }
    }
}

/// Does the operations of these numbers.
type Lane = Box<dyn FnMut(Range<usize>) -> Result<(), compressor::Error>>;

/// What the lanes work on, a copy for each so that none has the other's in its cache.
#[derive(Clone)]
struct Blocks {
    content: Vec<u8>,
    units: Vec<Vec<u8>>,
    /// Room for any unit, and for any block.
    dst: Vec<u8>,
}

impl Blocks {
    fn new(compressor: &dyn Compressor) -> Self {
        let content = generate(Kind::Rows, 1, BLOCK * BLOCKS).bytes;
        let mut dst = vec![0; compressor.max_compressed_len(BLOCK).unwrap().max(BLOCK)];
        let mut session = compressor.compress_session().unwrap();
        let units = content
            .chunks(BLOCK)
            .map(|block| {
                let len = session.compress(block, &mut dst).unwrap();
                dst[..len].to_vec()
            })
            .collect();
        Self {
            content,
            units,
            dst,
        }
    }

    fn block(&self, number: usize) -> &[u8] {
        let start = number % BLOCKS * BLOCK;
        &self.content[start..start + BLOCK]
    }
}

fn direct(mut library: impl Direct + 'static, direction: Direction, mut blocks: Blocks) -> Lane {
    let mut dst = std::mem::take(&mut blocks.dst);
    match direction {
        Direction::Compress => Box::new(move |operations| {
            for number in operations {
                black_box(library.compress(black_box(blocks.block(number)), &mut dst));
            }
            Ok(())
        }),
        Direction::Decompress => Box::new(move |operations| {
            for number in operations {
                let unit = black_box(&blocks.units[number % BLOCKS]);
                black_box(library.decompress(unit, &mut dst[..BLOCK]));
            }
            Ok(())
        }),
    }
}

fn session(compressor: &dyn Compressor, direction: Direction, mut blocks: Blocks) -> Lane {
    let mut dst = std::mem::take(&mut blocks.dst);
    match direction {
        Direction::Compress => {
            let mut session = compressor.compress_session().unwrap();
            Box::new(move |operations| {
                for number in operations {
                    black_box(session.compress(black_box(blocks.block(number)), &mut dst)?);
                }
                Ok(())
            })
        }
        Direction::Decompress => {
            let mut session = compressor.decompress_session().unwrap();
            Box::new(move |operations| {
                for number in operations {
                    let unit = black_box(&blocks.units[number % BLOCKS]);
                    session.decompress_exact(unit, &mut dst[..BLOCK])?;
                }
                Ok(())
            })
        }
    }
}

/// Prints the differences, with so many sets of lanes, so much time for each.
fn paired(contests: &[Contest], sets: usize, budget: Duration) {
    println!(
        "\nNanoseconds an operation on blocks of {BLOCK} bytes: the direct call, and what the"
    );
    println!(
        "provider and the decorated path add to it (median and its 95 % confidence interval)\n"
    );
    println!(
        "{:<38} {:>9}  {:<26} {:<26}",
        "format/direction/provider", "direct", "provider adds", "decorated adds"
    );
    let mut over = 0;
    for contest in contests {
        // Kept to the end of the contest, so that no set gets the addresses of the one before.
        let mut kept = Vec::new();
        let sets: Vec<[f64; 3]> = (0..sets)
            .map(|set| {
                kept.push((vec![1_u8; set * 1000], Vec::new()));
                let mut lanes = contest.lanes(set);
                let medians = medians(&mut lanes, budget);
                kept.last_mut().unwrap().1.extend(lanes);
                medians
            })
            .collect();
        let [direct, provider, decorated] =
            [0, 1, 2].map(|lane| Median::of(sets.iter().map(|set| set[lane])).unwrap());
        over += [provider, decorated]
            .iter()
            .filter(|adds| adds.low > TARGET_NS)
            .count();
        let [provider, decorated] = [provider, decorated].map(|adds| {
            let Median { value, low, high } = adds;
            format!("{value:>7.1} ({low:.1} to {high:.1})")
        });
        let name = contest.name();
        println!(
            "{name:<38} {:>9.0}  {provider:<26} {decorated:<26}",
            direct.value
        );
    }
    if cfg!(debug_assertions) {
        println!("\nBuilt without optimisation: the numbers mean nothing.");
        return;
    }
    // One in 40 is by chance.
    println!(
        "\n{over} of {} are above {TARGET_NS} ns with 97.5 % confidence",
        2 * contests.len()
    );
}

/// Nanoseconds an operation of the direct call, and what each of the others adds to them in the
/// same round.
fn medians(lanes: &mut [(&'static str, Lane); 3], budget: Duration) -> [f64; 3] {
    let pace = Pace::fine(budget);
    let mut lanes = lanes.each_mut().map(|(_, lane)| lane);
    let rounds = interleave(&mut lanes, &pace, |_| {}).unwrap();
    let operations = rounds.ops_per_round() as f64;
    let quiet = rounds.quiet();
    let per_op = |lane: usize| {
        let laps = rounds.laps(lane);
        let laps = quiet.iter().map(|round| laps[*round]);
        laps.map(move |lap| lap.wall.as_secs_f64() * 1e9 / operations)
    };
    let median = |values: Vec<f64>| Median::of(values).unwrap().value;
    let adds = |lane| median(per_op(lane).zip(per_op(0)).map(|(a, b)| a - b).collect());
    [median(per_op(0).collect()), adds(1), adds(2)]
}

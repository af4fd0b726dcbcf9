//! What an operation costs more through the ABI than linked: the same provider both ways, in
//! alternating rounds of one run. Fails beyond the budget.
//!
//! ```text
//! cargo bench -p compressor-plugin --bench abi_cost
//! ```
//!
//! The provider copies, so that hardly anything but the way to it is measured.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark stops at the first surprise"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use common::cargo_build;
use compressor_api::{Compressor, CompressorFactory, Direction, Format, Job, Params, Spec, stored};
use compressor_plugin::load;

/// What an operation through the ABI may cost more, in nanoseconds.
const BUDGET: f64 = 30.0;

/// Operations in a round, and rounds.
const OPERATIONS: usize = 20_000;
const ROUNDS: usize = 101;

/// Jobs of a batch.
const BATCH: usize = 32;

fn main() -> ExitCode {
    // Cargo runs benchmarks as tests, too; there is nothing to test here.
    if !std::env::args().any(|arg| arg == "--bench") {
        return ExitCode::SUCCESS;
    }
    let file = "libexample_plugin_rust.so";
    let entry = load(cargo_build("--package", "example-plugin-rust", file)).unwrap();
    let plugin = entry.opener.open(&Params::default()).unwrap();
    let (linked, plugin) = (compressor(&*stored::factory()), compressor(&*plugin));

    println!("nanoseconds an operation, median of {ROUNDS} rounds of {OPERATIONS} operations");
    println!(
        "{:<24}{:>10}{:>10}{:>12}",
        "", "linked", "plugin", "difference"
    );
    let mut within = true;
    for len in [16, 4096] {
        for direction in Direction::BOTH {
            for batch in [1, BATCH] {
                let mut linked = operation(&*linked, direction, len, batch);
                let mut plugin = operation(&*plugin, direction, len, batch);
                let (a, b, difference) = side_by_side(&mut linked, &mut plugin);
                let what = format!("{direction} {len} B, {batch} at once");
                println!("{what:<34}{a:>8.1}{b:>10.1}{difference:>12.1}");
                within &= difference <= BUDGET;
            }
        }
    }
    println!("budget: {BUDGET} ns more");
    if within {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn compressor(factory: &dyn CompressorFactory) -> std::sync::Arc<dyn Compressor> {
    factory.compressor(&Spec::new(Format::None)).unwrap()
}

/// A round of operations on a session of its own.
fn operation(
    compressor: &dyn Compressor,
    direction: Direction,
    len: usize,
    batch: usize,
) -> Box<dyn FnMut()> {
    let src = vec![7; len];
    let mut buffers = vec![vec![0; len]; batch];
    macro_rules! rounds {
        ($session:expr, $one:ident, $many:ident) => {{
            let mut session = $session.unwrap();
            Box::new(move || {
                for _ in 0..OPERATIONS / batch {
                    if let [dst] = &mut buffers[..] {
                        black_box(session.$one(black_box(&src), dst).unwrap());
                    } else {
                        let mut left = buffers.iter_mut();
                        let mut jobs: [Job<'_>; BATCH] =
                            std::array::from_fn(|_| Job::new(&src, left.next().unwrap()));
                        session.$many(black_box(&mut jobs));
                    }
                }
            })
        }};
    }
    match direction {
        Direction::Compress => rounds!(compressor.compress_session(), compress, compress_many),
        Direction::Decompress => {
            rounds!(compressor.decompress_session(), decompress, decompress_many)
        }
    }
}

/// Medians of both, and of their difference in each pair of rounds.
fn side_by_side(a: &mut dyn FnMut(), b: &mut dyn FnMut()) -> (f64, f64, f64) {
    let mut rounds: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        let (a, b) = (per_operation(a), per_operation(b));
        for (times, time) in rounds.iter_mut().zip([a, b, b - a]) {
            times.push(time);
        }
    }
    let [a, b, difference] = rounds.map(median);
    (a, b, difference)
}

fn per_operation(round: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    round();
    start.elapsed().as_secs_f64() * 1e9 / OPERATIONS as f64
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

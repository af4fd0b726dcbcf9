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

use std::array;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use common::cargo_build;
use compressor_api::{Compressor, CompressorFactory, Error, Format, Job, Params, Spec, stored};
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
    for len in [16, 256] {
        for batch in [1, BATCH] {
            // The same buffers for both: where they lie can cost more than what is measured.
            let mut buffers = Buffers::new(len, batch);
            let mut sessions = [&linked, &plugin].map(|c| c.compress_session().unwrap());
            let [a, b, difference] = side_by_side(|contender| {
                buffers.round(
                    &mut sessions[contender],
                    |session, src, dst| session.compress(src, dst),
                    |session, jobs| session.compress_many(jobs),
                );
            });
            let what = format!("compress {len} B, {batch} at once");
            println!("{what:<34}{a:>8.1}{b:>10.1}{difference:>12.1}");
            within &= difference <= BUDGET;

            let mut sessions = [&linked, &plugin].map(|c| c.decompress_session().unwrap());
            let [a, b, difference] = side_by_side(|contender| {
                buffers.round(
                    &mut sessions[contender],
                    |session, src, dst| session.decompress(src, dst),
                    |session, jobs| session.decompress_many(jobs),
                );
            });
            let what = format!("decompress {len} B, {batch} at once");
            println!("{what:<34}{a:>8.1}{b:>10.1}{difference:>12.1}");
            within &= difference <= BUDGET;
        }
    }
    println!("budget: {BUDGET} ns more");
    if within {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn compressor(factory: &dyn CompressorFactory) -> Arc<dyn Compressor> {
    factory.compressor(&Spec::new(Format::None)).unwrap()
}

/// What operations work on.
struct Buffers {
    src: Vec<u8>,
    dst: Vec<Vec<u8>>,
}

impl Buffers {
    fn new(len: usize, batch: usize) -> Self {
        Self {
            src: vec![7; len],
            dst: vec![vec![0; len]; batch],
        }
    }

    /// A round of operations, one by one or in batches.
    fn round<S>(
        &mut self,
        session: &mut S,
        one: impl Fn(&mut S, &[u8], &mut [u8]) -> Result<usize, Error>,
        many: impl Fn(&mut S, &mut [Job<'_>]),
    ) {
        for _ in 0..OPERATIONS / self.dst.len() {
            if let [dst] = &mut self.dst[..] {
                black_box(one(session, black_box(&self.src), dst).unwrap());
            } else {
                let mut dst = self.dst.iter_mut();
                let mut jobs: [Job<'_>; BATCH] =
                    array::from_fn(|_| Job::new(&self.src, dst.next().unwrap()));
                many(session, black_box(&mut jobs));
            }
        }
    }
}

/// Medians of the contenders 0 and 1, and of their difference in each pair of rounds.
fn side_by_side(mut round: impl FnMut(usize)) -> [f64; 3] {
    let mut rounds: [Vec<f64>; 3] = Default::default();
    for _ in 0..ROUNDS {
        let [a, b] = [0, 1].map(|contender| {
            let start = Instant::now();
            round(contender);
            start.elapsed().as_secs_f64() * 1e9 / OPERATIONS as f64
        });
        for (times, time) in rounds.iter_mut().zip([a, b, b - a]) {
            times.push(time);
        }
    }
    rounds.map(median)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

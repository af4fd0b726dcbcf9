//! This framework beside the crates that a program would otherwise call, in one run.
//!
//! Each crate is called directly, with contexts that are made once and reset as its documentation
//! recommends; the framework is what an engine hands out, with gates, breaker, counters and
//! verification. All of them work on the same blocks, in turn, about a millisecond each; everybody's
//! units are read by the framework and the framework's by everybody before anything is timed. Nobody
//! waits for anything, so speeds are compared by CPU time, which a busy machine disturbs least.
//!
//! ```sh
//! cargo run --release -p compressor-benches --features peers --bin peers
//! ```
//!
//! The feature builds zlib-ng, which takes CMake. With `peers-isal` instead, isal-rs takes part: it
//! links the ISA-L of the system (Debian: `libisal-dev`).
//!
//! # What is compared with what
//!
//! | asked for | the framework | peers |
//! | --- | --- | --- |
//! | a level | as by default | at the same level |
//! | speed | the effort of that name: units up to 10 % longer than at zlib's level 6 | at level 1, whose units may be far longer |
//!
//! zlib-rs is called through its own safe API, for flate2 has one backend a build, here zlib-ng.
//! Neither resets a decoder to gzip; there, libdeflater alone takes part.
#![forbid(unsafe_code)]

mod contest;
mod crates;
mod peer;
mod table;

use std::error::Error;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use compressor_benches::data::{Kind, generate};

use contest::{Asked, Contest};
use table::Table;

/// Compare the framework with the crates that a program would otherwise call.
#[derive(Debug, Parser)]
#[command(max_term_width = 100, after_help = AFTER_HELP)]
struct Args {
    /// Data sets to compare on.
    #[arg(long = "data", value_delimiter = ',', default_value = "text,rows")]
    kinds: Vec<Kind>,
    /// How much of each, in MiB.
    #[arg(long, default_value = "4")]
    mib: NonZeroUsize,
    /// Lengths of the blocks, in KiB.
    #[arg(long = "block-kib", value_delimiter = ',', default_value = "4,16,64")]
    block_sizes: Vec<NonZeroUsize>,
    /// How long to measure each direction of each cell, in milliseconds.
    #[arg(long, default_value = "500")]
    ms: u64,
}

/// Bytes.
const KIB: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1023);

const AFTER_HELP: &str = "\
Served by is who compresses, and after a slash who decompresses if that is another, by the length of
the blocks where it depends on that. What is measured: the framework's speed through the peer's, by CPU time, the median over interleaved
rounds; above 1 the framework is faster, and below 0.97 there is a star. Length is that of its units
through the peer's; below 1 the framework's are shorter. Decompressing, all get the framework's
units.";

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let data: Vec<_> = args
        .kinds
        .iter()
        .map(|kind| generate(*kind, 1, args.mib.get().saturating_mul(1 << 20)))
        .collect();
    let time = Duration::from_millis(args.ms);
    let sizes = args.block_sizes.iter().map(|kib| kib.saturating_mul(KIB));
    let sizes: Vec<NonZeroUsize> = sizes.collect();
    let mut table = Table::new(&sizes);
    for asked in [Asked::Level, Asked::Speed] {
        for contest in Contest::all(asked)? {
            for set in &data {
                let outcomes: Result<Vec<_>, _> = sizes
                    .iter()
                    .map(|size| contest.run(&set.bytes, *size, time))
                    .collect();
                table.add(&contest, &set.name, &outcomes?);
            }
        }
    }
    println!("{table}\n");
    println!("{AFTER_HELP}");
    Ok(())
}

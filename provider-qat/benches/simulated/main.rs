//! What the provider costs, over a **simulated** device: nothing here is a figure of a device.
//!
//! - What the provider adds to a call of QATzip, on blocks of 4 KiB, with a device that takes no time
//!   and next to none for its work. The target is 300 ns: that is two copies, for the device works on
//!   buffers of the provider's, and a checksum, whose part is told.
//! - How much of the device's throughput two threads get through `compress_many` of what an engine
//!   hands out, verification included. The target is 90 %.
//! - Whether device and CPU together do more than either alone, when there is more to do than both
//!   can. The device's callers sleep while it works.
//!
//! ```sh
//! cargo bench -p provider-qat --bench simulated              # all of it
//! cargo bench -p provider-qat --bench simulated -- zlib/     # what has this in its name
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a benchmark may stop at the first surprise"
)]

mod direct;
mod overhead;
#[path = "../../tests/sim/mod.rs"]
mod sim;
mod throughput;

use std::time::Duration;

/// How long to measure.
#[derive(Clone, Copy)]
struct Effort {
    /// How often everything is made anew and measured again.
    rounds: usize,
    /// For each contender of a round.
    time: Duration,
}

/// Whether what is called `name` is to be measured: everything, if nobody asks for a part.
fn wanted(name: &str) -> bool {
    let mut parts = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .peekable();
    parts.peek().is_none() || parts.any(|part| name.contains(&part))
}

fn main() {
    let asked_for = |flag: &str| std::env::args().any(|argument| argument == flag);
    if asked_for("--list") {
        return;
    }
    // `cargo test --benches` only wants to know that it runs.
    let effort = if asked_for("--bench") {
        Effort {
            rounds: 9,
            time: Duration::from_millis(200),
        }
    } else {
        Effort {
            rounds: 1,
            time: Duration::from_millis(2),
        }
    };
    println!("A SIMULATED device (qat-sim): no figure below is one of a device.\n");
    overhead::run(effort);
    if wanted("two-threads") {
        throughput::two_threads(effort);
    }
    if wanted("saturated") {
        throughput::saturated(effort);
    }
    if cfg!(debug_assertions) {
        println!("\nBuilt without optimisation: the numbers mean nothing.");
    }
}

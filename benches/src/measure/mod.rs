//! Measuring compressors side by side.
//!
//! A machine that also does other things, changes its clock rate or warms up gives other numbers
//! every minute. So contenders are not measured one after the other, but in turn, in rounds of
//! milliseconds; what is quoted is the median over the rounds of the *ratio* of two contenders that
//! worked next to each other. Rounds in which the system took the CPU away do not count, as long as
//! there are others. Throughputs are of this machine at that time, the speed-up is what carries
//! over.
//!
//! - Sessions are made once, outside of what is timed; the numbers are of a program that has run
//!   for a while.
//! - Before anything is timed, all data is compressed, decompressed and compared with the original.
//!   A number of a contender that returns wrong bytes does not exist.
//! - When decompressing, all contenders get the same units: the baseline's.
//! - CPU time is that of the calling thread alone.
//! - How long single operations take, and how much longer the slowest of them, is another
//!   measurement, [`SideBySide::latency`], in which any number of threads work at once.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::time::Duration;
//!
//! use compressor_api::{Direction, Format, Spec, stored};
//! use compressor_benches::measure::{Contender, Pace, SideBySide};
//!
//! let none = stored::factory().compressor(&Spec::new(Format::None))?;
//! let contenders = ["one", "another"].map(|name| Contender::new(name, none.clone()));
//! let [one, another] = contenders;
//! let block_size = NonZeroUsize::new(4096).ok_or("a block has a length")?;
//!
//! let data = b"some content".repeat(10_000);
//! let mut bench = SideBySide::prepare(one, [another], &data, block_size, &mut |_| {})?;
//! let pace = Pace::new(Duration::from_millis(50));
//! for measured in bench.measure(Direction::Compress, &pace, &mut |_| {})? {
//!     println!("{:.0} MB/s, {:.2} times as fast", measured.mb_per_s, measured.speedup);
//!     assert_eq!(measured.ratio, 1.0);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
mod clock;
mod error;
mod lane;
mod latency;
mod rounds;
mod side_by_side;
mod stats;

pub use clock::Lap;
pub use error::MeasureError;
pub use lane::Contender;
pub use latency::Latency;
pub use rounds::{Pace, Rounds, interleave};
pub use side_by_side::{Measured, Progress, SideBySide};
pub use stats::Median;

//! Implementations that this workspace did not write, as judges of the bytes: what a provider
//! writes, each of them reads, and the other way round.
//!
//! | implementation | formats | how it is reached |
//! | --- | --- | --- |
//! | `lz4` | `lz4-block`, taken out of a frame and put into one | the command |
//! | `zstd` | `zstd`, with dictionaries | the command |
//! | `gzip` | `gzip` | the command |
//! | `pigz` | `gzip`, `zlib` | the command |
//! | `python-zlib` | `zlib`, `deflate-raw`, `gzip`, with smaller windows | Python |
//! | `python-lz4` | `lz4-block`, `lz4-sized` | Python |
//! | `python-zstandard` | `zstd`, with dictionaries | Python |
//! | `python-snappy` | `snappy` | Python |
//! | `java.util.zip` | `zlib`, `deflate-raw`, `gzip` | the JVM |
//! | `lz4-java`, `lz4-java-safe` | `lz4-block`; the second is plain Java | the JVM |
//! | `zstd-jni` | `zstd`, with dictionaries | the JVM |
//! | `snappy-java` | `snappy` | the JVM |
//! | `cassandra:…Compressor` | what that class of Cassandra's writes | the JVM |
//!
//! Each is looked for when a run starts, and is reported as run or as skipped with the reason:
//!
//! - commands on the `PATH`;
//! - Python: the program that [`PYTHON`] names, else `target/venv/bin/python3` of the workspace,
//!   else `python3`, with whichever modules that has;
//! - the JVM: `java` on the `PATH`, and the directory that [`JVM_ORACLE`] names, else
//!   `target/jvm-oracle` of the workspace, as `jvm/build.sh` makes it.
//!
//! Decoded data is compared, never compressed bytes. In the formats with a checksum, units that
//! were cut or had a bit turned are given to both sides as well: both refuse, or both read the
//! same.

mod agreement;
mod exchange;
mod frozen;
mod implementation;
mod lz4_frame;
mod oracle;
mod pipe;
mod plan;
mod run;
mod tool;

pub use frozen::{Frozen, frozen};
pub use implementation::{Detected, How, Outside, Side, Trouble};
pub use oracle::{Cassandra, JVM_ORACLE, PYTHON};
pub use run::{GROUP, replay, replay_with, run_with, skipped};

/// Looks for every implementation there is a way to reach. In the order of the table above.
#[must_use]
pub fn detect() -> Vec<Detected> {
    let mut all = tool::detect();
    all.extend(oracle::detect());
    all
}

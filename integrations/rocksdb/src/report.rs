use std::fmt;
use std::sync::Arc;

use compressor::decorator::{Counters, Snapshot};
use compressor::{Accelerated, Compressor, Direction, Effective, Spec};
use rocksdb::statistics::Ticker;

/// What was compressed and decompressed, and RocksDB's own numbers beside.
///
/// Prints as a few lines of text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// By compressor, in the order of formats and levels.
    pub served: Vec<Served>,
    /// What RocksDB counted; `None` unless the options record statistics.
    pub rocksdb: Option<Tickers>,
}

/// What one compressor did.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Served {
    /// What it is for.
    pub spec: Spec,
    /// Who serves it.
    pub effective: Effective,
    /// What it did so far.
    pub counters: Snapshot,
}

/// RocksDB's statistics on compression. Blocks that its own code served are among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tickers {
    /// Blocks stored compressed (`rocksdb.number.block.compressed`).
    pub compressed: u64,
    /// Bytes of them before (`rocksdb.bytes.compressed.from`).
    pub compressed_from: u64,
    /// Bytes of them after (`rocksdb.bytes.compressed.to`).
    pub compressed_to: u64,
    /// Blocks that did not shrink enough (`rocksdb.number.block_compression_rejected`).
    pub rejected: u64,
    /// Blocks that were not tried (`rocksdb.number.block_compression_bypassed`).
    pub bypassed: u64,
    /// Blocks decompressed (`rocksdb.number.block.decompressed`).
    pub decompressed: u64,
    /// Bytes of them before (`rocksdb.bytes.decompressed.from`).
    pub decompressed_from: u64,
    /// Bytes of them after (`rocksdb.bytes.decompressed.to`).
    pub decompressed_to: u64,
}

impl Report {
    pub(crate) fn new(compressors: &[Arc<Accelerated>], options: &rocksdb::Options) -> Self {
        let served = compressors
            .iter()
            .map(|compressor| Served {
                spec: compressor.spec().clone(),
                effective: compressor.effective().clone(),
                counters: compressor.counters(),
            })
            .collect();
        Self {
            served,
            rocksdb: Tickers::of(options),
        }
    }

    /// Operations of one direction, over all compressors: by an accelerator, and by software.
    #[must_use]
    pub fn ops(&self, direction: Direction) -> (u64, u64) {
        self.served
            .iter()
            .map(|served| served.counters.direction(direction))
            .fold((0, 0), |(accelerated, software), counters| {
                (
                    accelerated + counters.accelerated.ops,
                    software + counters.software.ops,
                )
            })
    }
}

impl Tickers {
    fn of(options: &rocksdb::Options) -> Option<Self> {
        options.get_statistics()?;
        let count = |ticker| options.get_ticker_count(ticker);
        Some(Self {
            compressed: count(Ticker::NumberBlockCompressed),
            compressed_from: count(Ticker::BytesCompressedFrom),
            compressed_to: count(Ticker::BytesCompressedTo),
            rejected: count(Ticker::NumberBlockCompressionRejected),
            bypassed: count(Ticker::NumberBlockCompressionBypassed),
            decompressed: count(Ticker::NumberBlockDecompressed),
            decompressed_from: count(Ticker::BytesDecompressedFrom),
            decompressed_to: count(Ticker::BytesDecompressedTo),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for served in &self.served {
            for direction in Direction::BOTH {
                served.line(direction, f)?;
            }
        }
        match &self.rocksdb {
            Some(tickers) => writeln!(
                f,
                "RocksDB: {} blocks compressed ({} to {} bytes), {} rejected, {} bypassed; \
                 {} decompressed ({} to {} bytes)",
                tickers.compressed,
                tickers.compressed_from,
                tickers.compressed_to,
                tickers.rejected,
                tickers.bypassed,
                tickers.decompressed,
                tickers.decompressed_from,
                tickers.decompressed_to
            ),
            None => Ok(()),
        }
    }
}

impl Served {
    /// A line about one direction, if it did anything.
    fn line(&self, direction: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counters: &Counters = self.counters.direction(direction);
        if counters.accelerated.ops + counters.software.ops + counters.failed == 0 {
            return Ok(());
        }
        let side = match direction {
            Direction::Compress => self.effective.compress,
            Direction::Decompress => self.effective.decompress,
        };
        write!(f, "{} {direction}", self.spec.format())?;
        if direction == Direction::Compress {
            write!(f, ", level {}", self.spec.level())?;
            if let Some(effort) = self.spec.effort() {
                write!(f, ", effort {effort}")?;
            }
        }
        if let Some(side) = side {
            write!(f, ", {}", side.provider)?;
        }
        write!(
            f,
            ": {} accelerated ({} to {} bytes), {} in software ({} to {} bytes)",
            counters.accelerated.ops,
            counters.accelerated.bytes_in,
            counters.accelerated.bytes_out,
            counters.software.ops,
            counters.software.bytes_in,
            counters.software.bytes_out
        )?;
        for (reason, ops) in counters.reasons() {
            write!(f, ", {reason} {ops}")?;
        }
        if counters.failed != 0 {
            write!(f, ", {} failed", counters.failed)?;
        }
        writeln!(f)
    }
}

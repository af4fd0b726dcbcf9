//! The configurations that are compared.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use compressor::{Effort, Engine, Policy};
use compressor_rocksdb::{Handle, Integration};
use rocksdb::{BlockBasedOptions, DBCompressionType, Options};

use crate::args::Args;
use crate::failure::Failure;

/// A compression type, and who serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    pub family: Family,
    pub who: Who,
}

/// A compression type at RocksDB's default level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Zlib,
    Lz4,
    Zstd,
    Snappy,
}

/// Who compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// RocksDB's own code.
    Stock,
    /// This framework without accelerators.
    Software,
    /// This framework with them: at RocksDB's level, or with an effort.
    Ours(Option<Effort>),
}

impl Family {
    const ALL: [Self; 4] = [Self::Zlib, Self::Lz4, Self::Zstd, Self::Snappy];

    const fn name(self) -> &'static str {
        match self {
            Self::Zlib => "zlib",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
            Self::Snappy => "snappy",
        }
    }

    const fn compression_type(self) -> DBCompressionType {
        match self {
            Self::Zlib => DBCompressionType::Zlib,
            Self::Lz4 => DBCompressionType::Lz4,
            Self::Zstd => DBCompressionType::Zstd,
            Self::Snappy => DBCompressionType::Snappy,
        }
    }
}

impl Who {
    const ALL: [Self; 6] = [
        Self::Stock,
        Self::Software,
        Self::Ours(None),
        Self::Ours(Some(Effort::Ratio)),
        Self::Ours(Some(Effort::Balanced)),
        Self::Ours(Some(Effort::Speed)),
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Software => "software",
            Self::Ours(None) => "ours",
            Self::Ours(Some(Effort::Ratio)) => "ours-ratio",
            Self::Ours(Some(Effort::Balanced)) => "ours-balanced",
            Self::Ours(Some(Effort::Speed)) => "ours-speed",
        }
    }
}

impl Config {
    /// Every type with everyone who can serve it.
    fn every() -> impl Iterator<Item = Self> {
        let families = Family::ALL.into_iter();
        families.flat_map(|family| Who::ALL.map(|who| Self { family, who }))
    }

    /// Those that run unless others are asked for: only zlib has accelerators that run on any CPU.
    pub fn all() -> Vec<Self> {
        Self::every()
            .filter(|config| {
                config.family == Family::Zlib || matches!(config.who, Who::Stock | Who::Ours(None))
            })
            .collect()
    }

    /// RocksDB's own code for the same type: what this one is compared with.
    pub const fn stock(self) -> Self {
        Self {
            family: self.family,
            who: Who::Stock,
        }
    }

    /// Options for a new database, and the handle if this framework serves it.
    pub fn options(self, args: &Args) -> Result<(Options, Option<Handle>), Failure> {
        let mut table = BlockBasedOptions::default();
        table.set_block_size(args.block_size.get());
        // Every read decompresses.
        table.disable_cache();
        table.set_format_version(7);
        // As engines set it: a read meets the table that has the row, and seldom another.
        table.set_bloom_filter(10.0, false);

        let mut options = Options::default();
        options.create_if_missing(true);
        options.set_block_based_table_factory(&table);
        options.set_compression_type(self.family.compression_type());
        // Small, so that a table of some hundred megabytes is flushed and compacted many times.
        options.set_write_buffer_size(16 << 20);
        options.set_target_file_size_base(16 << 20);
        options.set_max_background_jobs(2);
        options.enable_statistics();

        let handle = match self.engine()? {
            None => None,
            Some(engine) => {
                let integration = Integration::new(Arc::new(engine));
                Some(integration.install(&mut options).map_err(Failure::of)?)
            }
        };
        Ok((options, handle))
    }

    fn engine(self) -> Result<Option<Engine>, Failure> {
        let policy = match self.who {
            Who::Stock => return Ok(None),
            Who::Software => Policy::software_only(),
            Who::Ours(effort) => {
                let mut policy = Policy::default();
                policy.effort = effort;
                policy
            }
        };
        let engine = Engine::builder().policy(policy).build();
        engine.map(Some).map_err(Failure::of)
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.family.name(), self.who.name()))
    }
}

impl FromStr for Config {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::every()
            .find(|config| config.to_string() == text)
            .ok_or_else(|| {
                let families = Family::ALL.map(Family::name).join(", ");
                let who = Who::ALL.map(Who::name).join(", ");
                format!("not one of {families}, then a slash, then one of {who}")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_parses_from_what_it_prints() {
        for config in Config::every() {
            assert_eq!(config.to_string().parse(), Ok(config));
        }
        assert!("zlib".parse::<Config>().is_err());
    }

    #[test]
    fn everything_is_compared_with_stock_of_its_type() {
        let all = Config::all();
        for config in &all {
            assert!(all.contains(&config.stock()), "{config}");
        }
    }
}

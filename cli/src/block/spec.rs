//! Which format, at which level, by whom.

use std::sync::Arc;

use compressor::{Accelerated, Direction, Format, Spec, cassandra};

use crate::effort::EffortArgs;
use crate::failure::Failure;
use crate::plugins::PluginArgs;
use crate::{setup, values};

/// The arguments that make a spec.
#[derive(Debug, clap::Args)]
pub struct SpecArgs {
    /// The format of the unit: none, lz4-block, lz4-sized, zstd, zlib, deflate-raw, gzip or snappy.
    #[arg(long, value_parser = values::format, required_unless_present = "class")]
    format: Option<Format>,
    /// The level, on the format's own scale (see `compressor list`) [default: the format's].
    #[arg(long, allow_negative_numbers = true, conflicts_with = "class")]
    level: Option<i32>,
    /// A compressor class of Cassandra instead of a format, alone or with its package:
    /// LZ4Compressor, org.apache.cassandra.io.compress.ZstdCompressor.
    #[arg(long, value_name = "CLASS", conflicts_with = "format")]
    class: Option<String>,
    /// An option of the class, as in a table's definition: compression_level=3.
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = values::option)]
    options: Vec<(String, String)>,
    /// Who does it; an error if it cannot [default: whoever is chosen, see `compressor list`].
    #[arg(long)]
    provider: Option<String>,
    #[command(flatten)]
    effort: EffortArgs,
    #[command(flatten)]
    plugins: PluginArgs,
}

impl SpecArgs {
    /// The compressor that the engine gives for it.
    pub fn compressor(&self, direction: Direction) -> Result<Arc<Accelerated>, Failure> {
        let spec = self.spec()?;
        let setup = self.plugins.setup()?;
        let Some(provider) = &self.provider else {
            return Ok(setup.engine()?.compressor(&spec)?);
        };
        // Says so if there is no such provider, or if it is not there.
        setup::served(&setup.engine()?, provider)?;
        let engine = setup.engine_with(provider, [(spec.format(), direction)])?;
        setup::compressor_by(provider, &engine, &spec, &[direction])
    }

    fn spec(&self) -> Result<Spec, Failure> {
        let spec = match (&self.class, self.format) {
            (Some(class), _) => {
                let options = self.options.iter();
                cassandra::spec(class, options.map(|(k, v)| (k.as_str(), v.as_str())))?
            }
            (None, _) if !self.options.is_empty() => {
                return Err(Failure::usage(
                    "--option goes with --class; a format has --level",
                ));
            }
            (None, Some(format)) => Spec::new(format),
            (None, None) => return Err(Failure::usage("there is neither --format nor --class")),
        };
        let spec = match self.level {
            Some(level) => spec.with_level(level)?,
            None => spec,
        };
        self.effort.applied_to(spec)
    }
}

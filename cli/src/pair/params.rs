//! How a pair is compressed.

use std::num::NonZeroUsize;

use chunk_file::{MAX_CHUNK_LEN, Params, WriterOptions};
use compressor::Engine;

use crate::effort::EffortArgs;
use crate::failure::Failure;
use crate::setup::Setup;
use crate::values;

/// The arguments that say how a pair is compressed, and by how many threads.
#[derive(Debug, clap::Args)]
pub struct ParamsArgs {
    /// The compressor class of Cassandra, alone or with its package: LZ4Compressor,
    /// ZstdCompressor, ZstdDictionaryCompressor (here without a dictionary, and so the same as
    /// ZstdCompressor), DeflateCompressor, SnappyCompressor or NoopCompressor.
    #[arg(long, value_name = "CLASS")]
    class: String,
    /// An option of the class, as in a table's definition: compression_level=3.
    #[arg(long = "option", value_name = "KEY=VALUE", value_parser = values::option)]
    options: Vec<(String, String)>,
    /// Bytes of content in each chunk: a power of two, up to 16MiB [default: 16KiB].
    #[arg(long, value_name = "BYTES", value_parser = values::size)]
    chunk_length: Option<NonZeroUsize>,
    /// A chunk that shrinks less than by this factor is stored raw; 0 for never [default: 0].
    #[arg(long, value_name = "RATIO")]
    min_compress_ratio: Option<f64>,
    /// The chance, from 0 to 1, that a reader checks a chunk's CRC [default: 1]. It is checked here
    /// and not kept in the files: it is the table that has it.
    #[arg(long, value_name = "CHANCE")]
    crc_check_chance: Option<f64>,
    /// Threads that compress.
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    #[command(flatten)]
    effort: EffortArgs,
    /// Decode each result of an accelerator in software and compare it, as with verify = "always"
    /// in the configuration, which by default has the first 32 compared and then one in 1,024. For
    /// data that is not kept elsewhere: a chunk that was compressed wrongly has a CRC that fits, and
    /// cannot be mended.
    #[arg(long)]
    verify_all: bool,
}

impl ParamsArgs {
    /// The parameters, checked.
    ///
    /// What has an argument of its own may be given as an option too, as in CQL; the argument wins.
    pub fn params(&self) -> Result<Params, Failure> {
        let options = self.options.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        let mut params = Params::from_cql(options.chain([("class", self.class.as_str())]))?;
        let spec = self.effort.applied_to(params.spec().clone())?;
        params = params.with_spec(spec)?;
        if let Some(len) = self.chunk_length {
            let bytes = u32::try_from(len.get()).map_err(|_| {
                let what = "is no power of two up to";
                Failure::usage(format_args!(
                    "a chunk length of {len} bytes {what} {MAX_CHUNK_LEN}"
                ))
            })?;
            params = params.with_chunk_len(bytes)?;
        }
        if let Some(ratio) = self.min_compress_ratio {
            params = params.with_min_compress_ratio(ratio)?;
        }
        if let Some(chance) = self.crc_check_chance {
            params = params.with_crc_check_chance(chance)?;
        }
        Ok(params)
    }

    /// The engine that compresses.
    pub fn engine(&self, setup: &Setup) -> Result<Engine, Failure> {
        if self.verify_all {
            setup.engine_that_verifies()
        } else {
            setup.engine()
        }
    }

    /// How to write.
    pub fn writer(&self) -> WriterOptions {
        WriterOptions::new().threads(usize::from(self.threads))
    }
}

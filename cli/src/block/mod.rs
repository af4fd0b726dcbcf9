//! `compressor block`: one unit, from standard input to standard output.

mod compress;
mod decompress;
mod spec;

use std::io::{Read, Write};

use clap::Subcommand;

use crate::failure::Failure;
use crate::values;

use spec::SpecArgs;

/// What messages call the input.
const STDIN: &str = "standard input";

/// Compress or decompress one unit, from standard input to standard output.
///
/// The bytes are exactly those that are kept on disk: one unit of the format, nothing before it and
/// nothing after it. Nothing is written unless the whole operation succeeds.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    direction: DirectionArgs,
}

#[derive(Debug, Subcommand)]
enum DirectionArgs {
    /// Content on standard input, its unit on standard output.
    Compress {
        #[command(flatten)]
        spec: SpecArgs,
    },
    /// A unit on standard input, its content on standard output.
    Decompress {
        #[command(flatten)]
        spec: SpecArgs,
        /// Greatest length of the content. What a unit declares about itself is not believed:
        /// memory is taken as it turns out to be needed, up to this.
        #[arg(long, value_name = "BYTES", default_value = "1GiB", value_parser = values::len)]
        max_len: usize,
    },
}

/// Runs the command.
pub fn run(args: &Args, input: &mut dyn Read, out: &mut dyn Write) -> Result<(), Failure> {
    let mut src = Vec::new();
    let result = match &args.direction {
        DirectionArgs::Compress { spec } => {
            let compressor = spec.compressor(compressor::Direction::Compress)?;
            input.read_to_end(&mut src).map_err(Failure::input)?;
            compress::compress(&*compressor, &src)?
        }
        DirectionArgs::Decompress { spec, max_len } => {
            let compressor = spec.compressor(compressor::Direction::Decompress)?;
            input.read_to_end(&mut src).map_err(Failure::input)?;
            decompress::decompress(&*compressor, &src, *max_len)?
        }
    };
    out.write_all(&result).map_err(Failure::output)
}

//! What time is traded for.

use compressor::{Effort, Spec};

use crate::failure::Failure;
use crate::values;

/// The arguments that state an effort.
#[derive(Debug, Default, clap::Args)]
pub struct EffortArgs {
    /// Compress for ratio, balanced or speed, and no longer than software at the level by more than
    /// 1 %, 7 % or --max-loss, on data like the sets of bench [default: the level decides, or what
    /// the configuration says].
    #[arg(long, value_name = "EFFORT", value_parser = values::effort)]
    effort: Option<Effort>,
    /// With --effort speed: how much longer than software at the level, in percent [default: 10].
    #[arg(long, value_name = "PERCENT", requires = "effort")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
    max_loss: Option<u8>,
}

impl EffortArgs {
    /// The spec with this effort, or as it is if none was stated.
    pub fn applied_to(&self, spec: Spec) -> Result<Spec, Failure> {
        let Some(effort) = self.effort else {
            return Ok(spec);
        };
        let spec = spec.with_effort(effort);
        match self.max_loss {
            None => Ok(spec),
            Some(percent) if effort == Effort::Speed => Ok(spec.with_max_loss(percent)?),
            Some(_) => Err(Failure::usage(format_args!(
                "--max-loss goes with --effort speed; {effort} has a limit of its own"
            ))),
        }
    }
}

//! Which efforts are measured.

use std::str::FromStr;

use compressor::{Effort, Spec};

use crate::failure::Failure;
use crate::values;

/// The arguments that name efforts.
#[derive(Debug, clap::Args)]
pub struct EffortsArgs {
    /// Efforts to measure side by side: ratio, balanced, speed, and level, at which the level alone
    /// decides, or what the configuration says [default: level; with --html also balanced and speed].
    #[arg(long = "effort", value_name = "EFFORT,...", value_delimiter = ',')]
    asked: Vec<Asked>,
    /// With --effort speed: how much longer than software at the level, in percent [default: 10].
    #[arg(long, value_name = "PERCENT")]
    #[arg(value_parser = clap::value_parser!(u8).range(0..=100))]
    max_loss: Option<u8>,
}

/// What decides about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Level,
    Effort(Effort),
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "level" => Ok(Self::Level),
            text => values::effort(text)
                .map(Self::Effort)
                .map_err(|error| format!("{error}, or level")),
        }
    }
}

/// What a page shows.
const ON_A_PAGE: [Asked; 3] = [
    Asked::Level,
    Asked::Effort(Effort::Balanced),
    Asked::Effort(Effort::Speed),
];

impl EffortsArgs {
    /// Whether somebody said which, so that none may be left out.
    pub fn named(&self) -> bool {
        !self.asked.is_empty()
    }

    /// The spec for each effort, in the order they were asked for.
    pub fn specs(&self, spec: &Spec, page: bool) -> Result<Vec<Spec>, Failure> {
        let asked = match (&self.asked[..], page) {
            ([], true) => ON_A_PAGE.into(),
            ([], false) => vec![Asked::Level],
            (asked, _) => values::each_once(asked),
        };
        let speed = Asked::Effort(Effort::Speed);
        if self.max_loss.is_some() && !asked.contains(&speed) {
            return Err(Failure::usage(
                "--max-loss goes with --effort speed; the other efforts have limits of their own",
            ));
        }
        let specs = asked.into_iter().map(|asked| match (asked, self.max_loss) {
            (Asked::Level, _) => Ok(spec.clone()),
            (Asked::Effort(Effort::Speed), Some(percent)) => {
                let spec = spec.clone().with_effort(Effort::Speed);
                Ok(spec.with_max_loss(percent)?)
            }
            (Asked::Effort(effort), _) => Ok(spec.clone().with_effort(effort)),
        });
        specs.collect()
    }
}

//! Who is fastest on this host, measured instead of assumed.

mod contain;
mod error;
mod file;
mod fingerprint;
mod measure;
mod names;
mod sample;
mod served_as;

use compressor_api::{Direction, Effort, Format, Policy, ProviderId, Registry, Spec, Verdict};
use compressor_decorator::Route;
use serde::{Deserialize, Serialize};

pub use error::CalibrationError;
pub use sample::Sample;

use fingerprint::Fingerprint;
use served_as::served_as;

/// Who serves which lengths of input, as it was measured on one host on one sample.
///
/// Measured by [`Engine::calibrate`](crate::Engine::calibrate), kept in a file that the caller names, and followed by an engine that is built with it: for the specs that were
/// measured, in each direction apart. Without one, and for all other specs, an engine chooses by
/// priority, which is the same on every host.
///
/// What an operator says comes first: a direction that a policy assigns to a provider, or a
/// provider that it prefers, is not routed by measurement; nor is anything where it allows software
/// only.
///
/// Nobody is chosen whose units are longer on the sample than the spec's effort allows; by more than
/// 1 % without an effort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    sample: String,
    fingerprint: Fingerprint,
    #[serde(default)]
    choices: Vec<Choice>,
}

/// Who serves a spec in one direction. For decompression, every spec of its format: what a writer was
/// asked for is nothing to a reader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Choice {
    /// The format of the spec.
    #[serde(with = "names::format")]
    pub format: Format,
    /// Its level.
    pub level: i32,
    /// Its effort.
    #[serde(
        default,
        with = "names::effort",
        skip_serializing_if = "Option::is_none"
    )]
    pub effort: Option<Effort>,
    /// The loss that the effort allows, in percent.
    pub max_loss: u8,
    /// The direction.
    #[serde(with = "names::direction")]
    pub direction: Direction,
    /// By the length of the content, ascending; at least one.
    pub routes: Vec<Measured>,
}

/// Who serves content of some lengths, and what else was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Measured {
    /// The longest content, in bytes; `None` for whatever is longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_len: Option<usize>,
    /// Who serves.
    #[serde(flatten)]
    pub server: Server,
    /// All that were measured, the fastest first.
    #[serde(default)]
    pub candidates: Vec<Candidate>,
}

/// A provider, as it serves a spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Server {
    /// Its name.
    pub provider: String,
    /// The level of the format that it is asked for instead of the spec's level and effort; `None`
    /// if it is asked for those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_level: Option<i32>,
}

/// What was measured of a provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Candidate {
    /// Who.
    #[serde(flatten)]
    pub server: Server,
    /// Bytes of content per second, in millions.
    pub mb_per_s: f64,
    /// How much longer its units are than software's at the level, in percent.
    pub loss: f64,
}

impl Calibration {
    /// What it was measured on.
    #[must_use]
    pub fn sample(&self) -> &str {
        &self.sample
    }

    /// All that was measured.
    #[must_use]
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// Whether it holds here.
    ///
    /// # Errors
    ///
    /// [`CalibrationError::Stale`], with what differs: the CPU, the release of this crate, the
    /// accelerators or their versions.
    pub fn check(&self, registry: &Registry) -> Result<(), CalibrationError> {
        match self.stale(registry) {
            None => Ok(()),
            Some(what) => Err(CalibrationError::Stale { path: None, what }),
        }
    }

    /// What differs here from where it was measured; `None` if nothing does.
    fn stale(&self, registry: &Registry) -> Option<String> {
        self.fingerprint.differs_from(&Fingerprint::of(registry))
    }

    /// The routes of a spec in one direction; `None` if they were not measured, if the policy says
    /// who serves, or if somebody who was chosen cannot serve any more.
    pub(crate) fn routes(
        &self,
        spec: &Spec,
        direction: Direction,
        policy: &Policy,
        registry: &Registry,
    ) -> Option<Vec<Route>> {
        let choice = self.choices.iter().find(|choice| {
            choice.direction == direction
                && choice.format == spec.format()
                && (direction == Direction::Decompress
                    || (choice.level, choice.effort, choice.max_loss)
                        == (spec.level(), spec.effort(), spec.max_loss()))
        })?;
        // Both change what can be served, and how well.
        if spec.dictionary().is_some() || spec.window_log().is_some() {
            return None;
        }
        if policy.software_only
            || !policy.preference.is_empty()
            || policy.assigned(spec.format(), direction).is_some()
        {
            return None;
        }
        choice
            .routes
            .iter()
            .map(|measured| {
                let accelerator = measured.server.select(spec, direction, registry).ok()?;
                let max_len = measured.max_len.unwrap_or(usize::MAX);
                Some(Route::new(max_len, accelerator))
            })
            .collect()
    }
}

impl Server {
    fn new(provider: ProviderId, at_level: Option<i32>) -> Self {
        Self {
            provider: provider.as_str().to_owned(),
            at_level,
        }
    }

    /// Its compressor for `spec`; `None` if it is the software codec, which is there anyway.
    fn select(
        &self,
        spec: &Spec,
        direction: Direction,
        registry: &Registry,
    ) -> Result<Option<compressor_api::Selected>, Verdict> {
        let software = registry.entries().any(|entry| {
            entry.class == compressor_api::ProviderClass::Software
                && entry.id.as_str() == self.provider
        });
        if software {
            return Ok(None);
        }
        let Some(level) = self.at_level else {
            return registry
                .candidate(&self.provider, spec, direction)
                .map(Some);
        };
        let asked = spec
            .clone()
            .without_effort()
            .with_level(level)
            .map_err(|_| Verdict::NoCapability)?;
        let selected = registry.candidate(&self.provider, &asked, direction)?;
        Ok(Some(served_as(selected, spec)))
    }
}

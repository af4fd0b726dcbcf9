//! The engine, as the environment and the arguments set it up.

use std::sync::Arc;

use compressor::{
    Accelerated, Calibration, Compressor, Config, Direction, Engine, EngineBuilder, ErrorKind,
    Format, OnFailure, OpenError, ProviderEntry, SelectError, SetupError, Spec, VerifyMode,
};

use crate::failure::Failure;

/// What the environment and the arguments say, read once.
#[derive(Debug)]
pub struct Setup {
    /// What `COMPRESSOR_*` variables and the file that they name say.
    pub config: Config,
    /// Besides what is built in.
    pub plugins: Vec<&'static ProviderEntry>,
}

impl Setup {
    /// The engine that comes of it.
    pub fn engine(&self) -> Result<Engine, Failure> {
        Ok(self.builder().config(&self.config)?.build()?)
    }

    /// The engine that follows this calibration, whatever the configuration says of one.
    pub fn engine_calibrated(&self, calibration: Calibration) -> Result<Engine, Failure> {
        let builder = self.builder().config(&self.config)?;
        Ok(builder.calibration(calibration).build()?)
    }

    /// The engine, but software decodes each result of an accelerator and compares it, whatever the
    /// configuration says.
    pub fn engine_that_verifies(&self) -> Result<Engine, Failure> {
        let mut config = self.config.clone();
        config.verify = VerifyMode::Always;
        Ok(self.builder().config(&config)?.build()?)
    }

    /// The engine with `assigned` given to `provider`, which then has to be there and able to.
    pub fn engine_with(
        &self,
        provider: &str,
        assigned: impl IntoIterator<Item = (Format, Direction)>,
    ) -> Result<Engine, Failure> {
        let mut policy = self.config.policy().map_err(SetupError::from)?;
        for (format, direction) in assigned {
            policy = policy.assign(format, Some(direction), provider);
        }
        // Whoever names a provider wants to know when it cannot serve.
        policy.on_absent = OnFailure::Fail;
        policy.on_create_error = OnFailure::Fail;
        let builder = self.builder().config(&self.config)?;
        Ok(builder.policy(policy).build()?)
    }

    fn builder(&self) -> EngineBuilder {
        let builder = Engine::builder();
        self.plugins
            .iter()
            .fold(builder, |builder, entry| builder.provider(entry))
    }
}

/// A compressor for `spec` of an engine that gives it to `provider`, which serves in `directions`.
///
/// That it was assigned is not enough: the policy may allow software only, and whoever fails the
/// check against software is left out.
pub fn compressor_by(
    provider: &str,
    engine: &Engine,
    spec: &Spec,
    directions: &[Direction],
) -> Result<Arc<Accelerated>, Failure> {
    let selection = engine.select(spec)?;
    for direction in directions {
        let considered = selection
            .considered
            .iter()
            .find(|c| c.direction == *direction && c.provider.as_str() == provider);
        if let Some(considered) = considered
            && !considered.verdict.serves()
        {
            return Err(Failure::from(SelectError::Refused {
                provider: considered.provider,
                direction: *direction,
                verdict: considered.verdict.clone(),
            }));
        }
    }
    let compressor = engine.compressor(spec)?;
    for direction in directions {
        let side = match direction {
            Direction::Compress => compressor.effective().compress,
            Direction::Decompress => compressor.effective().decompress,
        };
        if side.is_none_or(|side| side.provider.as_str() != provider) {
            return Err(Failure::data(
                ErrorKind::Device,
                format_args!("{provider} cannot {direction}: it failed its check against software"),
            ));
        }
    }
    Ok(compressor)
}

/// What a provider serves once it is open, by itself or inside a frame; by format, then direction.
pub fn served(engine: &Engine, provider: &str) -> Result<Vec<(Format, Direction)>, Failure> {
    let registry = engine.registry();
    if !registry
        .entries()
        .any(|entry| entry.id.as_str() == provider)
    {
        let known: Vec<&str> = registry.entries().map(|entry| entry.id.as_str()).collect();
        return Err(Failure::usage(format_args!(
            "unknown provider {provider:?}; registered are {}",
            known.join(", ")
        )));
    }
    let factory = registry.open(provider).map_err(|error| match error {
        OpenError::Misconfigured { why } => Failure::usage(format_args!("{provider}: {why}")),
        error => Failure::data(ErrorKind::Device, format_args!("{provider}: {error}")),
    })?;
    let lists = |format, direction| {
        let listed = factory.capabilities().iter();
        listed
            .filter(|c| c.direction == direction)
            .any(|c| c.format == format)
    };
    let served = Format::ALL
        .into_iter()
        .flat_map(|format| Direction::BOTH.map(|direction| (format, direction)))
        .filter(|(format, direction)| {
            lists(*format, *direction)
                || format.inner().is_some_and(|inner| lists(inner, *direction))
        })
        .collect();
    Ok(served)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::absent;

    fn engine() -> Engine {
        Engine::builder()
            .provider(&absent::PROVIDER)
            .build()
            .unwrap()
    }

    fn refused(provider: &str) -> (String, u8) {
        match served(&engine(), provider).unwrap_err() {
            Failure::Error { line, status } => (line, status),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_provider_that_is_not_there_is_a_failed_check() {
        let (line, status) = refused("example.absent");
        assert_eq!(
            line,
            "Device: example.absent: Absent: there is no /dev/example"
        );
        assert_eq!(status, 1);
    }

    #[test]
    fn a_provider_that_nobody_registered_is_a_usage_error() {
        let (line, status) = refused("example.unknown");
        assert!(
            line.starts_with("InvalidArgument: unknown provider"),
            "{line}"
        );
        for registered in ["example.absent", "libdeflate", "software.deflate"] {
            assert!(line.contains(registered), "{line}");
        }
        assert_eq!(status, 2);
    }

    #[test]
    fn a_provider_that_was_not_chosen_is_an_error_in_the_directions_it_is_wanted_for() {
        let mut policy = compressor::Policy::default().assign(
            Format::Zlib,
            Some(Direction::Compress),
            "libdeflate",
        );
        policy = policy.assign(
            Format::Zlib,
            Some(Direction::Decompress),
            "software.deflate",
        );
        let engine = Engine::builder().policy(policy).build().unwrap();
        let spec = Spec::new(Format::Zlib);
        let by = |provider, directions: &[_]| compressor_by(provider, &engine, &spec, directions);

        assert!(by("libdeflate", &[Direction::Compress]).is_ok());
        assert!(by("software.deflate", &[Direction::Decompress]).is_ok());
        match by("libdeflate", &Direction::BOTH).unwrap_err() {
            Failure::Error { line, status } => {
                assert_eq!(
                    line,
                    "Unsupported: libdeflate cannot decompress: the policy assigns the format to \
                     another provider"
                );
                assert_eq!(status, 2);
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn formats_are_served_by_themselves_or_inside_their_frame() {
        let formats = |provider| {
            let served = served(&engine(), provider).unwrap();
            let compress = served
                .into_iter()
                .filter(|(_, d)| *d == Direction::Compress);
            compress.map(|(format, _)| format).collect::<Vec<_>>()
        };
        assert_eq!(
            formats("libdeflate"),
            [Format::Zlib, Format::DeflateRaw, Format::Gzip]
        );
        assert_eq!(
            formats("software.lz4"),
            [Format::Lz4Block, Format::Lz4Sized]
        );
        assert_eq!(formats("software.none"), [Format::None]);
    }
}

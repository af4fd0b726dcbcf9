//! What is measured of a format: its software codec, and the accelerated paths.

use std::sync::Arc;

use compressor::{Accelerated, Compressor, Direction, Engine, Format, ProviderEntry, Spec};

use super::Args;
use crate::failure::Failure;
use crate::setup;

/// A spec, and who is compared on it.
pub struct Subject {
    /// What all of them make.
    pub spec: Spec,
    /// The software codec, by itself.
    pub software: Arc<dyn Compressor>,
    /// What an engine gets, a path for each accelerator that is measured.
    pub paths: Vec<Arc<Accelerated>>,
}

/// A subject for each format that was asked for.
pub fn subjects(args: &Args) -> Result<Vec<Subject>, Failure> {
    let plugins = args.plugins.load()?;
    let engine = setup::engine(&plugins)?;
    let providers = args.providers();
    let accelerators: Result<Vec<_>, _> = providers
        .iter()
        .map(|name| Accelerator::named(name, &engine, &plugins))
        .collect();
    let accelerators = accelerators?;
    let mut subjects = Vec::new();
    for format in formats(args, &accelerators)? {
        let spec = args.spec(format)?;
        let paths = if accelerators.is_empty() {
            vec![engine.compressor(&spec)?]
        } else {
            let able = accelerators
                .iter()
                .filter(|accelerator| accelerator.serves(format));
            able.map(|accelerator| accelerator.compressor(&spec))
                .collect::<Result<_, _>>()?
        };
        let software = engine.select(&spec)?.software;
        subjects.push(Subject {
            spec,
            software,
            paths,
        });
    }
    Ok(subjects)
}

/// The formats to measure: those asked for, or all that somebody serves.
fn formats(args: &Args, accelerators: &[Accelerator]) -> Result<Vec<Format>, Failure> {
    let served =
        |format: Format| accelerators.is_empty() || accelerators.iter().any(|a| a.serves(format));
    let asked = args.formats();
    if let Some(format) = asked.iter().find(|format| !served(**format)) {
        return Err(Failure::usage(format_args!(
            "{} does not serve {format}, see `compressor list`",
            args.providers().join(" or ")
        )));
    }
    Ok(if asked.is_empty() {
        Format::ALL
            .into_iter()
            .filter(|format| served(*format))
            .collect()
    } else {
        asked
    })
}

/// An accelerator that was named, in an engine that gives it all that it serves.
struct Accelerator {
    name: String,
    engine: Engine,
    served: Vec<(Format, Direction)>,
}

impl Accelerator {
    fn named(
        name: &str,
        engine: &Engine,
        plugins: &[&'static ProviderEntry],
    ) -> Result<Self, Failure> {
        let served = setup::served(engine, name)?;
        Ok(Self {
            name: name.to_owned(),
            engine: setup::engine_with(plugins, name, served.iter().copied())?,
            served,
        })
    }

    /// Its path for `spec`. In a direction that it does not list, whoever else would serves.
    fn compressor(&self, spec: &Spec) -> Result<Arc<Accelerated>, Failure> {
        let served = self.served.iter();
        let directions: Vec<Direction> = served
            .filter(|(format, _)| *format == spec.format())
            .map(|(_, direction)| *direction)
            .collect();
        setup::compressor_by(&self.name, &self.engine, spec, &directions)
    }

    fn serves(&self, format: Format) -> bool {
        self.served.iter().any(|(served, _)| *served == format)
    }
}

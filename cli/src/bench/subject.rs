//! What is measured of a format: its software codec, and the accelerated paths.

use std::path::PathBuf;
use std::sync::Arc;

use compressor::decorator::Route;
use compressor::{
    Accelerated, Calibration, Compressor, Direction, Engine, Format, Placement, Policy,
    ProviderEntry, ProviderId, Selected, Selection, Spec,
};

use super::Args;
use crate::failure::Failure;
use crate::setup::{self, Setup};

/// A spec, and who is compared on it.
pub struct Subject {
    /// What all of them make.
    pub spec: Spec,
    /// The software codec, by itself.
    pub software: Arc<dyn Compressor>,
    /// What an engine gets, a path for each accelerator that is measured.
    pub paths: Vec<Path>,
}

/// What an engine gets, and what that calls.
pub struct Path {
    /// An accelerator with software behind it, or software alone where there is none.
    pub accelerated: Arc<Accelerated>,
    /// Who was selected for it by priority.
    selection: Selection,
    /// Whether a calibration says who serves.
    pub calibrated: bool,
    /// Whom it names, in either direction.
    measured: Vec<Selected>,
}

impl Path {
    fn of(engine: &Engine, spec: &Spec, accelerated: Arc<Accelerated>) -> Result<Self, Failure> {
        Ok(Self {
            accelerated,
            selection: engine.select(spec)?,
            calibrated: false,
            measured: Vec::new(),
        })
    }

    /// What the engine's calibration says; `None` if it says nothing of the spec.
    fn calibrated(engine: &Engine, spec: &Spec) -> Result<Option<Self>, Failure> {
        let selection = engine.select(spec)?;
        let measured: Vec<Route> = Direction::BOTH
            .into_iter()
            .filter_map(|direction| engine.measured_routes(&selection, direction))
            .flatten()
            .collect();
        if measured.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            accelerated: engine.compressor(spec)?,
            selection,
            calibrated: true,
            measured: { measured.into_iter() }
                .filter_map(|route| route.accelerator)
                .collect(),
        }))
    }

    /// Whoever may serve a direction, without the framework: software at last.
    pub fn selected(&self, direction: Direction) -> Vec<Arc<dyn Compressor>> {
        let longer = match direction {
            Direction::Compress => &self.selection.compress_longer[..],
            Direction::Decompress => &[],
        };
        let measured = { self.measured.iter() }
            .filter(|selected| selected.capabilities.direction == direction);
        measured
            .chain(self.selection.accelerator(direction))
            .chain(longer)
            .map(|selected| selected.compressor.clone())
            .chain([self.selection.software.clone()])
            .collect()
    }

    /// Whether nobody accelerates.
    fn by_software(&self) -> bool {
        let accelerates = |direction| self.selection.accelerator(direction).is_some();
        !Direction::BOTH.into_iter().any(accelerates)
    }
}

/// A provider that could be measured.
pub struct Listed {
    pub id: ProviderId,
    pub description: &'static str,
    /// `Ready`, or why not.
    pub state: String,
    /// The version of what does the work, where it says one.
    version: String,
    /// Whether it works beside the CPU, on some device.
    offloads: bool,
}

impl Listed {
    /// All that are registered, in the order they are tried.
    fn all(engine: &Engine) -> Vec<Self> {
        let entries = engine.registry().entries();
        entries.map(|entry| Self::of(entry, engine)).collect()
    }

    fn of(entry: &ProviderEntry, engine: &Engine) -> Self {
        let registry = engine.registry();
        let opened = registry.open(entry.id.as_str());
        let (state, version, offloads) = match &opened {
            Ok(factory) => {
                let mut capabilities = factory.capabilities().iter();
                let offloads = capabilities.any(|c| c.placement == Placement::Offload);
                // One that panics when asked says none.
                let version = registry.version(entry.id.as_str()).unwrap_or_default();
                (factory.health().to_string(), version, offloads)
            }
            Err(error) => (error.to_string(), String::new(), false),
        };
        Self {
            id: entry.id,
            description: entry.description,
            state,
            version,
            offloads,
        }
    }

    /// Whether its device is no device: it says so, or (where it is a plugin, whose version is not
    /// known) it offloads while a simulator is loaded.
    pub fn simulated(&self, simulator: bool) -> bool {
        let says = |text: &str| text.to_ascii_lowercase().contains("simulat");
        says(self.id.as_str())
            || says(self.description)
            || says(&self.state)
            || says(&self.version)
            || simulator && self.offloads
    }
}

/// A subject for each format that was asked for, and the providers there are.
pub fn subjects(args: &Args) -> Result<(Vec<Subject>, Vec<Listed>), Failure> {
    let mut setup = args.plugins.setup()?;
    // By priority; what was measured has a path of its own.
    let configured = setup.config.calibration.take();
    let engine = setup.engine()?;
    let providers = args.providers();
    let accelerators: Result<Vec<_>, _> = providers
        .iter()
        .map(|name| Accelerator::named(name, &engine, &setup))
        .collect();
    let accelerators = accelerators?;
    let calibrated = match &accelerators[..] {
        [] => calibrated(args, configured, &setup, &engine)?,
        // Whoever is named serves, whatever was measured.
        _ => None,
    };
    let mut subjects = Vec::new();
    for format in formats(args, &accelerators)? {
        let spec = args.spec(format)?;
        // By default a page shows what efforts an engine would find providers for.
        let page = args.html.is_some() && accelerators.is_empty();
        let mut paths = Vec::new();
        for spec in args.efforts.specs(&spec, page)? {
            if accelerators.is_empty() {
                paths.push(Path::of(&engine, &spec, engine.compressor(&spec)?)?);
                if let Some(engine) = &calibrated {
                    paths.extend(Path::calibrated(engine, &spec)?);
                }
            } else {
                let able = accelerators
                    .iter()
                    .filter(|accelerator| accelerator.serves(format));
                for accelerator in able {
                    paths.push(accelerator.path(&spec)?);
                }
            }
        }
        if !args.efforts.named() {
            leave_out_the_same(&mut paths);
        }
        // Software at the level is what every effort is compared with.
        let by_level = engine.registry().select(&spec, &Policy::software_only())?;
        let software = by_level.software;
        subjects.push(Subject {
            spec,
            software,
            paths,
        });
    }
    Ok((subjects, Listed::all(&engine)))
}

/// An engine that follows the calibration that was named. One that the configuration names and that
/// does not hold is told of and left alone, as in every engine.
fn calibrated(
    args: &Args,
    configured: Option<PathBuf>,
    setup: &Setup,
    engine: &Engine,
) -> Result<Option<Engine>, Failure> {
    let Some(path) = args.calibration.as_ref().or(configured.as_ref()) else {
        return Ok(None);
    };
    match Calibration::load_checked(path, engine.registry()) {
        Ok(calibration) => setup.engine_calibrated(calibration).map(Some),
        Err(error) if args.calibration.is_some() => Err(Failure::usage(error)),
        Err(error) => {
            tracing::warn!("{error}; there is no calibrated path");
            Ok(None)
        }
    }
}

/// Leaves out efforts that nobody serves otherwise than the level.
fn leave_out_the_same(paths: &mut Vec<Path>) {
    let Some(level) = paths.first() else { return };
    let level = level.accelerated.effective().clone();
    let mut first = true;
    paths.retain(|path| {
        let other =
            path.calibrated || !path.by_software() || *path.accelerated.effective() != level;
        std::mem::take(&mut first) || other
    });
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
    fn named(name: &str, engine: &Engine, setup: &Setup) -> Result<Self, Failure> {
        let served = setup::served(engine, name)?;
        Ok(Self {
            name: name.to_owned(),
            engine: setup.engine_with(name, served.iter().copied())?,
            served,
        })
    }

    /// Its path for `spec`. In a direction that it does not list, whoever else would serves.
    fn path(&self, spec: &Spec) -> Result<Path, Failure> {
        let served = self.served.iter();
        let directions: Vec<Direction> = served
            .filter(|(format, _)| *format == spec.format())
            .map(|(_, direction)| *direction)
            .collect();
        let accelerated = setup::compressor_by(&self.name, &self.engine, spec, &directions)?;
        Path::of(&self.engine, spec, accelerated)
    }

    fn serves(&self, format: Format) -> bool {
        self.served.iter().any(|(served, _)| *served == format)
    }
}

//! What `list` tells, as data.

use std::collections::BTreeMap;

use compressor::{
    Accelerated, Calibration, Capabilities, DictionarySupport, Direction, Effort, Efforts, Engine,
    Format, LevelRange, OutputNeed, ParamSpec, Placement, ProviderClass, ProviderEntry, Selection,
    Spec, cassandra,
};
use serde::Serialize;

use crate::effort::EffortArgs;
use crate::failure::Failure;

/// All that `list` tells.
#[derive(Debug, Serialize)]
pub struct Report {
    /// In the order they are tried.
    pub providers: Vec<Provider>,
    /// By ascending id.
    pub formats: Vec<FormatReport>,
    /// What was measured on this host and is followed; only when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// Why a calibration that is configured is not followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration_error: Option<String>,
}

/// A provider as listed, and as opened.
#[derive(Debug, Serialize)]
pub struct Provider {
    pub id: &'static str,
    pub class: &'static str,
    pub priority: i16,
    pub description: &'static str,
    /// `Ready`, `Degraded` or `Quarantined`; `Absent`, `Misconfigured` or `Broken` if it cannot be
    /// opened.
    pub state: String,
    /// Why it is not `Ready`.
    pub why: Option<String>,
    pub params: Vec<Param>,
    pub capabilities: Vec<Capability>,
}

/// A parameter of a provider.
#[derive(Debug, Serialize)]
pub struct Param {
    pub name: &'static str,
    pub takes: String,
    pub default: &'static str,
    pub doc: &'static str,
}

/// What a provider can do for one format in one direction. Lengths are in bytes; `null` is no limit
/// beyond the format's.
#[derive(Debug, Serialize)]
pub struct Capability {
    pub format: &'static str,
    pub direction: &'static str,
    pub min_input: usize,
    pub max_input: Option<usize>,
    pub max_output: Option<usize>,
    pub window: Option<u64>,
    /// When compressing.
    pub levels: Option<Levels>,
    /// When compressing: the priority for each effort that is served.
    pub efforts: BTreeMap<&'static str, EffortServed>,
    pub dictionary: &'static str,
    pub output: &'static str,
    pub in_flight: Option<u32>,
    pub placement: &'static str,
    pub self_verified: bool,
}

/// How an effort is served.
#[derive(Debug, Serialize)]
pub struct EffortServed {
    /// Greater is tried first.
    pub priority: i16,
    /// Where the length of units is kept to; empty for everywhere.
    pub within: Vec<Loss>,
}

/// How much longer than software's units come out, at most, by level and length of the input.
#[derive(Debug, Serialize)]
pub struct Loss {
    pub max_level: i32,
    pub max_input: usize,
    pub percent: u8,
}

/// Both ends included.
#[derive(Debug, Serialize)]
pub struct Levels {
    pub min: i32,
    pub max: i32,
    pub default: i32,
}

/// A format, and who serves it at its default level.
#[derive(Debug, Serialize)]
pub struct FormatReport {
    pub format: &'static str,
    pub id: u8,
    pub levels: Levels,
    /// Short name of the class that reads it in Cassandra.
    pub cassandra: Option<&'static str>,
    /// The software codec that everything falls back to.
    pub software: Option<&'static str>,
    /// Who compresses: what an engine gives out, by what was measured if it follows a calibration.
    pub compress: Option<&'static str>,
    /// Who compresses longer content instead, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compress_longer: Vec<Longer>,
    /// Who decompresses, likewise.
    pub decompress: Option<&'static str>,
    /// Who decompresses longer content instead, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decompress_longer: Vec<Longer>,
    /// Why nobody serves it.
    pub error: Option<String>,
    /// Only when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub considered: Option<Vec<Considered>>,
}

/// Who serves content that is longer than so many bytes.
#[derive(Debug, Serialize)]
pub struct Longer {
    pub than: usize,
    pub provider: &'static str,
}

/// A provider that was looked at for a direction.
#[derive(Debug, Serialize)]
pub struct Considered {
    pub direction: &'static str,
    pub provider: &'static str,
    pub verdict: String,
}

impl Report {
    /// Opens every provider and makes the choice for every format.
    pub fn of(engine: &Engine, effort: &EffortArgs, explain: bool) -> Result<Self, Failure> {
        let formats: Result<_, Failure> = Format::ALL
            .into_iter()
            .map(|format| {
                let spec = effort.applied_to(Spec::new(format))?;
                Ok(FormatReport::of(&spec, engine, explain))
            })
            .collect();
        Ok(Self {
            providers: engine
                .registry()
                .entries()
                .map(|entry| Provider::of(entry, engine))
                .collect(),
            formats: formats?,
            calibration: engine.calibration().filter(|_| explain).cloned(),
            calibration_error: engine.calibration_error().map(ToString::to_string),
        })
    }
}

impl Provider {
    fn of(entry: &ProviderEntry, engine: &Engine) -> Self {
        let id = entry.id.as_str();
        let (state, why, capabilities) = match engine.registry().open(id) {
            Ok(factory) => {
                let health = engine
                    .registry()
                    .health(id)
                    .unwrap_or_else(|| factory.health());
                let capabilities = factory.capabilities().iter().map(Capability::of).collect();
                (health.name(), health.why().map(str::to_owned), capabilities)
            }
            Err(error) => (error.name(), Some(error.why().to_owned()), Vec::new()),
        };
        Self {
            id,
            class: class(entry.class),
            priority: entry.priority,
            description: entry.description,
            state: state.to_owned(),
            why,
            params: entry.params.iter().map(Param::of).collect(),
            capabilities,
        }
    }
}

impl Param {
    fn of(spec: &ParamSpec) -> Self {
        Self {
            name: spec.name,
            takes: spec.kind.to_string(),
            default: spec.default,
            doc: spec.doc,
        }
    }
}

impl Capability {
    fn of(c: &Capabilities) -> Self {
        let limit = |len: usize| (len != usize::MAX).then_some(len);
        Self {
            format: c.format.name(),
            direction: c.direction.name(),
            min_input: c.min_input,
            max_input: limit(c.max_input),
            max_output: limit(c.max_output),
            window: (c.window != u64::MAX).then_some(c.window),
            levels: (c.direction == Direction::Compress).then(|| Levels::of(c.levels)),
            efforts: efforts(c.efforts),
            dictionary: match c.dictionary {
                DictionarySupport::None => "none",
                DictionarySupport::Any => "any",
                _ => "other",
            },
            output: match c.output {
                OutputNeed::Exact => "exact",
                OutputNeed::Bound => "bound",
                _ => "other",
            },
            in_flight: c.in_flight.map(Into::into),
            placement: match c.placement {
                Placement::Cpu => "cpu",
                Placement::Offload => "offload",
                _ => "other",
            },
            self_verified: c.self_verified,
        }
    }
}

fn efforts(efforts: Efforts) -> BTreeMap<&'static str, EffortServed> {
    let within = || {
        let losses = efforts.losses().unwrap_or_default().iter();
        losses.map(Loss::of).collect()
    };
    let served = Effort::ALL.into_iter().filter_map(|effort| {
        let priority = efforts.priority(effort)?;
        let served = EffortServed {
            priority,
            within: within(),
        };
        Some((effort.name(), served))
    });
    served.collect()
}

impl Loss {
    fn of(loss: &compressor::Loss) -> Self {
        Self {
            max_level: loss.max_level,
            max_input: loss.max_input,
            percent: loss.percent,
        }
    }
}

impl Levels {
    fn of(levels: LevelRange) -> Self {
        Self {
            min: levels.min(),
            max: levels.max(),
            default: levels.default_level(),
        }
    }
}

impl FormatReport {
    fn of(spec: &Spec, engine: &Engine, explain: bool) -> Self {
        let format = spec.format();
        let selection = engine.select(spec);
        let served = engine.compressor(spec);
        let serving = |direction| match &served {
            Ok(compressor) => serving(compressor, direction),
            Err(_) => (None, Vec::new()),
        };
        let (compress, compress_longer) = serving(Direction::Compress);
        let (decompress, decompress_longer) = serving(Direction::Decompress);
        let considered = |selection: &Selection| {
            let all = selection.considered.iter();
            all.map(Considered::of).collect::<Vec<_>>()
        };
        Self {
            format: format.name(),
            id: format.id(),
            levels: Levels::of(format.levels()),
            cassandra: cassandra::class(spec).ok().map(|class| class.name),
            software: selection.as_ref().ok().and_then(software),
            compress,
            compress_longer,
            decompress,
            decompress_longer,
            error: served.err().map(|error| error.to_string()),
            considered: explain.then(|| selection.as_ref().map(considered).unwrap_or_default()),
        }
    }
}

/// Who serves the shortest content in a direction, and who what is longer.
fn serving(compressor: &Accelerated, direction: Direction) -> (Option<&'static str>, Vec<Longer>) {
    let routes = compressor.routes(direction);
    let mut routes = routes.map(|route| (route.max_len, route.side.map(|s| s.provider.as_str())));
    let Some((mut than, first)) = routes.next() else {
        return (None, Vec::new());
    };
    let mut longer: Vec<Longer> = Vec::new();
    for (max_len, provider) in routes {
        let before = longer.last().map_or(first, |last| Some(last.provider));
        if let Some(provider) = provider.filter(|_| provider != before) {
            longer.push(Longer { than, provider });
        }
        than = max_len;
    }
    (first, longer)
}

impl Considered {
    fn of(considered: &compressor::Considered) -> Self {
        Self {
            direction: considered.direction.name(),
            provider: considered.provider.as_str(),
            verdict: considered.verdict.to_string(),
        }
    }
}

fn software(selection: &Selection) -> Option<&'static str> {
    let side = selection.software.effective().compress?;
    Some(side.provider.as_str())
}

fn class(class: ProviderClass) -> &'static str {
    match class {
        ProviderClass::Software => "software",
        ProviderClass::Accelerator => "accelerator",
        _ => "other",
    }
}

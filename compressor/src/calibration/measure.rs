use std::sync::Arc;
use std::time::{Duration, Instant};

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Policy, ProviderClass, ProviderId,
    Registry, Selected, Selection, Spec,
};
use compressor_decorator::self_check;

use super::contain::Provided;
use super::fingerprint::Fingerprint;
use super::{Calibration, CalibrationError, Candidate, Choice, Measured, Sample, Server};

/// The classes of lengths: each with its longest, which is what is measured.
const CLASSES: [usize; 4] = [4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// Content that is measured of a class, in bytes; of one whose blocks are longer, one block.
const CONTENT: usize = 128 << 10;

/// The least content of a class that is measured, in bytes: in less, a few bytes are percents.
const LEAST: usize = 1 << 10;

/// For all that is measured, if every provider does its first blocks in no time.
const TIME: Duration = Duration::from_millis(700);

/// Whoever would serve by priority keeps a class unless somebody is faster by more than this: less
/// is noise, and a choice that changes from run to run helps nobody.
const CLEARLY: f64 = 1.03;

/// How much lower than the spec's a level may be that an effort is served at.
const LEVELS_BELOW: i32 = 12;

impl Calibration {
    /// Measures whoever can serve each of `specs`; decompression once for each format.
    ///
    /// # Errors
    ///
    /// [`CalibrationError::Select`] for a spec that nobody can serve.
    pub(crate) fn measure(
        registry: &Registry,
        policy: &Policy,
        sample: &Sample,
        specs: &[Spec],
    ) -> Result<Self, CalibrationError> {
        let mut tasks: Vec<(Selection, Direction, Vec<Contender>)> = Vec::new();
        for spec in specs {
            let selection = registry.select(spec, policy)?;
            for direction in Direction::BOTH {
                let measured = |(other, way, _): &(Selection, Direction, _)| {
                    (other.spec.format(), *way) == (spec.format(), direction)
                };
                if direction == Direction::Decompress && tasks.iter().any(measured) {
                    continue;
                }
                let contenders = contenders(registry, &selection, direction);
                if contenders.len() > 1 {
                    tasks.push((selection.clone(), direction, contenders));
                }
            }
        }
        let time = TIME
            / u32::try_from(tasks.len() * CLASSES.len())
                .unwrap_or(u32::MAX)
                .max(1);
        let mut choices = Vec::new();
        for (selection, direction, mut contenders) in tasks {
            let level = selection.spec.clone().without_effort();
            let software = registry.select(&level, &Policy::software_only())?.software;
            let routes = routes(
                &selection,
                direction,
                &mut contenders,
                &*software,
                sample,
                time,
            );
            choices.push(Choice {
                format: selection.spec.format(),
                level: selection.spec.level(),
                effort: selection.spec.effort(),
                max_loss: selection.spec.max_loss(),
                direction,
                routes,
            });
        }
        Ok(Self {
            sample: sample.name.clone(),
            fingerprint: Fingerprint::of(registry),
            choices,
        })
    }
}

/// Somebody who can serve a spec in one direction.
struct Contender {
    server: Server,
    compressor: Provided<Arc<dyn Compressor>>,
    /// The longest content that it takes, in bytes.
    max_content: usize,
    /// The level really used, for telling apart who would do the same twice.
    level: Option<i32>,
}

impl Contender {
    fn software(selection: &Selection) -> Self {
        Self {
            server: Server::new(software_id(selection), None),
            compressor: Provided::new(selection.software.clone()),
            max_content: usize::MAX,
            level: None,
        }
    }

    /// Runs the provider's code, which may panic.
    fn of(selected: &Selected, at_level: Option<i32>) -> Self {
        let limits = selected.capabilities;
        let side = selected.compressor.effective().compress;
        Self {
            server: Server::new(selected.provider, at_level),
            max_content: match limits.direction {
                Direction::Compress => limits.max_input,
                Direction::Decompress => limits.max_input.min(limits.max_output),
            },
            level: side.map(|side| side.level),
            compressor: Provided::new(selected.compressor.clone()),
        }
    }

    /// Whether measuring `other` too would show nothing more.
    fn does_all_of(&self, other: &Self) -> bool {
        self.level == other.level && self.max_content >= other.max_content
    }
}

/// Software first, then every accelerator that serves the spec; for an effort also at levels below
/// the spec's.
fn contenders(registry: &Registry, selection: &Selection, direction: Direction) -> Vec<Contender> {
    let spec = &selection.spec;
    let mut all = vec![Contender::software(selection)];
    for entry in registry.entries() {
        if entry.class == ProviderClass::Software {
            continue;
        }
        let mut own: Vec<Contender> = Vec::new();
        let mut add = |spec: &Spec, at_level| {
            let Ok(selected) = registry.candidate(entry.id.as_str(), spec, direction) else {
                return;
            };
            let mut selected = Provided::new(selected);
            let Some(one) = selected.ask(|selected| Contender::of(selected, at_level)) else {
                return;
            };
            if own.iter().any(|other| other.does_all_of(&one)) {
                return;
            }
            // Nor is anybody measured whom the decorator would not put before software: what they ask
            // for and what they answer is not to be relied on.
            let checked = selected.ask(|selected| self_check(selected, &*selection.software));
            if checked.is_some_and(|checked| checked.is_ok()) {
                own.push(one);
            }
        };
        add(spec, None);
        if direction == Direction::Compress && spec.effort().is_some() {
            let level = spec.clone().without_effort();
            for below in (spec.level() - LEVELS_BELOW)..=spec.level() {
                if let Ok(level) = level.clone().with_level(below) {
                    add(&level, Some(below));
                }
            }
        }
        all.append(&mut own);
    }
    all
}

fn software_id(selection: &Selection) -> ProviderId {
    let effective = selection.software.effective();
    let side = effective.compress.or(effective.decompress);
    side.map_or(ProviderId::new("software"), |side| side.provider)
}

/// Who would serve content of this length by priority.
fn by_priority(selection: &Selection, direction: Direction, len: usize) -> Server {
    let mut all = selection.accelerators(direction);
    let takes = |selected: &&Selected| {
        direction == Direction::Decompress || len <= selected.capabilities.max_input
    };
    let id = all
        .find(takes)
        .map_or(software_id(selection), |selected| selected.provider);
    Server::new(id, None)
}

/// The fastest of each class, classes with the same one put together. Whoever would serve by priority
/// has what the sample is too short for, and what is longer than the fastest takes.
fn routes(
    selection: &Selection,
    direction: Direction,
    contenders: &mut [Contender],
    software: &dyn Compressor,
    sample: &Sample,
    time: Duration,
) -> Vec<Measured> {
    let unmeasured = |len| Measured {
        max_len: Some(len),
        server: by_priority(selection, direction, len),
        candidates: Vec::new(),
    };
    let mut routes: Vec<Measured> = Vec::new();
    let mut add = |next: Measured| match routes.last_mut() {
        Some(last) if last.server == next.server => {
            last.max_len = next.max_len;
            if !next.candidates.is_empty() {
                last.candidates = next.candidates;
            }
        }
        _ => routes.push(next),
    };
    let mut before = 0;
    for class in CLASSES {
        let content = sample.content.get(before..).unwrap_or_default();
        let found = (content.len() >= LEAST).then(|| {
            fastest(
                selection, direction, contenders, software, sample, class, time,
            )
        });
        add(found.flatten().unwrap_or_else(|| unmeasured(class)));
        before = class;
    }
    let last = routes.last().map(|last| &last.server);
    let takes = { contenders.iter() }
        .filter(|one| Some(&one.server) == last)
        .map(|one| one.max_content)
        .max();
    ended(routes, takes.unwrap_or(0), unmeasured(usize::MAX))
}

/// Gives what is longer than all that was measured to whoever has the longest class, as far as it
/// `takes` that; beyond, to whoever would serve it by priority.
fn ended(mut routes: Vec<Measured>, takes: usize, usual: Measured) -> Vec<Measured> {
    if takes < usize::MAX {
        match routes.last_mut() {
            Some(last) if last.server == usual.server => {}
            Some(last) => {
                last.max_len = last.max_len.max(Some(takes));
                routes.push(usual);
            }
            None => routes.push(usual),
        }
    }
    if let Some(last) = routes.last_mut() {
        last.max_len = None;
    }
    routes
}

/// The fastest of one class whose units are short enough; `None` if nobody could be measured.
fn fastest(
    selection: &Selection,
    direction: Direction,
    contenders: &mut [Contender],
    software: &dyn Compressor,
    sample: &Sample,
    class: usize,
    time: Duration,
) -> Option<Measured> {
    // Without an effort nobody may be longer, but for what no two libraries agree in.
    let allowed = f64::from(selection.spec.max_loss().max(1));
    let blocks: Vec<&[u8]> = sample
        .content
        .chunks(class)
        .take((CONTENT / class).max(1))
        .collect();
    let mut candidates = race(direction, contenders, software, &blocks, allowed, time)?;
    candidates.sort_by(|one, other| other.mb_per_s.total_cmp(&one.mb_per_s));
    let default = by_priority(selection, direction, class);
    let mut able = candidates.iter().filter(|c| c.loss <= allowed);
    let fastest = able.clone().next()?;
    let usual = able.find(|candidate| candidate.server == default);
    let server = match usual {
        Some(usual) if fastest.mb_per_s <= usual.mb_per_s * CLEARLY => usual.server.clone(),
        _ => fastest.server.clone(),
    };
    Some(Measured {
        max_len: Some(class),
        server,
        candidates,
    })
}

/// Runs all on the same blocks in turn, until the time is up; `None` if software cannot, or if the
/// blocks as they are would come within the percents that are `allowed`: who is short enough on such
/// blocks may be far too long on others.
fn race(
    direction: Direction,
    contenders: &mut [Contender],
    software: &dyn Compressor,
    blocks: &[&[u8]],
    allowed: f64,
    time: Duration,
) -> Option<Vec<Candidate>> {
    let began = Instant::now();
    let longest = blocks.iter().map(|block| block.len()).max()?;
    let content: usize = blocks.iter().map(|block| block.len()).sum();
    let mut writer = software.compress_session().ok()?;
    let mut units = Vec::new();
    for block in blocks {
        let mut unit = vec![0; software.max_compressed_len(block.len())?];
        let n = writer.compress(block, &mut unit).ok()?;
        unit.truncate(n);
        units.push(unit);
    }
    let by_software: usize = units.iter().map(Vec::len).sum();
    let enough = by_software as f64 * (1.0 + allowed / 100.0);
    if direction == Direction::Compress && content as f64 <= enough {
        return None;
    }
    // Twice what software needs: nobody who asks for more can mean it.
    let room = software.max_compressed_len(longest)?.saturating_mul(2);
    let mut dst = vec![0; room];

    let mut lanes: Vec<Lane<'_>> = contenders
        .iter_mut()
        .filter(|one| longest <= one.max_content)
        .filter_map(|one| Lane::new(one, direction))
        .collect();
    loop {
        for lane in &mut lanes {
            lane.best = lane.lap(blocks, &units, &mut dst);
        }
        lanes.retain(|lane| lane.best.is_some());
        if began.elapsed() >= time {
            break;
        }
    }
    let candidates = lanes.into_iter().filter_map(|lane| {
        Some(Candidate {
            server: lane.server.clone(),
            mb_per_s: rounded(content as f64 / 1e6 / lane.best?.as_secs_f64().max(1e-9)),
            loss: match direction {
                Direction::Compress => {
                    rounded(100.0 * (lane.written as f64 / by_software as f64 - 1.0))
                }
                Direction::Decompress => 0.0,
            },
        })
    });
    Some(candidates.collect())
}

/// To two digits after the point: more were not measured, and the file is read by people.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A session that is timed.
struct Lane<'a> {
    server: &'a Server,
    session: Provided<Session>,
    /// Its fastest lap; `None` once it failed.
    best: Option<Duration>,
    /// Length of what it wrote.
    written: usize,
}

enum Session {
    Compress(Box<dyn CompressSession>),
    Decompress(Box<dyn DecompressSession>),
}

impl<'a> Lane<'a> {
    fn new(contender: &'a mut Contender, direction: Direction) -> Option<Self> {
        let session = contender.compressor.ask(|compressor| match direction {
            Direction::Compress => compressor.compress_session().map(Session::Compress),
            Direction::Decompress => compressor.decompress_session().map(Session::Decompress),
        });
        Some(Self {
            server: &contender.server,
            session: Provided::new(session?.ok()?),
            best: Some(Duration::MAX),
            written: 0,
        })
    }

    /// All blocks once. The fastest lap so far; `None` if this one failed.
    fn lap(&mut self, blocks: &[&[u8]], units: &[Vec<u8>], dst: &mut [u8]) -> Option<Duration> {
        let (written, lap) = self.session.ask(|session| {
            let began = Instant::now();
            let written = session.run(blocks, units, dst);
            written.map(|written| (written, began.elapsed()))
        })??;
        self.written = written;
        self.best.map(|best| best.min(lap))
    }
}

impl Session {
    /// All blocks once: the length of what was written; `None` if one failed.
    fn run(&mut self, blocks: &[&[u8]], units: &[Vec<u8>], dst: &mut [u8]) -> Option<usize> {
        let mut written = 0;
        for (block, unit) in blocks.iter().zip(units) {
            let result = match self {
                Self::Compress(session) => session.compress(block, dst),
                // Into just the room that there is content for, as engines do.
                Self::Decompress(session) => {
                    let dst = dst.get_mut(..block.len())?;
                    session.decompress_exact(unit, dst).map(|()| block.len())
                }
            };
            written += result.ok()?;
        }
        Some(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(max_len: Option<usize>, provider: &str) -> Measured {
        let server = Server {
            provider: provider.into(),
            at_level: None,
        };
        Measured {
            max_len,
            server,
            candidates: Vec::new(),
        }
    }

    /// Longest content and provider of each route, where the fastest of the longest class takes so
    /// much and another serves by priority.
    fn ends(takes: usize, usual: &str) -> Vec<(Option<usize>, String)> {
        let measured = vec![route(Some(100), "a"), route(Some(200), "b")];
        let ended = ended(measured, takes, route(Some(usize::MAX), usual));
        ended
            .into_iter()
            .map(|route| (route.max_len, route.server.provider))
            .collect()
    }

    #[test]
    fn whoever_is_fastest_has_what_is_longer_as_far_as_it_takes_that() {
        let of = |max_len, provider: &str| (max_len, provider.to_owned());
        let a = of(Some(100), "a");
        assert_eq!(ends(usize::MAX, "usual"), [a.clone(), of(None, "b")]);
        for (takes, max_len) in [(300, 300), (200, 200), (0, 200)] {
            let beyond = [a.clone(), of(Some(max_len), "b"), of(None, "usual")];
            assert_eq!(ends(takes, "usual"), beyond, "{takes}");
        }
        assert_eq!(ends(300, "b"), [a, of(None, "b")]);
        let nothing = ended(Vec::new(), 0, route(Some(usize::MAX), "usual"));
        assert_eq!(nothing, [route(None, "usual")]);
    }
}

use std::mem;
use std::panic::{self, AssertUnwindSafe};
use std::time::{Duration, Instant};

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Policy, ProviderClass, ProviderId,
    Registry, Selected, Selection, Spec,
};
use compressor_decorator::self_check;

use super::fingerprint::Fingerprint;
use super::{Calibration, CalibrationError, Candidate, Choice, Measured, Sample, Server};

/// The classes of lengths: each with its longest, which is what is measured.
const CLASSES: [usize; 4] = [4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// Content that is measured of a class, in bytes; of one whose blocks are longer, one block.
const CONTENT: usize = 128 << 10;

/// For all that is measured, if every provider does its first blocks in no time.
const TIME: Duration = Duration::from_millis(700);

/// Whoever would serve by priority keeps a class unless somebody is faster by more than this: less
/// is noise, and a choice that changes from run to run helps nobody.
const CLEARLY: f64 = 1.03;

/// How much lower than the spec's a level may be that an effort is served at.
const LEVELS_BELOW: i32 = 12;

impl Calibration {
    /// Measures whoever can serve each of `specs`, in both directions.
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
        let mut tasks = Vec::new();
        for spec in specs {
            let selection = registry.select(spec, policy)?;
            for direction in Direction::BOTH {
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
        for (selection, direction, contenders) in tasks {
            let level = selection.spec.clone().without_effort();
            let software = registry.select(&level, &Policy::software_only())?.software;
            let routes = routes(&selection, direction, &contenders, &*software, sample, time);
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
    compressor: std::sync::Arc<dyn Compressor>,
    max_input: usize,
}

impl Contender {
    fn of(selected: Selected, at_level: Option<i32>) -> Self {
        Self {
            server: Server::new(selected.provider, at_level),
            compressor: selected.compressor,
            max_input: selected.capabilities.max_input,
        }
    }

    /// The level really used, for telling apart who would do the same twice.
    fn level(&self) -> Option<i32> {
        self.compressor.effective().compress.map(|side| side.level)
    }
}

/// Software first, then every accelerator that serves the spec; for an effort also at levels below
/// the spec's.
fn contenders(registry: &Registry, selection: &Selection, direction: Direction) -> Vec<Contender> {
    let spec = &selection.spec;
    let mut all = vec![Contender {
        server: Server::new(software_id(selection), None),
        compressor: selection.software.clone(),
        max_input: usize::MAX,
    }];
    for entry in registry.entries() {
        if entry.class == ProviderClass::Software {
            continue;
        }
        let mut own: Vec<Contender> = Vec::new();
        let mut add = |spec: &Spec, at_level| {
            let id = entry.id.as_str();
            // Nor is anybody measured whom the decorator would not put before software: what they ask
            // for and what they answer is not to be relied on.
            if let Ok(selected) = registry.candidate(id, spec, direction)
                && self_check(&selected, &*selection.software).is_ok()
            {
                let one = Contender::of(selected, at_level);
                let known = |other: &Contender| {
                    other.level() == one.level() && other.max_input >= one.max_input
                };
                if at_level.is_none() || !own.iter().any(known) {
                    own.push(one);
                }
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
    let chosen = match direction {
        Direction::Decompress => selection.decompress.as_ref(),
        Direction::Compress => selection
            .compress
            .iter()
            .chain(&selection.compress_longer)
            .find(|selected| len <= selected.capabilities.max_input),
    };
    let id = chosen.map_or(software_id(selection), |selected| selected.provider);
    Server::new(id, None)
}

/// The fastest of each class, classes with the same one put together. Whoever would serve by priority
/// has what the sample is too short for, and what is longer than the fastest takes.
fn routes(
    selection: &Selection,
    direction: Direction,
    contenders: &[Contender],
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
        let found = (!content.is_empty()).then(|| {
            fastest(
                selection, direction, contenders, software, sample, class, time,
            )
        });
        add(found.flatten().unwrap_or_else(|| unmeasured(class)));
        before = class;
    }
    let takes_all = |server: &Server| {
        let mut contenders = contenders.iter();
        contenders.any(|one| one.server == *server && one.max_input > before)
    };
    if !routes.last().is_some_and(|last| takes_all(&last.server)) {
        routes.push(unmeasured(usize::MAX));
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
    contenders: &[Contender],
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
    let mut candidates = race(direction, contenders, software, &blocks, time)?;
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

/// Runs all on the same blocks in turn, until the time is up; `None` if software cannot.
fn race(
    direction: Direction,
    contenders: &[Contender],
    software: &dyn Compressor,
    blocks: &[&[u8]],
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
    // Twice what software needs: nobody who asks for more can mean it.
    let room = software.max_compressed_len(longest)?.saturating_mul(2);
    let mut dst = vec![0; room];

    let mut lanes: Vec<Lane<'_>> = contenders
        .iter()
        .filter(|one| longest <= one.max_input)
        .filter_map(|one| Lane::new(one, direction))
        .collect();
    loop {
        for lane in &mut lanes {
            let lap = AssertUnwindSafe(|| lane.lap(blocks, &units, &mut dst));
            if let Err(payload) = panic::catch_unwind(lap) {
                // Dropping it may panic again.
                mem::forget(payload);
                lane.best = None;
            }
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
    session: Session,
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
    fn new(contender: &'a Contender, direction: Direction) -> Option<Self> {
        let compressor = &contender.compressor;
        let session = match direction {
            Direction::Compress => compressor.compress_session().map(Session::Compress),
            Direction::Decompress => compressor.decompress_session().map(Session::Decompress),
        };
        Some(Self {
            server: &contender.server,
            session: session.ok()?,
            best: Some(Duration::MAX),
            written: 0,
        })
    }

    /// All blocks once.
    fn lap(&mut self, blocks: &[&[u8]], units: &[Vec<u8>], dst: &mut [u8]) {
        let began = Instant::now();
        let mut written = 0;
        for (block, unit) in blocks.iter().zip(units) {
            let result = match &mut self.session {
                Session::Compress(session) => session.compress(block, dst),
                // Into just the room that there is content for, as engines do.
                Session::Decompress(session) => match dst.get_mut(..block.len()) {
                    Some(dst) => session.decompress_exact(unit, dst).map(|()| block.len()),
                    None => Ok(0),
                },
            };
            match result {
                Ok(n) => written += n,
                Err(_) => {
                    self.best = None;
                    return;
                }
            }
        }
        let lap = began.elapsed();
        self.written = written;
        self.best = self.best.map(|best| best.min(lap));
    }
}

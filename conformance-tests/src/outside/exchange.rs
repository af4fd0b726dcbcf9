//! One exchange between a provider and an implementation outside.

use compressor_api::{
    Capabilities, CompressorFactory, DecompressSession, Dictionary, Direction, Error, ErrorKind,
    Format, Spec,
};

use super::{How, Outside, Trouble, agreement};
use crate::case::Case;
use crate::contain::contained;
use crate::stop::{Stop, ensure};
use crate::target::plausible;

/// Both parties, and what they exchange.
pub(crate) struct Exchange<'a> {
    pub provider: &'a dyn CompressorFactory,
    pub capabilities: Capabilities,
    pub outside: &'a mut dyn Outside,
}

impl Exchange<'_> {
    /// Runs one case: a unit that is given as it is, or one that the writing party makes.
    pub(crate) fn run(&mut self, case: &Case) -> Result<(), Stop> {
        contained(|| self.exchange(case))
    }

    fn exchange(&mut self, case: &Case) -> Result<(), Stop> {
        if let (Some(unit), Some(room)) = (&case.unit, case.room) {
            return self.agree(case, unit, room);
        }
        match self.capabilities.direction {
            Direction::Compress => self.ours_to_theirs(case),
            Direction::Decompress => self.theirs_to_ours(case),
        }
    }

    fn ours_to_theirs(&mut self, case: &Case) -> Result<(), Stop> {
        let spec = self.spec(case, self.capabilities.levels.default_level())?;
        let content = case.content();
        let unit = self.compress(&spec, &content)?;
        let how = how(&spec, spec.level());
        let name = self.outside.name();
        let read = self.outside.decompress(&how, &unit, content.len());
        let read = read.map_err(|trouble| stop(name, trouble))?;
        ensure(read == content, || {
            format!("{name} reads {}", difference(&content, &read))
        })
    }

    fn theirs_to_ours(&mut self, case: &Case) -> Result<(), Stop> {
        let content = case.content();
        let (spec, unit) = self.written_outside(case, &content)?;
        self.room_for(&unit, content.len())?;
        let provider = self.provider.id();
        for call in [inexactly, exactly] {
            let read = decompress_by(call, self.provider, &spec, &unit, content.len());
            let read = read.map_err(|error| not_served(&self.capabilities, error))?;
            ensure(read == content, || {
                format!("{provider} reads {}", difference(&content, &read))
            })?;
        }
        Ok(())
    }

    /// The unit that the implementation outside writes, and the spec to read it with.
    pub(crate) fn written_outside(
        &mut self,
        case: &Case,
        content: &[u8],
    ) -> Result<(Spec, Vec<u8>), Stop> {
        // Its levels are on a scale of its own, and bind writers only.
        let spec = self.spec(
            &Case {
                level: None,
                ..case.clone()
            },
            default_level(self.format()),
        )?;
        let level = case.level.unwrap_or(self.outside_default());
        let name = self.outside.name();
        let unit = self.outside.compress(&how(&spec, level), content);
        Ok((spec, unit.map_err(|trouble| stop(name, trouble))?))
    }

    fn agree(&mut self, case: &Case, unit: &[u8], room: usize) -> Result<(), Stop> {
        let spec = self.spec(
            &Case {
                level: None,
                ..case.clone()
            },
            default_level(self.format()),
        )?;
        self.room_for(unit, room)?;
        let ours = decompress(self.provider, &spec, unit, room);
        if let Err(error) = ours
            && let stop @ Stop::NotTried(_) = not_served(&self.capabilities, error)
        {
            return Err(stop);
        }
        let name = self.outside.name();
        let theirs = match self
            .outside
            .decompress(&how(&spec, spec.level()), unit, room)
        {
            Ok(content) => Some(content),
            Err(Trouble::Refused(_)) => None,
            Err(trouble) => return Err(stop(name, trouble)),
        };
        agreement::judge(name, self.format(), unit, &case.content(), ours, theirs)
    }

    fn format(&self) -> Format {
        self.capabilities.format
    }

    fn outside_default(&self) -> i32 {
        let mut sides = self.outside.sides().iter();
        let side = sides.find(|side| side.format == self.format());
        side.and_then(|side| side.levels.first())
            .copied()
            .unwrap_or_default()
    }

    fn spec(&self, case: &Case, level: i32) -> Result<Spec, Stop> {
        let spec = case
            .spec(self.format(), level)
            .map_err(|error| Stop::NotTried(error.to_string()))?;
        match self.capabilities.shortfall(&spec) {
            Some(shortfall) => Err(Stop::NotTried(shortfall.to_string())),
            None => Ok(spec),
        }
    }

    fn compress(&self, spec: &Spec, content: &[u8]) -> Result<Vec<u8>, Stop> {
        let listed = self.capabilities.min_input..=self.capabilities.max_input;
        if !listed.contains(&content.len()) {
            return Err(beyond_limits());
        }
        let failed = |error| not_served(&self.capabilities, error);
        let compressor = self.provider.compressor(spec).map_err(failed)?;
        let bound = compressor.max_compressed_len(content.len());
        let bound = bound.ok_or_else(|| Stop::fault("no bound within the limits"))?;
        plausible(content.len(), bound)?;
        let mut unit = vec![0; bound];
        let mut session = compressor.compress_session().map_err(failed)?;
        let n = session.compress(content, &mut unit).map_err(failed)?;
        unit.truncate(n);
        Ok(unit)
    }

    /// Not tried unless lengths lie within what the provider lists for decompressing.
    fn room_for(&self, unit: &[u8], content_len: usize) -> Result<(), Stop> {
        let listed = self.capabilities.min_input..=self.capabilities.max_input;
        if listed.contains(&unit.len()) && content_len <= self.capabilities.max_output {
            Ok(())
        } else {
            Err(beyond_limits())
        }
    }
}

fn beyond_limits() -> Stop {
    Stop::NotTried("length beyond the provider's limits".into())
}

/// Reads a unit into a `dst` of `room` bytes.
pub(crate) fn decompress(
    provider: &dyn CompressorFactory,
    spec: &Spec,
    unit: &[u8],
    room: usize,
) -> Result<Vec<u8>, Error> {
    decompress_by(inexactly, provider, spec, unit, room)
}

fn inexactly(
    session: &mut dyn DecompressSession,
    unit: &[u8],
    dst: &mut [u8],
) -> Result<usize, Error> {
    session.decompress(unit, dst)
}

fn exactly(
    session: &mut dyn DecompressSession,
    unit: &[u8],
    dst: &mut [u8],
) -> Result<usize, Error> {
    session.decompress_exact(unit, dst).map(|()| dst.len())
}

fn decompress_by(
    call: impl Fn(&mut dyn DecompressSession, &[u8], &mut [u8]) -> Result<usize, Error>,
    provider: &dyn CompressorFactory,
    spec: &Spec,
    unit: &[u8],
    room: usize,
) -> Result<Vec<u8>, Error> {
    let mut content = vec![0; room];
    let mut session = provider.compressor(spec)?.decompress_session()?;
    let n = call(&mut *session, unit, &mut content)?;
    content.truncate(n);
    Ok(content)
}

fn how(spec: &Spec, level: i32) -> How<'_> {
    let dictionary: Option<&Dictionary> = spec.dictionary();
    How {
        format: spec.format(),
        level,
        window_log: spec.window_log(),
        checksum: spec.checksum(),
        dictionary,
    }
}

fn default_level(format: Format) -> i32 {
    format.levels().default_level()
}

/// A fault, unless the provider may decline: it has no capacity, or resolves less than every window.
fn not_served(capabilities: &Capabilities, error: Error) -> Stop {
    match error.kind() {
        ErrorKind::Busy => Stop::NotTried("the provider was busy".into()),
        ErrorKind::Unsupported if capabilities.window != u64::MAX => {
            Stop::NotTried("beyond the provider's window".into())
        }
        _ => Stop::fault(error.to_string()),
    }
}

fn stop(name: &str, trouble: Trouble) -> Stop {
    match trouble {
        Trouble::NotTried(why) => Stop::NotTried(format!("{name}: {why}")),
        trouble => Stop::fault(format!("{name} {trouble}")),
    }
}

/// What was read in place of `content`.
pub(crate) fn difference(content: &[u8], read: &[u8]) -> String {
    let same = content.iter().zip(read).take_while(|(a, b)| a == b).count();
    format!(
        "{} bytes in place of {}, other from {same} on",
        read.len(),
        content.len()
    )
}

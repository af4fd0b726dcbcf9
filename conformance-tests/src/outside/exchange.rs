//! One exchange between a provider and an implementation outside.

use compressor_api::{Direction, Spec};

use super::{How, Outside, Trouble, agreement};
use crate::case::{Case, Writer};
use crate::contain::contained;
use crate::judge::same;
use crate::stop::Stop;
use crate::target::Target;

/// Both parties, and what they exchange.
pub(crate) struct Exchange<'a> {
    /// The provider, in the direction that it goes.
    pub target: &'a Target,
    pub outside: &'a mut dyn Outside,
}

impl Exchange<'_> {
    /// Runs one case: a unit that is given as it is, or one that the writing party makes.
    pub(crate) fn run(&mut self, case: &Case) -> Result<(), Stop> {
        let result = contained(|| self.exchange(case));
        self.target.subject.drops().judge(result)
    }

    fn exchange(&mut self, case: &Case) -> Result<(), Stop> {
        if let (Some(unit), Some(room)) = (&case.unit, case.room) {
            return self.agree(case, unit, room);
        }
        match self.target.direction {
            Direction::Compress => self.ours_to_theirs(case),
            Direction::Decompress => self.theirs_to_ours(case),
        }
    }

    fn ours_to_theirs(&mut self, case: &Case) -> Result<(), Stop> {
        self.target.lists(case)?;
        let content = case.content();
        let own = case.clone().writer(Writer::Own);
        let unit = self.target.write(&own, &content)?;
        let spec = self.target.spec(case)?;
        let name = self.outside.name();
        let read = self
            .outside
            .decompress(&how(&spec, spec.level()), &unit, content.len());
        let read = read.map_err(|trouble| stop(name, trouble))?;
        same(&content, &read).map_err(|stop| Stop::prefixed(&format!("{name} reads "), stop))
    }

    fn theirs_to_ours(&mut self, case: &Case) -> Result<(), Stop> {
        let content = case.content();
        let unit = self.written_outside(case, &content)?;
        let target = self.target;
        target.within_limits(&unit, content.len())?;
        let mut session = target.decompress_session(&reading(case))?;
        let called = target.decompress(&mut *session, &unit, content.len())?;
        same(&content, called.bytes()?)?;
        let called = target.decompress_exact(&mut *session, &unit, content.len())?;
        same(&content, called.bytes()?)
    }

    /// The unit that the implementation outside writes.
    pub(crate) fn written_outside(&mut self, case: &Case, content: &[u8]) -> Result<Vec<u8>, Stop> {
        let reading = reading(case);
        self.target.lists(&reading)?;
        let spec = self.target.spec(&reading)?;
        let level = case.level.unwrap_or(self.outside_default());
        let name = self.outside.name();
        let unit = self.outside.compress(&how(&spec, level), content);
        unit.map_err(|trouble| stop(name, trouble))
    }

    fn agree(&mut self, case: &Case, unit: &[u8], room: usize) -> Result<(), Stop> {
        let case = reading(case);
        let target = self.target;
        target.lists(&case)?;
        target.within_limits(unit, room)?;
        let spec = target.spec(&case)?;
        let mut session = target.decompress_session(&case)?;
        let called = target.decompress(&mut *session, unit, room)?;
        let name = self.outside.name();
        let theirs = match self
            .outside
            .decompress(&how(&spec, spec.level()), unit, room)
        {
            Ok(content) => Some(content),
            Err(Trouble::Refused(_)) => None,
            Err(trouble) => return Err(stop(name, trouble)),
        };
        let content = case.content();
        let ours = called.comparable();
        agreement::judge(name, target.format, unit, &content, ours, theirs.as_deref())
    }

    fn outside_default(&self) -> i32 {
        let mut sides = self.outside.sides().iter();
        let side = sides.find(|side| side.format == self.target.format);
        side.and_then(|side| side.levels.first())
            .copied()
            .unwrap_or_default()
    }
}

/// The case as a reader has it: levels are on a scale of the writer's own, and bind writers only.
fn reading(case: &Case) -> Case {
    Case {
        level: None,
        ..case.clone()
    }
}

fn how(spec: &Spec, level: i32) -> How<'_> {
    How {
        format: spec.format(),
        level,
        window_log: spec.window_log(),
        checksum: spec.checksum(),
        dictionary: spec.dictionary(),
    }
}

fn stop(name: &str, trouble: Trouble) -> Stop {
    match trouble {
        Trouble::NotTried(why) => Stop::NotTried(format!("{name}: {why}")),
        trouble => Stop::fault(format!("{name} {trouble}")),
    }
}

use std::collections::BTreeSet;

use compressor_api::{Capabilities, Direction, Format};

use crate::contain::{Unanswered, asked};
use crate::options::Options;
use crate::subject::Subject;
use crate::target::Target;

/// A subject and how it is run.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    pub subject: Subject,
    pub options: Options,
}

impl Bench {
    /// The formats that are listed, in either direction.
    pub(crate) fn formats(&self) -> Vec<Format> {
        formats(self.subject.factory().capabilities())
    }

    /// What it lists, if it answers in time.
    pub(crate) fn listed(&self) -> Result<Vec<Capabilities>, Unanswered> {
        let subject = self.subject.clone();
        asked(self.options.deadline, move || {
            subject.factory().capabilities().to_vec()
        })
    }

    /// What to run on for a format and direction of those listed; `None` if they are not.
    pub(crate) fn target(
        &self,
        listed: &[Capabilities],
        format: Format,
        direction: Direction,
    ) -> Option<Target> {
        let find = |direction| {
            let mut listed = listed.iter();
            listed
                .find(|c| (c.format, c.direction) == (format, direction))
                .copied()
        };
        let opposite = match direction {
            Direction::Compress => Direction::Decompress,
            Direction::Decompress => Direction::Compress,
        };
        let capabilities: Capabilities = find(direction)?;
        Some(Target {
            subject: self.subject.clone(),
            options: self.options.clone(),
            format,
            direction,
            capabilities,
            opposite: find(opposite),
        })
    }
}

/// The formats of what is listed, in either direction.
pub(crate) fn formats(listed: &[Capabilities]) -> Vec<Format> {
    let formats: BTreeSet<Format> = listed.iter().map(|listed| listed.format).collect();
    formats.into_iter().collect()
}

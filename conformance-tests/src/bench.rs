use std::collections::BTreeSet;

use compressor_api::{Capabilities, Direction, Format};

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
        let listed = self.subject.factory().capabilities().iter();
        let formats: BTreeSet<Format> = listed.map(|listed| listed.format).collect();
        formats.into_iter().collect()
    }

    /// What to run on for a format and direction; `None` if that is not listed.
    pub(crate) fn target(&self, format: Format, direction: Direction) -> Option<Target> {
        let find = |direction| {
            let mut listed = self.subject.factory().capabilities().iter();
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

use std::fmt;
use std::sync::Arc;

use compressor_api::{EffectiveSide, Selected};

use crate::lane::Lane;

/// Who is to serve inputs of some lengths in one direction.
///
/// When compressing, the length is that of the content; when decompressing, that of `dst`, which
/// engines make as long as the content.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Route {
    /// The longest that it is for, in bytes; the last route of a direction is for all that is longer
    /// as well.
    pub max_len: usize,
    /// The accelerator; `None`: software, alone.
    pub accelerator: Option<Selected>,
}

impl Route {
    /// From its parts.
    #[must_use]
    pub const fn new(max_len: usize, accelerator: Option<Selected>) -> Self {
        Self {
            max_len,
            accelerator,
        }
    }
}

/// Who serves inputs of some lengths in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Routed {
    /// The longest that it is for, in bytes: `usize::MAX` for the last.
    pub max_len: usize,
    /// Who serves, and how; `None` if nobody can say.
    pub side: Option<EffectiveSide>,
}

/// The lanes of one direction, by length: at least one, and the last takes all that is longer.
#[derive(Clone)]
pub(crate) struct Lanes {
    first: (usize, Arc<Lane>),
    longer: Vec<(usize, Arc<Lane>)>,
}

impl Lanes {
    /// One lane for every length.
    pub(crate) fn one(lane: Arc<Lane>) -> Self {
        Self {
            first: (usize::MAX, lane),
            longer: Vec::new(),
        }
    }

    /// Adds a lane for what is longer than `from`.
    pub(crate) fn add(&mut self, from: usize, lane: Arc<Lane>) {
        let last = self.longer.last_mut().unwrap_or(&mut self.first);
        last.0 = from;
        self.longer.push((usize::MAX, lane));
    }

    /// These with lanes before the first, each for inputs up to one of `ends`, ascending.
    pub(crate) fn after(&self, ends: impl Iterator<Item = usize>) -> Self {
        let mut all: Vec<_> = ends
            .map(|end| (end, Arc::new(self.first.1.beside())))
            .chain([self.first.clone()])
            .chain(self.longer.iter().cloned())
            .collect();
        let longer = all.split_off(1);
        Self {
            first: all.pop().unwrap_or_else(|| self.first.clone()),
            longer,
        }
    }

    /// The lane, if there is only one.
    pub(crate) fn single(&self) -> Option<&Arc<Lane>> {
        self.longer.is_empty().then_some(&self.first.1)
    }

    /// That of the shortest inputs.
    pub(crate) fn first(&self) -> &Arc<Lane> {
        &self.first.1
    }

    /// Each with the longest input that it is for, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Arc<Lane>)> {
        [&self.first]
            .into_iter()
            .chain(&self.longer)
            .map(|(max_len, lane)| (*max_len, lane))
    }

    /// That of inputs of this length.
    pub(crate) fn of(&self, len: usize) -> &Arc<Lane> {
        self.iter()
            .find(|(max_len, _)| len <= *max_len)
            .map_or(self.first(), |(_, lane)| lane)
    }
}

impl fmt::Debug for Lanes {
    /// By length: who is there.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = self.iter();
        f.debug_map()
            .entries(lanes.map(|(max_len, lane)| (max_len, lane.accelerator.get())))
            .finish()
    }
}

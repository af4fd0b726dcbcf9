use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use compressor_api::{Capabilities, Compressor, CompressorFactory, Direction, Efforts, Format};

use crate::watched::{Drops, Watched};

/// What is proved: a provider, and what it is measured against.
#[derive(Clone)]
pub struct Subject {
    factory: Arc<dyn CompressorFactory>,
    references: Vec<Arc<dyn CompressorFactory>>,
    composed: bool,
    served: Option<Arc<dyn Fn() -> Served + Send + Sync>>,
    /// What is to be accelerated; everything that is listed, if this does not say.
    accelerated: Option<Arc<[Capabilities]>>,
    /// Set once the provider was `Busy` for longer than anybody waits.
    out_of_patience: Arc<AtomicBool>,
    drops: Drops,
}

/// How many operations were served by whom, since the provider was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Operations that ran where the provider says they run.
    pub accelerated: u64,
    /// Operations that software ran in its place.
    pub software: u64,
}

impl Subject {
    /// An opened provider alone.
    #[must_use]
    pub fn new(factory: Arc<dyn CompressorFactory>) -> Self {
        Self {
            factory,
            references: Vec::new(),
            composed: false,
            served: None,
            accelerated: None,
            out_of_patience: Arc::default(),
            drops: Drops::default(),
        }
    }

    /// Adds a codec to cross-check with: it reads what the provider writes, and the reverse.
    /// The first one that lists a format serves for it. A software codec is also what the lengths of
    /// a provider that lists efforts are compared with.
    #[must_use]
    pub fn with_reference(mut self, factory: Arc<dyn CompressorFactory>) -> Self {
        self.references.push(factory);
        self
    }

    /// Says that other providers are at work inside this one, as in a decorator: errors and
    /// effective sides may carry their names.
    #[must_use]
    pub const fn composed(mut self) -> Self {
        self.composed = true;
        self
    }

    /// Says how to learn who served, for [`must_accelerate`](crate::Options::must_accelerate).
    #[must_use]
    pub fn with_served(mut self, served: impl Fn() -> Served + Send + Sync + 'static) -> Self {
        self.served = Some(Arc::new(served));
        self
    }

    /// Says what the accelerator inside does by itself, and within which limits, where software is
    /// listed for more than that.
    #[must_use]
    pub fn with_accelerated(mut self, accelerated: impl IntoIterator<Item = Capabilities>) -> Self {
        self.accelerated = Some(accelerated.into_iter().collect());
        self
    }

    /// The provider.
    #[must_use]
    pub fn factory(&self) -> &dyn CompressorFactory {
        &*self.factory
    }

    /// The codec to cross-check a format with, if there is one that goes both ways.
    pub(crate) fn reference(&self, format: Format) -> Option<&dyn CompressorFactory> {
        self.references
            .iter()
            .map(|factory| &**factory)
            .find(|factory| {
                let listed = factory.capabilities().iter().filter(|c| c.format == format);
                listed.count() == 2
            })
    }

    /// The software codec of a format, whose length is what efforts are promises about: one of the
    /// codecs to cross-check with, or else the provider itself, unless others are at work inside.
    pub(crate) fn software(&self, format: Format) -> Option<&dyn CompressorFactory> {
        let itself = (!self.composed).then_some(&self.factory);
        { self.references.iter() }
            .chain(itself)
            .map(|factory| &**factory)
            .find(|factory| {
                factory.capabilities().iter().any(|listed| {
                    // The priority that software codecs have, and no other provider.
                    (listed.format, listed.direction) == (format, Direction::Compress)
                        && listed.efforts == Efforts::all(-1)
                })
            })
    }

    pub(crate) const fn is_composed(&self) -> bool {
        self.composed
    }

    pub(crate) fn served(&self) -> Option<Served> {
        self.served.as_ref().map(|served| served())
    }

    /// What [`must_accelerate`](crate::Options::must_accelerate) is about, of what is listed.
    pub(crate) fn accelerated(&self, listed: Capabilities) -> Option<Capabilities> {
        let Some(accelerated) = &self.accelerated else {
            return Some(listed);
        };
        let mut all = accelerated.iter().copied();
        all.find(|one| (one.format, one.direction) == (listed.format, listed.direction))
    }

    pub(crate) fn is_out_of_patience(&self) -> bool {
        self.out_of_patience.load(Ordering::Relaxed)
    }

    /// A compressor of the provider's, whose end and whose sessions' ends are watched.
    pub(crate) fn watched(&self, compressor: Arc<dyn Compressor>) -> Arc<dyn Compressor> {
        Arc::new(Watched::new(compressor, self.drops.clone()))
    }

    /// What the provider threw when something of it was dropped.
    pub(crate) const fn drops(&self) -> &Drops {
        &self.drops
    }

    pub(crate) fn lose_patience(&self) {
        self.out_of_patience.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject")
            .field("factory", &self.factory)
            .field("references", &self.references)
            .field("composed", &self.composed)
            .finish_non_exhaustive()
    }
}

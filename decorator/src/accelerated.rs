use std::fmt;
use std::sync::{Arc, OnceLock};

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Effective, EffectiveSide, Error,
    ErrorKind, OnFailure, OpenError, OutputNeed, Selected, Selection, Spec, Verdict,
};

use crate::accelerator::Accelerator;
use crate::contain::Contained;
use crate::lane::Lane;
use crate::session::Session;
use crate::{Guards, Options, Reason, Snapshot, events};

/// A software codec with an accelerator before it, per direction, behind one [`Compressor`].
///
/// Shared and used as any other; its sessions never fail for a reason that software would not fail
/// for (unless [`OnFailure::Fail`] asks for that). See the [crate](crate) for what happens in an
/// operation.
///
/// A direction without an accelerator is served by software, and counted; one that turns up later
/// is put there by [`attach`](Self::attach), and live sessions take it up at their next operation.
pub struct Accelerated {
    software: Arc<dyn Compressor>,
    compress: Arc<Lane>,
    decompress: Arc<Lane>,
    guards: Guards,
    options: Options,
    /// What serves, by which lanes have an accelerator: none, the first, the second, both.
    effective: [OnceLock<Effective>; 4],
}

/// Puts an [`Accelerated`] together.
#[derive(Debug)]
pub struct Builder {
    software: Arc<dyn Compressor>,
    guards: Guards,
    options: Options,
    /// An accelerator that is left out is dropped with these.
    accelerators: Vec<Contained<Selected>>,
    unaccelerated: Vec<(Direction, Reason)>,
}

impl Builder {
    /// Puts an accelerator before software, in the direction that its capabilities name.
    #[must_use]
    pub fn accelerator(mut self, selected: Selected) -> Self {
        let guard = self
            .guards
            .guard(selected.provider, selected.capabilities.direction);
        self.accelerators
            .push(Contained::new(Some(selected), guard));
        self
    }

    /// Says why software serves a direction alone; [`Absent`](Reason::Absent) if nothing is said.
    #[must_use]
    pub fn unaccelerated(mut self, direction: Direction, why: Reason) -> Self {
        self.unaccelerated.push((direction, why));
        self
    }

    /// Says how far accelerators are trusted.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The compressor. An accelerator whose capabilities fall short of the spec is left out, with
    /// that as the reason. The others exchange known answers with software first, unless
    /// [`Options::self_check`] says otherwise; one that fails is left out, with a log event and
    /// the reason [`Rejected`](Reason::Rejected).
    ///
    /// # Errors
    ///
    /// - [`InvalidArgument`](ErrorKind::InvalidArgument): an accelerator of another spec than
    ///   software's, or two for one direction.
    /// - With [`OnFailure::Fail`], whatever else leaves an accelerator out.
    pub fn build(self) -> Result<Accelerated, Error> {
        let lane = |direction| Arc::new(Lane::new(direction, self.software.clone()));
        let accelerated = Accelerated {
            compress: lane(Direction::Compress),
            decompress: lane(Direction::Decompress),
            software: self.software,
            guards: self.guards,
            options: self.options,
            effective: Default::default(),
        };
        for (direction, why) in self.unaccelerated {
            accelerated.lane(direction).leave_to_software(why);
        }
        for selected in self.accelerators.iter().filter_map(Contained::as_ref) {
            match accelerated.put(selected) {
                Ok(accelerator) => events::began_with(&accelerator),
                Err(error)
                    if error.kind() == ErrorKind::InvalidArgument
                        || self.options.on_operation_error == OnFailure::Fail =>
                {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        Ok(accelerated)
    }
}

impl Accelerated {
    /// Begins with software, and with the guards that this process has for its providers.
    #[must_use]
    pub fn builder(software: Arc<dyn Compressor>, guards: &Guards) -> Builder {
        Builder {
            software,
            guards: guards.clone(),
            options: Options::new(),
            accelerators: Vec::new(),
            unaccelerated: Vec::new(),
        }
    }

    /// From what a [`Registry`](compressor_api::Registry) chose, with its reasons.
    ///
    /// # Errors
    ///
    /// As [`Builder::build`].
    pub fn from_selection(
        selection: &Selection,
        guards: &Guards,
        options: Options,
    ) -> Result<Self, Error> {
        let mut builder = Self::builder(selection.software.clone(), guards).options(options);
        for direction in Direction::BOTH {
            builder = match selection.accelerator(direction) {
                Some(selected) => builder.accelerator(selected.clone()),
                None => builder.unaccelerated(direction, why_software(selection, direction)),
            };
        }
        builder.build()
    }

    /// Puts an accelerator before software in a direction that has none yet. Sessions that are in
    /// use take it up at their next operation.
    ///
    /// # Errors
    ///
    /// - [`InvalidArgument`](ErrorKind::InvalidArgument): the direction has an accelerator, or
    ///   this one is of another spec.
    /// - [`Unsupported`](ErrorKind::Unsupported): its capabilities fall short of the spec.
    /// - What [`self_check`](crate::self_check) says; software goes on.
    pub fn attach(&self, selected: &Selected) -> Result<(), Error> {
        self.put(selected)
            .map(|accelerator| events::attached(&accelerator))
    }

    fn put(&self, selected: &Selected) -> Result<Arc<Accelerator>, Error> {
        self.lane(selected.capabilities.direction)
            .attach(selected, &self.guards, self.options)
    }

    /// [`attach`](Self::attach) for each direction that has no accelerator, where a new selection
    /// has one: after a provider was opened again.
    ///
    /// # Errors
    ///
    /// The last error of [`attach`](Self::attach).
    pub fn adopt(&self, selection: &Selection) -> Result<(), Error> {
        let mut result = Ok(());
        for direction in Direction::BOTH {
            if self.lane(direction).accelerator.get().is_some() {
                continue;
            }
            match selection.accelerator(direction) {
                Some(selected) => result = self.attach(selected).and(result),
                None => self
                    .lane(direction)
                    .leave_to_software(why_software(selection, direction)),
            }
        }
        result
    }

    /// Why software serves a direction alone; `None` if there is an accelerator.
    #[must_use]
    pub fn unaccelerated(&self, direction: Direction) -> Option<Reason> {
        let lane = self.lane(direction);
        match lane.accelerator.get() {
            Some(_) => None,
            None => Some(lane.why_software()),
        }
    }

    /// What was done so far, by all sessions, those that ended included.
    ///
    /// The numbers of sessions at work are read one by one, so they may be some operations apart.
    #[must_use]
    pub fn counters(&self) -> Snapshot {
        Snapshot {
            compress: self.compress.ledger.total(),
            decompress: self.decompress.ledger.total(),
        }
    }

    fn lane(&self, direction: Direction) -> &Arc<Lane> {
        match direction {
            Direction::Compress => &self.compress,
            Direction::Decompress => &self.decompress,
        }
    }
}

#[deny(clippy::missing_trait_methods)]
impl Compressor for Accelerated {
    fn spec(&self) -> &Spec {
        self.software.spec()
    }

    fn effective(&self) -> &Effective {
        let software = self.software.effective();
        let accelerators = [&self.compress, &self.decompress].map(|lane| lane.accelerator.get());
        let [none, compress_only, decompress_only, both] = &self.effective;
        let cached = match accelerators {
            [None, None] => none,
            [Some(_), None] => compress_only,
            [None, Some(_)] => decompress_only,
            [Some(_), Some(_)] => both,
        };
        let [compress, decompress] = accelerators;
        cached.get_or_init(|| {
            Effective::new(
                compress.map_or(software.compress, |a| {
                    with_software(a.effective, software.compress)
                }),
                decompress.map_or(software.decompress, |a| {
                    with_software(a.effective, software.decompress)
                }),
            )
        })
    }

    /// Software's: with that much room it always succeeds, and it is asked whenever the
    /// accelerator says that its own result does not fit. An accelerator that is not offered less
    /// than its own bound ([`OutputNeed::Bound`]) adds to it, or it would never be used; up to twice
    /// software's bound and 64 KiB, beyond which the accelerator's word is not believed and it is
    /// not used.
    fn max_compressed_len(&self, src_len: usize) -> Option<usize> {
        let bound = self.software.max_compressed_len(src_len)?;
        let own = match self.compress.accelerator.get() {
            Some(accelerator) if accelerator.capabilities.output == OutputNeed::Bound => {
                accelerator.bound(src_len).ok().flatten()
            }
            _ => None,
        };
        Some(own.map_or(bound, |own| own.max(bound)))
    }

    fn decompressed_len(&self, src: &[u8]) -> Result<Option<u64>, Error> {
        self.software.decompressed_len(src)
    }

    fn compress_session(&self) -> Result<Box<dyn CompressSession>, Error> {
        let session = Session::<dyn CompressSession>::new(self.compress.clone())?;
        Ok(Box::new(session))
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        let session = Session::<dyn DecompressSession>::new(self.decompress.clone())?;
        Ok(Box::new(session))
    }
}

impl fmt::Debug for Accelerated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accelerated")
            .field("software", &self.software)
            .field("compress", &self.compress.accelerator.get())
            .field("decompress", &self.decompress.accelerator.get())
            .finish_non_exhaustive()
    }
}

/// What serves where software stands behind an accelerator: named after the accelerator, with the
/// window of whoever has the larger one, for either may write a unit.
fn with_software(
    accelerator: Option<EffectiveSide>,
    software: Option<EffectiveSide>,
) -> Option<EffectiveSide> {
    match (accelerator, software) {
        (Some(mut side), Some(software)) => {
            side.window = side.window.max(software.window);
            Some(side)
        }
        (side, software) => side.or(software),
    }
}

/// A selection's own reason for having no accelerator, as the reason of its operations.
fn why_software(selection: &Selection, direction: Direction) -> Reason {
    match selection.why_software(direction) {
        Some(Verdict::Disabled | Verdict::NotAssigned) => Reason::Disabled,
        Some(Verdict::Lacks(shortfall)) => Reason::of_shortfall(*shortfall),
        Some(Verdict::NotCreated(error)) if error.kind() == ErrorKind::Unsupported => {
            Reason::Rejected
        }
        Some(Verdict::NotCreated(_) | Verdict::NotOpened(OpenError::Broken { .. })) => {
            Reason::DeviceError
        }
        _ => Reason::Absent,
    }
}

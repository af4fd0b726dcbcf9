use std::fmt;
use std::sync::{Arc, OnceLock};

use compressor_api::{
    CompressSession, Compressor, DecompressSession, Direction, Effective, EffectiveSide, Error,
    ErrorKind, OnFailure, OpenError, OutputNeed, ProviderId, Selected, Selection, Spec, Verdict,
};

use crate::contain::Contained;
use crate::lane::Lane;
use crate::route::Lanes;
use crate::session::{Routed as RoutedSession, Session, Spread};
use crate::{Guards, Options, Reason, Route, Routed, Snapshot, Workers, events};

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
    compress: Lanes,
    /// Those of compression once several accelerators turned up for the one lane that there was, the
    /// last of these.
    compress_adopted: OnceLock<Lanes>,
    decompress: Lanes,
    guards: Guards,
    options: Options,
    workers: Option<Workers>,
    /// What serves, by which first lanes have an accelerator: none, the first, the second, both.
    effective: [OnceLock<Effective>; 4],
}

/// Puts an [`Accelerated`] together.
#[derive(Debug)]
pub struct Builder {
    software: Arc<dyn Compressor>,
    guards: Guards,
    options: Options,
    workers: Option<Workers>,
    /// An accelerator that is left out is dropped with these.
    accelerators: Vec<Contained<Selected>>,
    /// Lengths up to which each is to serve, where it is one of several.
    routes: Vec<(Direction, usize, Option<Contained<Selected>>)>,
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

    /// Puts several accelerators before software in one direction, by the length of the input: in
    /// place of [`accelerator`](Self::accelerator), in ascending order of
    /// [`max_len`](Route::max_len).
    ///
    /// A session holds one of each, made together, and software's for each.
    #[must_use]
    pub fn routes(mut self, direction: Direction, routes: Vec<Route>) -> Self {
        for Route {
            max_len,
            accelerator,
        } in routes
        {
            let selected = accelerator.map(|selected| {
                let guard = self.guards.guard(selected.provider, direction);
                Contained::new(Some(selected), guard)
            });
            self.routes.push((direction, max_len, selected));
        }
        self
    }

    /// Spreads batches over these threads.
    #[must_use]
    pub fn workers(mut self, workers: Workers) -> Self {
        self.workers = Some(workers);
        self
    }

    /// Puts before software what a [`Registry`](compressor_api::Registry) chose for a direction, or
    /// says why it chose nobody.
    #[must_use]
    pub fn selected(self, selection: &Selection, direction: Direction) -> Self {
        let mut all = selection.accelerators(direction);
        match (all.next(), all.next()) {
            (None, _) => self.unaccelerated(direction, why_software(selection, direction)),
            (Some(only), None) => self.accelerator(only.clone()),
            _ => {
                let route = |selected: &Selected| {
                    Route::new(selected.capabilities.max_input, Some(selected.clone()))
                };
                let routes = selection.accelerators(direction).map(route).collect();
                self.routes(direction, routes)
            }
        }
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
    ///   software's, two for one direction, or routes that do not ascend.
    /// - With [`OnFailure::Fail`], whatever else leaves an accelerator out.
    pub fn build(self) -> Result<Accelerated, Error> {
        let [compress, decompress] = Direction::BOTH.map(|direction| self.lanes(direction));
        let accelerated = Accelerated {
            compress: compress?,
            compress_adopted: OnceLock::new(),
            decompress: decompress?,
            software: self.software,
            guards: self.guards,
            options: self.options,
            workers: self.workers,
            effective: Default::default(),
        };
        for (direction, why) in self.unaccelerated {
            let lanes = accelerated.lanes(direction).iter();
            lanes.for_each(|(_, lane)| lane.leave_to_software(why));
        }
        let alone = self.accelerators.iter().filter_map(Contained::as_ref);
        let alone = alone.map(|selected| (selected.capabilities.direction, 0, selected));
        let routed = self.routes.iter().filter_map(|(direction, len, selected)| {
            Some((*direction, *len, selected.as_ref()?.as_ref()?))
        });
        for (direction, len, selected) in alone.chain(routed) {
            let lane = accelerated.lanes(direction).of(len);
            match lane.attach(selected, &accelerated.guards, accelerated.options) {
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

    /// A lane for each route of a direction, or one.
    fn lanes(&self, direction: Direction) -> Result<Lanes, Error> {
        let ledger = Arc::default();
        let lane = |accelerator: &Option<_>| {
            let lane = Lane::new(direction, self.software.clone(), Arc::clone(&ledger));
            Arc::new(match accelerator {
                Some(_) => lane,
                None => lane.for_software(),
            })
        };
        let mut routes = { self.routes.iter() }
            .filter(|route| route.0 == direction)
            .map(|(_, max_len, selected)| (*max_len, selected));
        let Some((mut before, first)) = routes.next() else {
            let lane = Lane::new(direction, self.software.clone(), ledger);
            return Ok(Lanes::one(Arc::new(lane)));
        };
        let mut lanes = Lanes::one(lane(first));
        for (max_len, selected) in routes {
            if before >= max_len {
                let provider = selected.as_ref().and_then(Contained::as_ref);
                let provider = provider.map_or(NO_PROVIDER, |selected| selected.provider);
                return Err(Error::new(ErrorKind::InvalidArgument, provider));
            }
            lanes.add(before, lane(selected));
            before = max_len;
        }
        Ok(lanes)
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
            workers: None,
            accelerators: Vec::new(),
            routes: Vec::new(),
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
        let builder = Self::builder(selection.software.clone(), guards).options(options);
        Direction::BOTH
            .into_iter()
            .fold(builder, |builder, direction| {
                builder.selected(selection, direction)
            })
            .build()
    }

    /// Puts an accelerator before software in a direction that has none yet, whatever the length of
    /// the input. Sessions that are in use take it up at their next operation. What a
    /// [route](Route) gave to software stays with it.
    ///
    /// # Errors
    ///
    /// - [`InvalidArgument`](ErrorKind::InvalidArgument): the direction has an accelerator, a route
    ///   gave it to software, or this one is of another spec.
    /// - [`Unsupported`](ErrorKind::Unsupported): its capabilities fall short of the spec.
    /// - What [`self_check`](crate::self_check) says; software goes on.
    pub fn attach(&self, selected: &Selected) -> Result<(), Error> {
        let lanes = self.lanes(selected.capabilities.direction);
        let free = lanes.iter().find(|(_, lane)| lane.is_free());
        self.put(free.map_or(lanes.first(), |(_, lane)| lane), selected)
    }

    /// [`attach`](Self::attach) for each direction that has no accelerator, where a new selection
    /// has one: after a provider was opened again.
    ///
    /// Where it has several for compression, by the length of the content, sessions that are opened
    /// from now on have them all; those in use take up the one for the longest content, for all.
    ///
    /// # Errors
    ///
    /// The last error of [`attach`](Self::attach).
    pub fn adopt(&self, selection: &Selection) -> Result<(), Error> {
        let mut result = Ok(());
        for direction in Direction::BOTH {
            for (max_len, lane) in self.lanes_for(selection, direction).iter() {
                if !lane.is_free() {
                    continue;
                }
                let all = || selection.accelerators(direction);
                let takes_all = |selected: &&Selected| max_len <= selected.capabilities.max_input;
                match all().find(takes_all).or_else(|| all().last()) {
                    Some(selected) => result = self.put(lane, selected).and(result),
                    None => lane.leave_to_software(why_software(selection, direction)),
                }
            }
        }
        result
    }

    fn put(&self, lane: &Lane, selected: &Selected) -> Result<(), Error> {
        lane.attach(selected, &self.guards, self.options)
            .map(|accelerator| events::attached(&accelerator))
    }

    /// The lanes of a direction, with one for each accelerator of a selection where there was but one
    /// lane, and nobody in it.
    fn lanes_for(&self, selection: &Selection, direction: Direction) -> &Lanes {
        let lanes = self.lanes(direction);
        let longer = selection.accelerators(direction).count().saturating_sub(1);
        match lanes.single() {
            Some(lane) if lane.is_free() && longer > 0 && direction == Direction::Compress => {
                let all = selection.accelerators(direction).take(longer);
                let ends = all.map(|selected| selected.capabilities.max_input);
                self.compress_adopted.get_or_init(|| lanes.after(ends))
            }
            _ => lanes,
        }
    }

    /// Who serves a direction, by the length of the input: the shortest first.
    pub fn routes(&self, direction: Direction) -> impl Iterator<Item = Routed> {
        self.lanes(direction)
            .iter()
            .map(move |(max_len, lane)| Routed {
                max_len,
                side: self.side(direction, lane),
            })
    }

    /// Who serves inputs of so many bytes in a direction, and how: what [`routes`](Self::routes) says
    /// of that length. `None` if nobody can say.
    #[must_use]
    pub fn serving(&self, direction: Direction, len: usize) -> Option<EffectiveSide> {
        self.side(direction, self.lanes(direction).of(len))
    }

    fn side(&self, direction: Direction, lane: &Lane) -> Option<EffectiveSide> {
        let software = self.software.effective();
        let software = match direction {
            Direction::Compress => software.compress,
            Direction::Decompress => software.decompress,
        };
        let accelerator = lane.accelerator.get();
        accelerator.map_or(software, |a| a.effective.or(software))
    }

    /// Why software serves a direction alone; `None` if there is an accelerator. Where there are
    /// routes, for the shortest inputs.
    #[must_use]
    pub fn unaccelerated(&self, direction: Direction) -> Option<Reason> {
        let lane = self.lanes(direction).first();
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
            compress: self.compress.first().ledger.total(),
            decompress: self.decompress.first().ledger.total(),
        }
    }

    fn lanes(&self, direction: Direction) -> &Lanes {
        match direction {
            Direction::Compress => self.compress_adopted.get().unwrap_or(&self.compress),
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
        let accelerators =
            Direction::BOTH.map(|direction| self.lanes(direction).first().accelerator.get());
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
        let lanes = self.lanes(Direction::Compress);
        let own = match lanes.of(src_len).accelerator.get() {
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
        let lanes = self.lanes(Direction::Compress);
        match &self.workers {
            None => open_compress(lanes),
            Some(workers) => {
                let lanes = lanes.clone();
                let open = Box::new(move || open_compress(&lanes));
                let side = self.effective().compress;
                let provider = side.map_or(NO_PROVIDER, |side| side.provider);
                let session = Spread::new(open, workers.clone(), provider)?;
                Ok(Box::new(session))
            }
        }
    }

    fn decompress_session(&self) -> Result<Box<dyn DecompressSession>, Error> {
        match &self.workers {
            None => open_decompress(&self.decompress),
            Some(workers) => {
                let lanes = self.decompress.clone();
                let open = Box::new(move || open_decompress(&lanes));
                // Errors of the session's own name whom those of a single session name.
                let side = self.software.effective().decompress;
                let provider = side.map_or(NO_PROVIDER, |side| side.provider);
                let session = Spread::new(open, workers.clone(), provider)?;
                Ok(Box::new(session))
            }
        }
    }
}

/// Who is named in an error where there is nobody.
const NO_PROVIDER: ProviderId = ProviderId::new("nobody");

fn open_compress(lanes: &Lanes) -> Result<Box<dyn CompressSession>, Error> {
    match lanes.single() {
        Some(lane) => Ok(Box::new(Session::<dyn CompressSession>::new(lane.clone())?)),
        None => Ok(Box::new(RoutedSession::<dyn CompressSession>::new(lanes)?)),
    }
}

fn open_decompress(lanes: &Lanes) -> Result<Box<dyn DecompressSession>, Error> {
    match lanes.single() {
        Some(lane) => Ok(Box::new(Session::<dyn DecompressSession>::new(
            lane.clone(),
        )?)),
        None => Ok(Box::new(RoutedSession::<dyn DecompressSession>::new(
            lanes,
        )?)),
    }
}

impl fmt::Debug for Accelerated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accelerated")
            .field("software", &self.software)
            .field("compress", self.lanes(Direction::Compress))
            .field("decompress", &self.decompress)
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
